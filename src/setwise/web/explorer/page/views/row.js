// One row: what the model expects, and how that moves with what is known.
import { html, useMemo } from "../vendor/preact-htm.js";
import { get, post, useAnswer } from "../api.js";
import { exploreCommand, rowPython } from "../code.js";
import { percent, setText } from "../format.js";
import { go, numbersOf, objectOf } from "../route.js";
import { Card, Unavailable, Waiting } from "../parts/card.js";
import { Cells } from "../parts/cells.js";
import { Components } from "../parts/components.js";
import { Labels } from "../parts/labels.js";
import { RowList } from "../parts/rowlist.js";
import { Ladder } from "../parts/sets.js";
import { Sizes } from "../parts/sizes.js";
import { Toolbar } from "../parts/toolbar.js";
import { Tree } from "../parts/tree.js";
import { Why } from "../parts/why.js";

function evidenceOf(query) {
  const known = {};
  for (const j of numbersOf(query.on)) known[j] = 1;
  for (const j of numbersOf(query.off)) known[j] = 0;
  return known;
}

// The labels said to be on or off, in the order in which they were said.
const side = (evidence, value) => Object.keys(evidence).filter((j) => evidence[j] === value).join(",");

function Trail({ evidence, changes, names, probability, onSet, onChange, onClear }) {
  const labels = Object.keys(evidence);
  const columns = Object.keys(changes);
  if (!labels.length && !columns.length) return null;
  return html`<p class="trail" aria-label="What you said">
    <span>Given that</span>
    ${labels.map((j) => html`<button type="button" key=${j} class=${evidence[j] ? "known-on" : "known-off"} onClick=${() => onSet(j, null)}
      title="Take back">${names[j]} is ${evidence[j] ? "on" : "off"} ×</button>`)}
    ${columns.map((name) => html`<button type="button" key=${`c${name}`} onClick=${() => onChange(name, undefined)} title="Take back">${name} = ${String(changes[name]).slice(0, 20)} ×</button>`)}
    ${labels.length > 0 && probability != null && html`<span data-tip="evidence" tabindex="0">(probability ${percent(probability)})</span>`}
    <button type="button" class="quiet" onClick=${() => history.back()}>Undo last step</button>
    <button type="button" class="quiet" onClick=${onClear}>Clear all</button>
  </p>`;
}

function Question({ question, names, onSet }) {
  if (!question) return html`<p class="unavailable">Nothing is left to ask.</p>`;
  return html`<p class="question" data-label=${question.label}>Ask about <b>${names[question.label]}</b>: it is worth ${question.gain.toFixed(2)} bits, and
    the best set would go from ${percent(question.now)} to about <b>${percent(question.then)}</b>.</p>
    <p class="buttons"><button type="button" onClick=${() => onSet(question.label, 1)}>It is on</button>
    <button type="button" onClick=${() => onSet(question.label, 0)}>It is off</button></p>`;
}

const Part = ({ answer, error, show }) => (answer == null ? html`<${Waiting} error=${error} />` : answer.unavailable ? html`<${Unavailable} answer=${answer} />` : show(answer));

