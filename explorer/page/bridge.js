// Lights cells in the charts, shows the kin of the cell that is pointed at, and tells which cell was
// clicked; all without redrawing a chart.
//
// A chart is found by its key on the page. Streamlit may replace it at any time, so the page is
// watched. This function runs again for each new state, with no word to the run before it: there is
// one watcher, and it always works from the newest state.
const bridge = (window.__explorerBridge ??= { watcher: null, run: 0 });

const chartOf = (key) => document.querySelector(`.st-key-${key} .js-plotly-plot`);
const textColour = () => getComputedStyle(document.querySelector('[data-testid="stApp"]')).color;
const isDrawn = (chart) => chart?.on && chart._fullLayout && chart.querySelector(".main-svg");

function outline([role, top, bottom, left, right], text) {
  return {
    type: "rect", xref: "x", yref: "y", layer: "above",
    x0: left - 0.5, x1: right + 0.5, y0: top - 0.5, y1: bottom + 0.5,
    line: { color: bridge.data.colours[role] || text, width: role === "picked" ? 3 : 2 },
  };
}

// The frame of a row has the colour of the text, which on a dark page is as white as many cells: a
// dark line inside it is seen on all of them.
function outlines(cells, text) {
  const frame = outline(cells, text);
  if (cells[0] !== "row") return [frame];
  return [{ ...frame, line: { color: text, width: 4 } },
    { ...frame, name: "inner", line: { color: "#111111", width: 2 } }];
}

function light(key, chart, text) {
  const shapes = bridge.data.lights[key].flatMap((cells) => outlines(cells, text));
  const wanted = JSON.stringify(shapes);
  // Streamlit draws a chart anew when the theme changes, and with that puts the lights out.
  const there = chart.layout.shapes?.length ?? 0;
  if (chart.__lights === wanted && there === shapes.length) return;
  chart.__lights = wanted;
  window.Plotly.relayout(chart, { shapes });
}

// The number in a cell; coloured by row, a chart keeps the numbers themselves beside its colours.
function number(chart, row, column) {
  const { z, customdata } = chart._fullData[0];
  const value = (customdata || z)?.[row]?.[column];
  if (value === undefined) return "";
  if (!Number.isFinite(value)) return "hidden";
  const text = Math.abs(value) >= 1e5 ? value.toExponential(4) : value.toFixed(bridge.data.decimals + 1);
  return text.replace("-", "−");
}

function frame(chart, [top, bottom, left, right], colour, text) {
  const { _size: size, xaxis, yaxis } = chart._fullLayout;
  const box = document.createElement("div");
  box.className = "kin";
  Object.assign(box.style, {
    left: `${size.l + xaxis.d2p(left - 0.5)}px`, width: `${xaxis.d2p(right + 1) - xaxis.d2p(left)}px`,
    top: `${size.t + yaxis.d2p(top - 0.5)}px`, height: `${yaxis.d2p(bottom + 1) - yaxis.d2p(top)}px`,
    outlineColor: colour,
  });
  if (text) box.appendChild(Object.assign(document.createElement("span"), { textContent: text }));
  chart.querySelector(".svg-container").appendChild(box);
}

function showKin(key, row, column) {
  hideKin();
  const { kin, colours, words } = bridge.data;
  const own = chartOf(key);
  if (!(key in kin) || !isDrawn(own)) return;
  const shape = (chart) => [chart._fullData[0].z.length, chart._fullData[0].z[0].length];
  const [n, m] = shape(own);
  const rowOf = (chart, r, colour) => frame(chart, [r, r, 0, shape(chart)[1] - 1], colour);
  const asks = kin[key] === "key_rows" ? null : row;
  const answers = kin[key] === "pairs" ? column : kin[key] === "query_rows" ? null : row;

  if (own._fullData[0].hoverinfo === "none") {
    const name = kin[key] === "pairs" ? `${words[row]} → ${words[column]}` : `${words[row] ?? row + 1}, feature ${column + 1}`;
    frame(own, [row, row, column, column], textColour(), `${name}: ${number(own, row, column)}`);
  }
  for (const [other, its] of Object.entries(kin)) {
    const chart = chartOf(other);
    if (other === key || !isDrawn(chart)) continue;
    const [rows, columns] = shape(chart);
    const alike = rows === n && columns === m && (its === "pairs") === (kin[key] === "pairs");
    if (alike) frame(chart, [row, row, column, column], textColour(), number(chart, row, column));
    else if (kin[key] === "none" || its === "none") continue;
    else if (its === "pairs" && kin[key] === "key_rows") frame(chart, [0, rows - 1, row, row], colours.key);
    else if (its === "pairs" || its === "query_rows") { if (asks !== null) rowOf(chart, asks, colours.query); }
    else if (its === "key_rows") { if (answers !== null) rowOf(chart, answers, colours.key); }
    else {
      if (asks !== null) rowOf(chart, asks, colours.query);
      if (answers !== null && answers !== asks) rowOf(chart, answers, colours.key);
    }
  }
}

function hideKin() {
  for (const box of document.querySelectorAll(".kin")) box.remove();
}

// What scrolls inside itself must be within reach of the keyboard.
function reachable() {
  const table = "[data-testid=stMarkdownContainer]:has(table)";
  const boxes = `.katex-display, .stPlotlyChart, .st-key-arrows_scroll, ${table}`;
  for (const box of document.querySelectorAll(boxes)) {
    const scrolls = box.scrollWidth > box.clientWidth;
    if (scrolls !== (box.tabIndex === 0)) box.tabIndex = scrolls ? 0 : -1;
  }
  // Streamlit calls the place for files mere decoration, and yet names it and lets it be focused.
  const zones = "[data-testid=stFileUploaderDropzone][role=presentation]";
  for (const zone of document.querySelectorAll(zones)) zone.setAttribute("role", "group");
}

function tend() {
  const text = textColour();
  for (const key of bridge.data.charts) {
    const chart = chartOf(key);
    if (!window.Plotly || !isDrawn(chart)) continue;
    if (!chart.__tended) {
      chart.__tended = true;
      chart.on("plotly_click", ({ points: [{ x, y }] }) =>
        bridge.tell("picked", { chart: key, row: y, column: x }));
      chart.on("plotly_hover", ({ points: [{ x, y }] }) => showKin(key, y, x));
      chart.on("plotly_unhover", hideKin);
    }
    if (key in bridge.data.lights) light(key, chart, text);
  }
  clearTimeout(bridge.later);
  bridge.later = setTimeout(quiet, 300);
}

// Once all is quiet. What scrolls is measured, which costs a layout; and a change of theme may show
// in the colour of the text only after the last change of the page.
function quiet() {
  reachable();
  const text = textColour();
  for (const key of Object.keys(bridge.data.lights)) {
    const chart = chartOf(key);
    if (window.Plotly && isDrawn(chart)) light(key, chart, text);
  }
}

// A redraw changes the page hundreds of times; once a frame is enough.
function tendSoon() {
  bridge.frame ??= requestAnimationFrame(() => { bridge.frame = null; tend(); });
}

export default function ({ data, setTriggerValue }) {
  const run = ++bridge.run;
  Object.assign(bridge, { data, tell: setTriggerValue });
  tend();
  if (!bridge.watcher) {
    bridge.watcher = new MutationObserver(tendSoon);
    bridge.watcher.observe(document.body, { childList: true, subtree: true });
  }
  return () => {
    if (run !== bridge.run) return;
    bridge.watcher.disconnect();
    bridge.watcher = null;
    hideKin();
  };
}
