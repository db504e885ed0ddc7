// The entries of a row; each can be changed to see what moves.
import { html, useState } from "../vendor/preact-htm.js";
import { entry } from "../format.js";
import { Field } from "./field.js";

const SHOWN = 40;
// What an input shows at once, and about what a line of a larger field holds.
const LONG = 16;
const LINE = 28;

function Cell({ cell, change, onChange }) {
  const changed = change !== undefined;
  const value = changed ? change : cell.value ?? "";
  const long = !cell.is_number && String(value).length > LONG;
  const set = (next) => onChange(cell.name, next === String(cell.value ?? "") ? undefined : next);
  return html`<li class=${`cell ${long ? "long" : ""} ${changed ? "changed" : ""}`} data-column=${cell.name}>
    <span class="name" title=${cell.name}>${cell.name}</span>
    ${long
      ? html`<${Field} as="textarea" rows=${Math.min(5, Math.ceil(String(value).length / LINE))} aria-label=${cell.name} value=${value} onCommit=${set} />`
      : html`<${Field} aria-label=${cell.name} value=${changed ? change : entry(cell, 6)}
          inputmode=${cell.is_number ? "decimal" : "text"} onCommit=${set} />`}
    ${changed && html`<button type="button" class="reset" aria-label=${`Restore ${cell.name}`} title="Restore" onClick=${() => onChange(cell.name, undefined)}>↺</button>`}
  </li>`;
}

export function Cells({ cells, changes, onChange }) {
  const [text, setText] = useState("");
  const wanted = text.toLowerCase();
  const found = cells.filter((cell) => cell.name.toLowerCase().includes(wanted));
  const first = found.filter((cell) => changes[cell.name] !== undefined);
  const shown = [...first, ...found.filter((cell) => changes[cell.name] === undefined)].slice(0, SHOWN);
  return html`
    ${cells.length > 12 && html`<div class="filters"><input type="search" aria-label="Find a column" placeholder=${`Find one of ${cells.length} columns`}
      value=${text} onInput=${(event) => setText(event.target.value)} /></div>`}
    <ul class="cells">${shown.map((cell) => html`<${Cell} key=${cell.name} cell=${cell} change=${changes[cell.name]} onChange=${onChange} />`)}</ul>
    ${found.length > SHOWN && html`<p class="note">${found.length - SHOWN} more columns; type to find them.</p>`}`;
}
