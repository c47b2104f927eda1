// Lights cells in the charts and tells which cell was clicked, without redrawing a chart.
//
// A chart is found by its key on the page. Streamlit may replace it at any time, so the page is
// watched. This function runs again for each new state, with no word to the run before it: there is
// one watcher, and it always works from the newest state.
const bridge = (window.__explorerBridge ??= { watcher: null, run: 0 });

const chartOf = (key) => document.querySelector(`.st-key-${key} .js-plotly-plot`);
const textColour = () => getComputedStyle(document.querySelector('[data-testid="stApp"]')).color;

function outline([role, top, bottom, left, right]) {
  return {
    type: "rect", xref: "x", yref: "y", layer: "above",
    x0: left - 0.5, x1: right + 0.5, y0: top - 0.5, y1: bottom + 0.5,
    line: { color: bridge.data.colours[role] || textColour(), width: role === "picked" ? 3 : 2 },
  };
}

function light(key, chart) {
  const shapes = bridge.data.lights[key].map(outline);
  const wanted = JSON.stringify(shapes);
  if (chart.__lights === wanted) return;
  chart.__lights = wanted;
  window.Plotly.relayout(chart, { shapes });
}

function tend() {
  for (const key of bridge.data.charts) {
    const chart = chartOf(key);
    if (!window.Plotly || !chart?.on || !chart._fullLayout || !chart.querySelector(".main-svg")) continue;
    if (!chart.__tended) {
      chart.__tended = true;
      chart.on("plotly_click", ({ points: [{ x, y }] }) =>
        bridge.tell("picked", { chart: key, row: y, column: x }));
    }
    if (key in bridge.data.lights) light(key, chart);
  }
}

export default function ({ data, setTriggerValue }) {
  const run = ++bridge.run;
  Object.assign(bridge, { data, tell: setTriggerValue });
  tend();
  if (!bridge.watcher) {
    bridge.watcher = new MutationObserver(tend);
    bridge.watcher.observe(document.body, { childList: true, subtree: true });
  }
  return () => {
    if (run !== bridge.run) return;
    bridge.watcher.disconnect();
    bridge.watcher = null;
  };
}