export function RowView({ session, query }) {
  const row = Number(query.row || 0);
  const model = Number(query.m || 0);
  const names = session.labels;
  const evidence = useMemo(() => evidenceOf(query), [query.on, query.off]);
  const changes = useMemo(() => objectOf(query.changes), [query.changes]);
  const described = useAnswer(() => get(`row/${row}`), [row]);
  const asked = { row, model, evidence, changes };
  const state = [row, model, query.on, query.off, query.changes];
  // bars and sets first; what takes longer follows
  const quick = useAnswer(() => post("row", { ...asked, parts: ["labels", "sets"] }), state);
  const slow = useAnswer(() => (quick.data ? post("row", { ...asked, parts: ["question", "structure", "components"] }) : null), [quick.data]);
  const to = (more) => go("row", { ...query, ...more });
  const onSet = (label, value) => {
    const next = { ...evidence };
    delete next[label];
    if (value != null) next[label] = value;
    to({ on: side(next, 1), off: side(next, 0) });
  };
  const onChange = (name, value) => {
    const next = { ...changes, [name]: value };
    if (value === undefined) delete next[name];
    to({ changes: Object.keys(next).length ? JSON.stringify(next) : "" });
  };
  const choose = (next) => to({ row: next, on: "", off: "", changes: "" });
  const { labels, sets } = quick.data || {};
  // a label that was clicked, else the set that was clicked, else the best set
  const label = query.why?.startsWith("label") ? Number(query.why.slice(5)) : null;
  const chosen = query.why?.startsWith("set") ? numbersOf(query.why.slice(3)) : sets?.sets?.[0];
  const why = useAnswer(() => (label != null || chosen ? post("why", { ...asked, label, labels: label == null ? chosen : null }) : null), [...state, query.why, label == null && chosen?.join()]);
  const { question, structure, components } = slow.data || {};
  const given = described.data?.given;
  const csv = () => [["label", "probability before", "probability", "given"], ...names.map((name, j) => [name, labels.before[j], labels.after[j], given ? Number(given.includes(j)) : ""])];
  // drawn again only when what they show has changed: hundreds of labels take long to compare
  const probabilities = useMemo(() => html`<${Card} title="Labels" tip="labels" name="card-labels">
            <${Part} answer=${labels} show=${(answer) => html`<${Labels} names=${names} answer=${answer} evidence=${evidence} given=${given} unknown=${described.data?.unknown} onSet=${onSet} picked=${label} onPick=${(j) => to({ why: label === j ? "" : `label${j}` })} />`} />
          <//>
          <${Card} title="Number of labels" tip="sizes" name="card-sizes">
            <${Part} answer=${labels} show=${(answer) => html`<${Sizes} sizes=${answer.sizes} given=${given?.length} />`} />
          <//>`, [query, described.data, quick.data, names]);
  const links = useMemo(() => html`<${Card} title="Links between labels" tip="structure" name="card-tree">
            ${labels && !labels.unavailable ? html`<${Part} answer=${structure} error=${slow.error} show=${(answer) => html`<${Tree} structure=${answer} names=${names} after=${labels.after} evidence=${evidence} onSet=${onSet} />`} />` : html`<${Waiting} />`}
          <//>`, [query, quick.data, slow.data, slow.error, names]);
  const panel = useMemo(() => components && (components.unavailable || components.length > 0) && html`<${Card} title="What each component says" tip="components" name="card-components">
            <${Part} answer=${components} show=${(answer) => html`<${Components} components=${answer} names=${names} />`} />
          <//>`, [components, names]);
  const cards = useMemo(() => html`<div class="cards">
        <div class="column">${probabilities}${links}</div>
        <div class="column">
          <${Card} title="Best sets" tip="sets" name="card-sets">
            <${Part} answer=${sets} show=${(answer) => html`<${Ladder} answer=${answer} names=${names} given=${given} cut=${answer.cut} onPick=${(set) => to({ why: `set${set.join()}` })} />`} />
          <//>
          <${Card} title="What to ask next" tip="question" name="card-question">
            ${slow.data ? html`<${Part} answer=${question ?? false} show=${() => html`<${Question} question=${question} names=${names} onSet=${onSet} />`} />` : html`<${Waiting} error=${slow.error} />`}
          <//>
        </div>
        <div class="column">
          <${Card} title="The row" tip="values" name="card-cells">
            ${described.data ? html`<${Cells} cells=${described.data.cells} changes=${changes} onChange=${onChange} />` : html`<${Waiting} />`}
          <//>
          <${Card} title=${`Why ${label != null ? names[label] : chosen ? setText(chosen, names, 4) : ""}?`} tip="explain" name="card-why">
            <${Part} answer=${why.data} error=${why.error} show=${(answer) => html`<${Why} answer=${answer} />`} />
          <//>
          ${panel}
        </div>
      </div>`, [query, described.data, quick.data, slow.data, slow.error, why.data, why.error, names]);
  return html`
    <${RowList} session=${session} query=${query} row=${row} onChoose=${choose} />
    <div class="main">
      <div class="heading">
        <h1>Row ${row}</h1>
        ${session.models.length > 1 && html`<label>Model <select value=${model} onChange=${(event) => to({ m: event.target.value })}>
          ${session.models.map((one, place) => html`<option value=${place}>${one.name} (${one.kind})</option>`)}</select></label>`}
        ${session.models.length === 1 && html`<span class="soft">${session.models[0].kind}</span>`}
        <${Toolbar} name=${`row-${row}`} python=${() => rowPython(session, asked)} command=${() => exploreCommand(session)} csv=${labels && csv} />
      </div>
      ${(quick.error || described.error) && html`<p class="problem" role="alert">${(quick.error || described.error).message}</p>`}
      <${Trail} probability=${typeof labels?.evidence_probability === "number" ? labels.evidence_probability : null} evidence=${evidence} changes=${changes} names=${names} onSet=${onSet} onChange=${onChange} onClear=${() => to({ on: "", off: "", changes: "" })} />
      ${cards}
    </div>`;
}
