// Draws the charts and changes them in place, lights their cells, shows the kin of the cell that is
// pointed at, and tells which cell was clicked.
//
// Streamlit would take a chart off the page and mount a new one for every change. Here a chart keeps
// its element for as long as its place on the page is there, and Plotly redraws inside it. Plotly is
// the copy that Streamlit brings along; it is at hand once Streamlit's own chart has asked for it.

const PATIENCE = engine.patience ?? 10_000; // milliseconds for Plotly to arrive
const MOST_TO_FLASH = 20_000; // cells

const charts = new Map(); // by name: what `mount` makes, what is wanted and what is drawn
const places = new Map(); // by chart: the elements it may stand in, the newest last
const calls = new WeakMap(); // how often the chart in this element was asked for
const figures = new Map(); // by chart: the last figure that came, and its hash
const UNLIT = { lights: {}, kin: {}, words: [], colours: {}, decimals: 3, tell: () => {} };
let page = UNLIT;
let pointed = null; // { name, row, column }: the cell under the pointer
const justDrawn = new Set(); // the charts drawn since the last frame
let frame = null; // the next one, if something waits for it
const born = performance.now();

// From the server

// Streamlit calls this for every new state, and what it returns when the chart leaves the page; or at
// once, if the next state has come meanwhile. A step that comes or goes gives the charts after it other
// places: for a while a chart may have two, in any order. It is moved, not made anew, and when one
// place goes it stands in the other.
function draw({ data: [given], parentElement, setTriggerValue }) {
  const { name, hash, since, alt, config, figure } = given;
  const call = (calls.get(parentElement) ?? 0) + 1;
  calls.set(parentElement, call);
  const others = () => (places.get(name) ?? []).filter((place) => place !== parentElement);
  places.set(name, [...others(), parentElement]);
  const leave = () => {
    if (calls.get(parentElement) !== call) return;
    places.set(name, others());
    settle(name);
  };
  // An older state may come after a newer one, in a place that is about to go.
  const known = figures.get(name);
  if (known?.since > since) {
    if (charts.has(name)) settle(name);
    return leave;
  }
  if (figure) figures.set(name, { hash, since, figure });
  if (figures.get(name)?.hash !== hash) {
    // The run that sent it was broken off. The run that is asked for may be, too: it is asked again.
    const isMissing = () => calls.get(parentElement) === call && parentElement.isConnected;
    const ask = () => {
      if (!isMissing()) return;
      setTriggerValue("missing", true);
      setTimeout(ask, 1000);
    };
    ask();
    return leave;
  }
  const chart = charts.get(name) ?? mount(name);
  settle(name);
  chart.box.setAttribute("aria-label", alt);
  chart.wanted = `${hash} ${JSON.stringify(config)}`;
  chart.config = config;
  chart.giveUp = () => setTriggerValue("plain", true);
  chart.box.toggleAttribute("data-waiting", chart.wanted !== chart.drawn);
  if (justDrawn.has(chart)) soon();
  else drawNow([chart]); // also where only the theme is another
  return leave;
}

// Put a chart into the newest of its places, or take it off the page when none has come for a while.
function settle(name) {
  const chart = charts.get(name);
  const place = places.get(name).at(-1);
  if (!chart) return;
  if (!place) setTimeout(() => places.get(name).length || unmount(name), 500);
  else if (chart.box.parentElement !== place) {
    place.append(chart.box);
    soon();
  }
}

function light({ data: [given], setTriggerValue }) {
  const mine = { ...given, tell: setTriggerValue };
  page = mine;
  showAllLights();
  // Another view must not be read by the last one's rules.
  return () => {
    if (page !== mine) return;
    page = { ...UNLIT, decimals: mine.decimals };
    showAllLights();
  };
}

function mount(name) {
  const box = element("chart");
  const sheet = element("sheet", box);
  const [plot, ...layers] = ["plot", "words", "flash", "lights", "kin"].map((part) => element(part, sheet));
  const chart = { name, box, sheet, plot, layers: Object.fromEntries(layers.map((e) => [e.className, e])) };
  box.setAttribute("role", "figure");
  charts.set(name, chart);
  chart.resized = new ResizeObserver(() => {
    if (chart.drawn && !chart.figure.layout.width && box.clientWidth !== chart.width) soon();
  });
  chart.resized.observe(box);
  return chart;
}

