// Which set to answer: the loss, abstention and rules, with what they cost.
import { html, useEffect, useMemo, useState } from "../vendor/preact-htm.js";
import { post, useAnswer } from "../api.js";
import { decisionPython, exploreCommand } from "../code.js";
import { count, figure, percent } from "../format.js";
import { objectOf, replace, routeTo } from "../route.js";
import { Card, Waiting } from "../parts/card.js";
import { Coverage } from "../parts/coverage.js";
import { Rules } from "../parts/rules.js";
import { Chips } from "../parts/sets.js";
import { Toolbar } from "../parts/toolbar.js";

const LOSSES = {
  subset: ["Whole set", "Any wrong label spoils the answer: the most probable set is best."],
  hamming: ["Each label", "Every wrong label counts the same: each label is decided by its own probability."],
  f: ["F-beta", "Overlap of answer and truth. Above 1 a missing label is worse, below 1 a wrong one."],
  jaccard: ["Jaccard", "The share of labels in common."],
  costs: ["Costs", "What a wrong and a missing label cost, for all labels or for some."],
  macro: ["Macro F", "The mean over labels of F, counted over all rows together: rare labels weigh as much as frequent ones."],
  micro: ["Micro F", "F of all labels of all rows pooled: frequent labels weigh most."],
};
// Losses of all rows together: no row has a share of its own, so none can be left out.
const TOGETHER = { macro: "MacroF", micro: "MicroF" };
const BETA = ["f", "macro", "micro"];

// The state of the sliders as a decision of the library.
export function decisionOf(query, names) {
  const loss = query.loss || "subset";
  let decision = { subset: "subset", hamming: "hamming", jaccard: "jaccard" }[loss];
  if (loss === "f") decision = { rule: "FBeta", beta: Number(query.beta || 1) };
  if (loss === "costs") decision = { rule: "Costs", false_positive: Number(query.fp || 1), false_negative: costs(query, names) };
  if (TOGETHER[loss]) decision = { rule: TOGETHER[loss], beta: Number(query.beta || 1) };
  const rules = objectOf(query.rules);
  const plain = decision;
  if (Object.keys(rules).length) decision = { rule: "Constrained", decision, ...rules };
  if (query.sure && !TOGETHER[loss]) decision = { rule: "Abstain", confidence: Number(query.sure), decision };
  return { decision, plain };
}

function costs(query, names) {
  const own = objectOf(query.own);
  const every = Number(query.fn || 1);
  return Object.keys(own).length ? names.map((name) => own[name] ?? every) : every;
}

// A slider asks while it moves, but not for every pixel.
function useSettled(value, wait = 150) {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), wait);
    return () => clearTimeout(timer);
  }, [value]);
  return settled;
}

const Slider = ({ name, value, min, max, step, show, onSet, tip }) => html`<label class="slider"><span data-tip=${tip}>${name}</span>
  <input type="range" min=${min} max=${max} step=${step} value=${value} aria-label=${name} onInput=${(event) => onSet(event.target.value)} /><output>${show ? show(value) : figure(Number(value))}</output></label>`;

function Loss({ query, set, names }) {
  const loss = query.loss || "subset";
  const own = objectOf(query.own);
  return html`<${Card} title="What a mistake costs" tip="loss" name="card-loss">
    <div class="choice" role="radiogroup" aria-label="Loss">${Object.entries(LOSSES).map(([id, [name]]) => html`<button type="button" key=${id} role="radio" aria-checked=${id === loss}
      class=${id === loss ? "chosen" : ""} onClick=${() => set({ loss: id === "subset" ? "" : id, sure: "" })}>${name}</button>`)}</div>
    <p class="soft">${LOSSES[loss][1]}</p>
    ${BETA.includes(loss) && html`<${Slider} name="beta" tip="beta" min="0.25" max="4" step="0.25" value=${query.beta || 1} onSet=${(beta) => set({ beta })} />`}
    ${loss === "costs" && html`
      <${Slider} name="a wrong label costs" tip="costs" min="0.1" max="10" step="0.1" value=${query.fp || 1} onSet=${(fp) => set({ fp })} />
      <${Slider} name="a missing label costs" tip="costs" min="0.1" max="10" step="0.1" value=${query.fn || 1} onSet=${(fn) => set({ fn })} />
      ${Object.entries(own).map(([name, value]) => html`<${Slider} key=${name} name=${`missing ${name}`} tip="costs" min="0.1" max="50" step="0.1" value=${value} onSet=${(next) => set({ own: JSON.stringify({ ...own, [name]: Number(next) }) })} />`)}
      <p><select aria-label="A label with a cost of its own" value="" onChange=${(event) => event.target.value && set({ own: JSON.stringify({ ...own, [event.target.value]: 5 }) })}>
        <option value="">a label with a cost of its own ...</option>${names.filter((name) => !(name in own)).map((name) => html`<option key=${name} value=${name}>${name}</option>`)}</select>
        ${Object.keys(own).length > 0 && html` <button type="button" class="quiet" onClick=${() => set({ own: "" })}>same for all</button>`}</p>`}
  <//>`;
}

const Interval = ({ value, show = (x) => x.toFixed(4) }) =>
  value.mean == null ? html`-` : html`${show(value.mean)} <span class="soft">${value.low == null ? "" : `${show(value.low)} to ${show(value.high)}`}</span>`;

