// The page: a row, its labels as bars that can be set on or off, the best sets and the number of labels.

const data = JSON.parse(document.getElementById("data").textContent);
const model = readModel(data.model);
const L = model.labels.length;
const SHOWN_SETS = 8;
const rows = data.rows.map((row) => ({ ...row, x: Array.from(floats(row.x)) }));

const state = { row: 0, x: rows[0].x.slice(), evidence: new Array(L).fill(FREE), trail: [], filter: "" };

function element(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (["width", "height", "left"].includes(name)) node.style[name] = value;
    else node.setAttribute(name, value);
  }
  node.append(...children.filter((child) => child !== null));
  return node;
}

const percent = (p) => (p > 0 && p < 0.001 ? "< 0.1 %" : `${(100 * p).toFixed(1)} %`);
const setName = (set) => model.labels.filter((_, l) => set[l] === 1).join(", ") || "(no labels)";

// --- changes --------------------------------------------------------------------------------------------------------

function remember() {
  state.trail.push({ row: state.row, x: state.x.slice(), evidence: state.evidence.slice() });
}

function cycle(l) {
  remember();
  state.evidence[l] = { [FREE]: 1, 1: 0, 0: FREE }[state.evidence[l]];
  draw();
}

function choose(row) {
  remember();
  state.row = row;
  state.x = rows[row].x.slice();
  draw();
}

function change(j, text) {
  const value = text.trim() === "" ? NaN : Number(text);
  if (Number.isNaN(value) && (text.trim() !== "" || !model.fill)) return;
  remember();
  state.x[j] = value;
  draw();
}

function undo() {
  if (state.trail.length) Object.assign(state, state.trail.pop());
  draw();
}

function reset() {
  remember();
  state.evidence.fill(FREE);
  state.x = rows[state.row].x.slice();
  draw();
}

// --- drawing --------------------------------------------------------------------------------------------------------

function draw() {
  const parts = partsOf(model, state.x);
  const before = ask(parts, new Array(L).fill(FREE));
  const now = ask(parts, state.evidence);
  drawRow();
  drawLabels(before, now);
  drawSets(parts, now);
  drawSizes(now);
  document.getElementById("undo").disabled = !state.trail.length;
}

function drawRow() {
  const picker = document.getElementById("picker");
  picker.replaceChildren(...rows.map((row, i) => element("option", i === state.row ? { value: i, selected: "" } : { value: i }, row.name)));
  const cells = document.getElementById("cells");
  if (data.editable) {
    cells.replaceChildren(
      ...data.features.map((name, j) => {
        const id = `feature-${j}`;
        const shown = Number.isNaN(state.x[j]) ? "" : String(Number(state.x[j].toPrecision(6)));
        const input = element("input", { id, type: "number", step: "any", value: shown, onchange: (event) => change(j, event.target.value) });
        return element("div", { class: "cell" }, element("label", { for: id }, name), input);
      }),
    );
    return;
  }
  const present = data.features.map((name, j) => [name, state.x[j]]).filter(([, value]) => value !== 0);
  present.sort((a, b) => Math.abs(b[1]) - Math.abs(a[1]));
  cells.replaceChildren(...present.slice(0, 60).map(([name, value]) => element("div", { class: "cell" }, element("span", {}, name), element("span", { class: "number" }, value.toPrecision(3)))));
}

const STATES = { [FREE]: ["?", "unknown"], 1: ["on", "known to be on"], 0: ["off", "known to be off"] };

function drawLabels(before, now) {
  const wanted = model.labels.map((_, l) => l).filter((l) => model.labels[l].toLowerCase().includes(state.filter));
  const order = wanted.sort((a, b) => before.marginals[b] - before.marginals[a] || a - b);
  const possible = now.logEvidence > -Infinity;
  const bars = order.map((l) => {
    const p = now.marginals[l];
    const [sign, meaning] = STATES[state.evidence[l]];
    const bar = element("span", { class: "track" }, element("span", { class: "fill", width: `${100 * p}%` }), element("span", { class: "was", left: `${100 * before.marginals[l]}%` }));
    const title = `${model.labels[l]}: ${meaning}. Click to change.`;
    return element(
      "button",
      { class: `label state${state.evidence[l]}`, "data-label": l, title, "aria-label": `${model.labels[l]}, ${meaning}, ${percent(p)}`, onclick: () => cycle(l) },
      element("span", { class: "sign" }, sign),
      element("span", { class: "name" }, model.labels[l]),
      bar,
      element("span", { class: "number" }, possible ? percent(p) : "–"),
    );
  });
  const focused = document.activeElement?.getAttribute?.("data-label");
  document.getElementById("labels").replaceChildren(...bars);
  if (focused !== null && focused !== undefined) document.querySelector(`[data-label="${focused}"]`)?.focus();
  const known = state.evidence.filter((value) => value !== FREE).length;
  const text = known ? `${known} known. Probability of what is known: ${percent(Math.exp(now.logEvidence))}.` : "Click a label: on, off, unknown again.";
  document.getElementById("evidence").textContent = possible ? text : "The model rules this combination out. Undo the last click.";
}

function drawSets(parts, now) {
  const best = topK(parts, state.evidence, SHOWN_SETS, model.min_labels);
  const total = best.logProb.reduce((sum, value) => sum + Math.exp(value), 0);
  const lines = best.sets.map((set, i) => {
    const p = Math.exp(best.logProb[i]);
    return element("li", {}, element("span", { class: "name" }, setName(set)), element("span", { class: "track" }, element("span", { class: "fill", width: `${100 * p}%` })), element("span", { class: "number" }, percent(p)));
  });
  document.getElementById("sets").replaceChildren(...lines);
  const rest = now.logEvidence > -Infinity ? `All other sets together: ${percent(Math.max(0, 1 - total))}.` : "";
  document.getElementById("proof").textContent = `${rest} ${best.certified ? "Proved: no other set is more probable than those listed." : "The search stopped at its budget; a better set may exist."}`;
}

function drawSizes(now) {
  const last = now.sizes.reduce((top, p, s) => (p > 0.0005 ? s : top), 0);
  const top = Math.max(...now.sizes, 1e-12);
  const bars = now.sizes.slice(0, last + 1).map((p, s) => {
    const bar = element("span", { class: "column" }, element("span", { class: "fill", height: `${(100 * p) / top}%` }));
    return element("div", { title: `${s} labels: ${percent(p)}` }, bar, element("span", { class: "number" }, String(s)));
  });
  document.getElementById("sizes").replaceChildren(...bars);
}

document.title = data.title;
document.getElementById("title").textContent = data.title;
document.getElementById("about").textContent = data.about;
document.getElementById("picker").addEventListener("change", (event) => choose(Number(event.target.value)));
document.getElementById("undo").addEventListener("click", undo);
document.getElementById("reset").addEventListener("click", reset);
const search = document.getElementById("search");
search.hidden = L <= 20;
search.addEventListener("input", () => {
  state.filter = search.value.toLowerCase();
  draw();
});
draw();
