// Rules that answers must obey.
import { html, useState } from "../vendor/preact-htm.js";
import { Card } from "./card.js";
import { Field } from "./field.js";

const Pick = ({ names, value, onSet, title }) => html`<select aria-label=${title} value=${value} onChange=${(event) => onSet(event.target.value)}>
  <option value="">${title}</option>${names.map((name) => html`<option key=${name} value=${name}>${name}</option>`)}</select>`;

export function Rules({ rules, names, onSet }) {
  const [first, setFirst] = useState("");
  const [second, setSecond] = useState("");
  const change = (name, value) => {
    const next = { ...rules, [name]: value };
    if (value == null || value === "" || (Array.isArray(value) && !value.length)) delete next[name];
    onSet(next);
  };
  const add = (name) => {
    if (first && second && first !== second) change(name, [...(rules[name] || []), [first, second]]);
    setFirst("");
    setSecond("");
  };
  const drop = (name, place) => change(name, rules[name].filter((_, other) => other !== place));
  return html`<${Card} title="Rules for answers" tip="rules" name="card-rules">
    <p class="pairs"><${Pick} names=${names} value=${first} onSet=${setFirst} title="a label" /> <${Pick} names=${names} value=${second} onSet=${setSecond} title="another label" /></p>
    <p class="buttons"><button type="button" disabled=${!first || !second} onClick=${() => add("implies")}>the first implies the second</button>
      <button type="button" disabled=${!first || !second} onClick=${() => add("exclusive")}>never both</button></p>
    <ul class="ruleset">
      ${(rules.implies || []).map(([a, b], place) => html`<li key=${`i${place}`}>${a} implies ${b} <button type="button" class="quiet" aria-label="Remove the rule" onClick=${() => drop("implies", place)}>×</button></li>`)}
      ${(rules.exclusive || []).map(([a, b], place) => html`<li key=${`e${place}`}>never both ${a} and ${b} <button type="button" class="quiet" aria-label="Remove the rule" onClick=${() => drop("exclusive", place)}>×</button></li>`)}
    </ul>
    <p class="limits"><label>at least <${Field} type="number" min="0" max=${names.length} value=${rules.min_labels ?? ""} onCommit=${(text) => change("min_labels", text === "" ? null : Number(text))} /></label>
      <label>at most <${Field} type="number" min="0" max=${names.length} value=${rules.max_labels ?? ""} onCommit=${(text) => change("max_labels", text === "" ? null : Number(text))} /> labels</label></p>
    <label><input type="checkbox" checked=${rules.among === "seen"} onChange=${(event) => change("among", event.target.checked ? "seen" : null)} /> only sets that occur in the data</label>
  <//>`;
}
