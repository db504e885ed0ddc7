// The conditions of a slice, kept in the address.
import { html } from "../vendor/preact-htm.js";
import { count, percent, plural, setText } from "../format.js";
import { numbersOf } from "../route.js";
import { Field } from "./field.js";

// A whole set in the address, where the empty set needs a word.
const NONE = "none";
export const setQuery = (labels) => (labels.length ? labels.join() : NONE);
const setOf = (text) => (text === NONE ? [] : numbersOf(text));

export function conditionsOf(query) {
  const found = {};
  if (query.q) found.text = query.q;
  if (query.on) found.on = numbersOf(query.on);
  if (query.off) found.off = numbersOf(query.off);
  if (query.set) found.exactly = setOf(query.set);
  if (query.m) found.model = Number(query.m);
  if (query.size) found.size = Number(query.size);
  if (query.low != null) found.confidence = [Number(query.low), Number(query.high)];
  if (query.outcome) found.outcome = query.outcome;
  if (query.column && query.value) Object.assign(found, { column: query.column, value: query.value });
  return found;
}

export function SliceForm({ session, query, onSet, total }) {
  const names = session.labels;
  const chosen = [
    ...numbersOf(query.on).map((j) => [`with ${names[j]}`, { on: numbersOf(query.on).filter((k) => k !== j).join(",") }]),
    ...numbersOf(query.off).map((j) => [`without ${names[j]}`, { off: numbersOf(query.off).filter((k) => k !== j).join(",") }]),
    ...(query.set ? [[`exactly ${setText(setOf(query.set), names)}`, { set: "" }]] : []),
    ...(query.size ? [[plural(Number(query.size), "label"), { size: "" }]] : []),
    ...(query.low != null ? [[`confidence ${percent(Number(query.low))} to ${percent(Number(query.high))}`, { low: null, high: null }]] : []),
    ...(query.outcome ? [[`prediction ${query.outcome}`, { outcome: "" }]] : []),
    ...(query.column && query.value ? [[`${query.column} = ${query.value}`, { column: "", value: "" }]] : []),
    ...(query.q ? [[`text "${query.q}"`, { q: "" }]] : []),
  ];
  const add = (name) => (event) => event.target.value !== "" && onSet({ [name]: [...numbersOf(query[name]), Number(event.target.value)].join(",") });
  const options = names.map((name, j) => html`<option value=${j}>${name}</option>`);
  return html`<div class="slice" role="search" aria-label="Choose rows">
    <div class="filters">
      <${Field} type="search" aria-label="Text in a row" placeholder="Text in a row, or its number" value=${query.q || ""} onCommit=${(q) => onSet({ q })} />
      <select aria-label="With a label" value="" onChange=${add("on")}><option value="">with label ...</option>${options}</select>
      <select aria-label="Without a label" value="" onChange=${add("off")}><option value="">without label ...</option>${options}</select>
      <select aria-label="Prediction" value=${query.outcome || ""} onChange=${(event) => onSet({ outcome: event.target.value })}><option value="">right or wrong</option><option value="right">predicted right</option><option value="wrong">predicted wrong</option></select>
      <select aria-label="Column" value=${query.column || ""} onChange=${(event) => onSet({ column: event.target.value })}><option value="">column ...</option>${session.columns.map((name) => html`<option key=${name} value=${name}>${name}</option>`)}</select>
      ${query.column && html`<${Field} aria-label="Value" placeholder="value, or 1.5..3" value=${query.value || ""} onCommit=${(value) => onSet({ value })} />`}
    </div>
    <p class="trail"><b>${count(total)}</b> of ${count(session.rows)} rows
      ${chosen.map(([what, without]) => html`<button type="button" key=${what} onClick=${() => onSet(without)} title="Remove">${what} ×</button>`)}</p>
  </div>`;
}