function unmount(name) {
  const chart = charts.get(name);
  if (!chart) return;
  charts.delete(name);
  chart.resized.disconnect();
  window.Plotly?.purge(chart.plot);
  chart.box.remove();
}

function element(className, parent) {
  const made = Object.assign(document.createElement("div"), { className });
  parent?.append(made);
  return made;
}

// Drawing

// A new state is drawn at once, before the rest of the page. One that comes after it and before the
// next frame waits for the frame: of several states of a chart, the newest is drawn.
function soon() {
  frame ??= requestAnimationFrame(() => {
    frame = null;
    drawNow([...charts.values()]);
  });
}

function drawNow(some) {
  if (!window.Plotly) {
    if (performance.now() - born < PATIENCE) setTimeout(soon, 30);
    else for (const chart of charts.values()) chart.giveUp();
    return;
  }
  const held = pointed;
  const seen = some.filter(({ box }) => box.isConnected);
  const theme = themeNow(seen[0]);
  for (const chart of seen) redraw(chart, theme);
  pointed = held; // a redraw tells that the pointer has left, and it has not
  showAllLights(seen);
  for (const chart of seen) justDrawn.add(chart);
  requestAnimationFrame(() => justDrawn.clear());
}

// The theme as text, to be compared: colour of the text, colour behind it, font.
function themeNow(chart) {
  if (!chart) return "";
  const style = getComputedStyle(chart.box);
  const [text, background] = ["text", "background"].map((name) => style.getPropertyValue(`--st-${name}-color`));
  return [text, background, style.fontFamily].join("|");
}

function redraw(chart, theme) {
  const { box, plot, wanted, config } = chart;
  const fresh = chart.drawn !== wanted;
  box.toggleAttribute("data-waiting", fresh);
  if (fresh) chart.figure = JSON.parse(figures.get(chart.name).figure);
  const { data, layout } = chart.figure;
  const width = layout.width ?? box.clientWidth;
  if (!width || (!fresh && chart.theme === theme && chart.width === width)) return;
  const before = fresh && plot._fullData?.[0]?.z;
  const [color, background, family] = theme.split("|");
  Object.assign(chart, { drawn: wanted, theme, width });
  Object.assign(chart.sheet.style, { width: `${width}px`, height: `${layout.height}px` });
  if (fresh) chart.names = namesOf(data[0]);
  const written = isWritten(chart);
  const blank = written ? { xaxis: { ...layout.xaxis, visible: false }, yaxis: { ...layout.yaxis, visible: false } } : {};
  window.Plotly.react(plot, data.map((trace) => silent(written ? wordless(trace) : trace)), {
    ...layout,
    ...blank,
    width,
    font: { family, color, ...layout.font },
    paper_bgcolor: background,
    plot_bgcolor: background,
    hoverlabel: { bgcolor: background, bordercolor: "rgba(128, 128, 128, 0.5)", font: { family, color, size: 12 } },
  }, config);
  if (written) write(chart);
  else chart.layers.words.replaceChildren();
  if (!chart.heard) listen(chart);
  if (before) flash(chart, before);
  box.removeAttribute("data-waiting");
}

// Plotly's own label covers the cells around. Its text is kept, and shown above or below the row.
const silent = (trace) => (trace.type === "heatmap"
  ? { ...trace, hoverinfo: "none", hovertemplate: undefined, hovertext: undefined } : trace);

// Plotly lays out every text for itself, which takes longer than all else in a chart. Where it need not
// find out what to write and where, the texts are written here, in one go; not in a chart that is to be
// saved as a picture.
const isWritten = ({ figure: { layout }, config }) => !config.displayModeBar && [layout.xaxis, layout.yaxis].every(
  ({ visible, range, tickmode, showgrid, title }) =>
    range && (visible === false || (tickmode === "array" && showgrid === false && !title)),
);

const wordless = (trace) => (trace.mode === "text" ? { ...trace, mode: "none", text: undefined }
  : trace.texttemplate ? { ...trace, text: undefined, texttemplate: undefined } : trace);

const ANCHORS = { "middle left": "end", "middle right": "start" };
const ENTITIES = { amp: "&", lt: "<", gt: ">", "#36": "$" };
const PAD = 3; // between a tick and its label