function Result({ answer, constrained }) {
  return html`<dl class="figures">
    <div data-tip="expected-loss" tabindex="0"><dt>expected loss</dt><dd id="expected-loss" data-value=${answer.expected.mean}><${Interval} value=${answer.expected} /></dd></div>
    <div data-tip="measured-loss" tabindex="0"><dt>measured loss</dt><dd id="measured-loss" data-value=${answer.measured.mean}><${Interval} value=${answer.measured} /></dd></div>
    <div data-tip="answered" tabindex="0"><dt>rows answered</dt><dd id="answered" data-value=${answer.answered}>${percent(answer.answered)}</dd></div>
    <div data-tip="answer-size" tabindex="0"><dt>labels per answer</dt><dd>${answer.sizes == null ? "-" : answer.sizes.toFixed(2)}</dd></div>
    ${Object.entries(answer.scores).map(([name, value]) => html`<div key=${name} data-tip="answer-scores" tabindex="0"><dt>${name}</dt><dd>${value == null ? "-" : value.toFixed(4)}</dd></div>`)}
    ${constrained && html`<div data-tip="price" tabindex="0"><dt>price of the rules</dt><dd id="price"><${Interval} value=${answer.price} /></dd></div>`}
  </dl><p class="note">Measured on ${count(answer.rows)}${answer.rows < answer.of ? ` of ${count(answer.of)}` : ""} rows by models that have not seen them; ranges are 95 % intervals.</p>`;
}

const Changed = ({ answer, names }) => (answer.examples.length === 0 ? html`<p class="unavailable">The same answers as for the most probable set.</p>` : html`<div class="scroll tall"><table class="changed"><thead><tr><th>row</th><th>given</th><th>answer, changed from the plain one</th></tr></thead>
  <tbody>${answer.examples.map((one) => html`<tr key=${one.row}><td><a href=${routeTo("row", { row: one.row })}>${one.row}</a></td><td><${Chips} labels=${one.given} names=${names} /></td>
    <td>${one.after == null ? html`<span class="chip none">no answer</span>` : html`<${Chips} labels=${one.after} names=${names} against=${one.before} />`}</td></tr>`)}</tbody></table></div>`);

export function DecisionsView({ session, query, jobs }) {
  const names = session.labels;
  const model = Number(query.m || 0);
  const ready = jobs.find((job) => job.name === `judge ${model}`)?.state === "done";
  const set = (more) => replace("decisions", { ...query, ...more });
  const settled = useSettled(JSON.stringify(query));
  const asked = useMemo(() => JSON.parse(settled), [settled]);
  const { decision } = useMemo(() => decisionOf(asked, names), [asked]);
  const rules = objectOf(query.rules);
  const constrained = Object.keys(objectOf(asked.rules)).length > 0;
  const plain = constrained || asked.sure ? decisionOf({ ...asked, rules: "", sure: "" }, names).decision : "subset";
  const together = TOGETHER[asked.loss] != null;
  const found = useAnswer(() => (ready ? post("decisions", { decision, plain, model }) : null), [ready, settled, model]);
  const curve = useAnswer(() => (ready && !together ? post("coverage", { decision: decisionOf({ ...asked, sure: "", rules: "" }, names).decision, model }) : null), [ready, JSON.stringify([asked.loss, asked.beta, asked.fp, asked.fn, asked.own]), model]);
  if (!session.journal) return html`<div class="main"><p class="unavailable">The rows have no labels, so no loss can be measured.</p></div>`;
  const csv = () => [["row", "given", "before", "answer", "expected loss"], ...found.data.examples.map((one) => [one.row, ...[one.given, one.before, one.after].map((labels) => (labels || []).map((j) => names[j]).join("; ")), one.expected])];
  return html`<div class="main">
    <div class="heading"><h1>Decisions</h1>
      ${session.models.length > 1 && html`<label>Model <select value=${model} onChange=${(event) => set({ m: event.target.value })}>${session.models.map((one, place) => html`<option value=${place}>${one.name} (${one.kind})</option>`)}</select></label>`}
      ${found.loading && ready && html`<span class="soft" role="status">computing ...</span>`}
      <${Toolbar} name="decisions" python=${() => decisionPython(session, decision, model)} command=${() => exploreCommand(session)} csv=${found.data && csv} /></div>
    ${found.error && html`<p class="problem" role="alert">${found.error.message}</p>`}
    <div class="cards">
      <div class="column"><${Loss} query=${query} set=${set} names=${names} /><${Rules} rules=${rules} names=${names} onSet=${(next) => set({ rules: Object.keys(next).length ? JSON.stringify(next) : "" })} /></div>
      <div class="column"><${Card} title="What it brings" tip="expected-loss" name="card-result">${found.data ? html`<${Result} answer=${found.data} constrained=${constrained} />` : html`<${Waiting} error=${found.error} what=${ready ? "computing ..." : "waiting for the held-out models"} />`}<//>
        <${Card} title="Answer only when sure" tip="abstain" name="card-coverage">${together ? html`<p class="unavailable">This loss is one of all rows together: no row has a share of its own, so none can be left out.</p>` : curve.data ? html`<${Coverage} answer=${curve.data} sure=${query.sure} onSet=${(sure) => set({ sure })} />` : html`<${Waiting} error=${curve.error} />`}<//></div>
      <${Card} title=${`Answers that change${found.data ? `: ${count(found.data.changed)}` : ""}`} tip="changed" name="card-changed">${found.data ? html`<${Changed} answer=${found.data} names=${names} />` : html`<${Waiting} />`}<//>
    </div></div>`;
}