function write(chart) {
  const { data, layout: { height, margin, font, xaxis, yaxis } } = chart.figure;
  const sheet = svg("svg", { width: chart.width, height });
  const put = (marked, [x, y], className, size, more = {}) => {
    const word = svg("text", { x, y, class: className, "font-size": size ?? font?.size ?? 12, ...more });
    const [, tags] = marked.match(/^((?:<[^>]*>)*)/);
    if (tags.includes("<b>")) word.style.fontWeight = "bold";
    if (tags.includes("<i>")) word.style.fontStyle = "italic";
    const [, colour] = tags.match(/color:(#\w+)/) ?? [];
    if (colour) word.style.fill = colour;
    word.textContent = marked.replace(/<[^>]*>/g, "").replace(/&([\w#]+);/g, (all, name) => ENTITIES[name] ?? all);
    sheet.append(word);
  };
  const length = ({ ticks, ticklen }) => (ticks ? ticklen ?? 5 : 0) + PAD;
  if (xaxis.visible !== false) {
    xaxis.tickvals.forEach((at, n) => {
      const [x] = spot(chart, 0, at);
      const y = xaxis.side === "top" ? margin.t - length(xaxis) : height - margin.b + length(xaxis);
      const isUpright = xaxis.tickangle === -90;
      const side = isUpright ? "upright" : xaxis.side === "top" ? "above" : "below";
      const turn = isUpright ? { transform: `rotate(-90 ${x} ${y})` } : {};
      put(xaxis.ticktext[n], [x, y], `x ${side}`, xaxis.tickfont?.size, turn);
    });
  }
  if (yaxis.visible !== false) {
    yaxis.tickvals.forEach((at, n) => {
      const [, y] = spot(chart, at, 0);
      put(yaxis.ticktext[n], [margin.l - length(yaxis), y], "y", yaxis.tickfont?.size);
    });
  }
  for (const { mode, x, y, text, texttemplate, textposition, textfont } of data) {
    const style = { "text-anchor": ANCHORS[textposition] ?? "middle" };
    if (mode === "text") text.forEach((word, n) => put(word, spot(chart, y[n], x[n]), "word", textfont.size, style));
    if (!texttemplate) continue;
    text.forEach((row, i) => row.forEach((digits, j) =>
      put(digits, spot(chart, i, j), "cell", textfont.size, { ...style, style: `fill: ${textfont.color}` })));
  }
  chart.layers.words.replaceChildren(sheet);
}

function svg(name, attributes) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  return made;
}

const namesOf = ({ type, hovertemplate, hovertext }) =>
  type === "heatmap" && hovertemplate ? { form: hovertemplate.split(": %{")[0], hovertext } : null;

const plain = (html) => new DOMParser().parseFromString(html, "text/html").documentElement.textContent;

function nameOf(chart, row, column) {
  const { names, figure: { layout: { xaxis, yaxis } } } = chart;
  const [down, across] = isTurned(chart.name) ? [column, row] : [row, column];
  if (!names) {
    const { kin, words } = page;
    return kin[chart.name] === "pairs" ? `${words[row]} → ${words[column]}`
      : `${words[row] ?? row + 1}, feature ${column + 1}`;
  }
  if (names.hovertext) return plain(names.hovertext[down][across]);
  // In one go: a word may hold such a sign itself.
  return plain(names.form.replace(/%\{([xy])\}/g, (_, axis) => (axis === "y" ? yaxis.ticktext[down] : xaxis.ticktext[across])));
}

// Where words are drawn as columns, only the drawing is transposed: rows are words here all the same.
const isTurned = (name) => page.turned && name !== "arrows" && name !== "heads";

function listen(chart) {
  const { name, plot } = chart;
  chart.heard = true;
  plot.on("plotly_click", ({ points: [{ x, y }] }) => {
    const [row, column] = isTurned(name) ? [x, y] : [y, x];
    page.tell("picked", { chart: name, row, column });
  });
  plot.on("plotly_hover", ({ points: [{ x, y }] }) => {
    const [row, column] = isTurned(name) ? [x, y] : [y, x];
    pointed = { name, row, column };
    showKin();
  });
  plot.on("plotly_unhover", () => {
    pointed = null;
    hideKin();
  });
}

// What the pointer says goes on being said after a redraw, with the new numbers.
function point() {
  const chart = charts.get(pointed.name);
  const [rows, columns] = chart ? shape(chart) : [0, 0];
  if (pointed.row < rows && pointed.column < columns) showKin();
  else {
    pointed = null;
    hideKin();
  }
}

// Layers over the drawing

// Where a place on both axes lies in its chart, in pixels from the left and from the top.
function spot(chart, row, column) {
  const { margin: { l, r, t, b }, height, xaxis, yaxis } = chart.figure.layout;
  const along = (value, [from, to], size) => ((value - from) / (to - from)) * size;
  return [l + along(column, xaxis.range, chart.width - l - r), height - b - along(row, yaxis.range, height - t - b)];
}

// The edges of a block of cells.
function place(chart, [first, last, from, to]) {
  const [[left, top], [right, bottom]] = [spot(chart, first - 0.5, from - 0.5), spot(chart, last + 0.5, to + 0.5)];
  return { left, top, right, bottom };
}

function outline(chart, [top_, bottom_, left_, right_], layer, className) {
  const cells = isTurned(chart.name) ? [left_, right_, top_, bottom_] : [top_, bottom_, left_, right_];
  const { left, top, right, bottom } = place(chart, cells);
  const box = element(className, chart.layers[layer]);
  Object.assign(box.style, {
    left: `${left}px`, top: `${top}px`, width: `${right - left}px`, height: `${bottom - top}px`,
  });
  return box;
}

function showAllLights(some = charts.values()) {
  for (const chart of some) showLights(chart);
  if (pointed) point();
}

function showLights(chart) {
  const lit = page.lights[chart.name] ?? [];
  if (!chart.drawn) return;
  const { height, margin, xaxis, yaxis } = chart.figure.layout;
  const wanted = JSON.stringify([lit, chart.width, height, margin, xaxis.range, yaxis.range, page.turned]);
  if (chart.lit === wanted) return;
  chart.lit = wanted;
  chart.layers.lights.replaceChildren();
  for (const [role, ...cells] of lit) {
    const box = outline(chart, cells, "lights", role);
    box.classList.toggle("thin", box.offsetHeight < 14);
    box.dataset.cells = JSON.stringify(cells);
    if (page.colours[role]) box.style.color = page.colours[role];
  }
}

// Numbers that changed light up once and softly, so that the eye finds them.
function flash(chart, before) {
  const { flash: layer } = chart.layers;
  layer.replaceChildren();
  const now = chart.plot._fullData[0].z;
  if (!now || matchMedia("(prefers-reduced-motion: reduce)").matches) return;
  const [rows, columns] = [now.length, now[0].length];
  if (before.length !== rows || before[0].length !== columns || rows * columns > MOST_TO_FLASH) return;
  let path = "";
  for (let row = 0; row < rows; row++) {
    for (let column = 0; column < columns; column++) {
      const first = column;
      while (column < columns && !Object.is(before[row][column], now[row][column])) column++;
      if (column === first) continue;
      const { left, top, right, bottom } = place(chart, [row, row, first, column - 1]);
      path += `M${left},${top}H${right}V${bottom}H${left}Z`;
    }
  }
  if (!path) return;
  layer.innerHTML = `<svg width="${chart.width}" height="${chart.figure.layout.height}"><path d="${path}"/></svg>`;
  layer.firstChild.addEventListener("animationend", () => layer.replaceChildren());
}

// The pointer's kin

const shape = (chart) => {
  const z = chart.plot._fullData?.[0]?.z;
  if (!z) return [0, 0];
  return isTurned(chart.name) ? [z[0].length, z.length] : [z.length, z[0].length];
};

// The number in a cell; coloured by row, a chart keeps the numbers themselves beside its colours.
function number(chart, row, column) {
  const { z, customdata } = chart.plot._fullData[0];
  const [i, j] = isTurned(chart.name) ? [column, row] : [row, column];
  const value = (customdata || z)?.[i]?.[j];
  if (value === undefined) return "";
  // What is hidden, and what is no number, has a trace of its own over the numbers.
  const over = chart.plot._fullData.slice(1).find(({ z: cells }) => Number.isFinite(cells?.[i]?.[j]));
  if (!Number.isFinite(value)) return over?.name === "NaN" ? "NaN" : "hidden";
  const text = Math.abs(value) >= 1e5 ? value.toExponential(4) : value.toFixed(page.decimals + 1);
  return text.replace("-", "−");
}

function relative(chart, cells, colour, text) {
  const box = outline(chart, cells, "kin", "");
  box.style.color = colour ?? "";
  if (!text) return;
  const label = box.appendChild(Object.assign(document.createElement("span"), { textContent: text }));
  // Whole, and inside what is seen of the chart, which may scroll: above the cell, else below it.
  const { scrollLeft: from, clientWidth: wide } = chart.box;
  label.style.maxWidth = `${wide}px`;
  const { offsetWidth: width, offsetHeight: height } = label;
  const { offsetTop: top, offsetHeight: cell } = box;
  const under = top + cell + 4;
  const y = top >= height + 4 ? top - height - 4 : under + height <= chart.sheet.offsetHeight ? under : Math.max(top - height, 0);
  const x = Math.max(Math.min(box.offsetLeft + (box.offsetWidth - width) / 2, from + wide - width), from);
  Object.assign(label.style, { left: `${x - box.offsetLeft}px`, top: `${y - top}px` });
}

function showKin() {
  hideKin();
  const { name, row, column } = pointed;
  const { kin, colours, words } = page;
  const own = charts.get(name);
  if (!own || !shape(own)[0]) return;
  if (own.figure.data[0].hovertemplate || name in kin) {
    relative(own, [row, row, column, column], null, `${nameOf(own, row, column)}: ${number(own, row, column)}`);
  }
  if (!(name in kin)) return;
  const [n, m] = shape(own);
  const rowOf = (chart, r, colour) => relative(chart, [r, r, 0, shape(chart)[1] - 1], colour);
  const asks = kin[name] === "key_rows" ? null : row;
  const answers = kin[name] === "pairs" ? column : kin[name] === "query_rows" ? null : row;

  for (const [other, its] of Object.entries(kin)) {
    const chart = charts.get(other);
    if (other === name || !chart?.drawn) continue;
    const [rows, columns] = shape(chart);
    const alike = kin[name] !== "none" && rows === n && columns === m
      && (its === "pairs") === (kin[name] === "pairs");
    if (alike) relative(chart, [row, row, column, column], null, number(chart, row, column));
    else if (kin[name] === "none" || its === "none") continue;
    else if (its === "pairs" && kin[name] === "key_rows") relative(chart, [0, rows - 1, row, row], colours.key);
    else if (its === "pairs" || its === "query_rows") { if (asks !== null) rowOf(chart, asks, colours.query); }
    else if (its === "key_rows") { if (answers !== null) rowOf(chart, answers, colours.key); }
    else {
      if (asks !== null) rowOf(chart, asks, colours.query);
      if (answers !== null && answers !== asks) rowOf(chart, answers, colours.key);
    }
  }
}

function hideKin() {
  for (const { layers } of charts.values()) layers.kin.replaceChildren();
}

// What scrolls inside itself must be within reach of the keyboard. Looked at once all is quiet,
// because measuring costs a layout.
function reachable() {
  const table = "[data-testid=stMarkdownContainer]:has(table)";
  for (const box of document.querySelectorAll(`.katex-display, .chart, .st-key-arrows_scroll, ${table}`)) {
    const scrolls = box.scrollWidth > box.clientWidth;
    if (scrolls !== (box.tabIndex === 0)) box.tabIndex = scrolls ? 0 : -1;
  }
  // Streamlit calls the place for files mere decoration, and yet names it and lets it be focused.
  const zones = "[data-testid=stFileUploaderDropzone][role=presentation]";
  for (const zone of document.querySelectorAll(zones)) zone.setAttribute("role", "group");
}

let quiet = null;
new MutationObserver(() => {
  clearTimeout(quiet);
  quiet = setTimeout(reachable, 300);
}).observe(document.body, { childList: true, subtree: true });

document.head.appendChild(document.createElement("style")).textContent = CSS_TEXT;
Object.assign(engine, { draw, light });
for (const go of engine.waiting) go();
export default () => {};
