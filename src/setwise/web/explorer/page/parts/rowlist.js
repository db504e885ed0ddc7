// The rows beside a view: search, order, and a list of any length.
import { html, useLayoutEffect, useState } from "../vendor/preact-htm.js";
import { post } from "../api.js";
import { count, percent, setText } from "../format.js";
import { objectOf, readRoute, replace } from "../route.js";
import { Field } from "./field.js";
import { List } from "./list.js";

const HEIGHT = 54;

export function RowList({ session, query, row, onChoose }) {
  const [total, setTotal] = useState(null);
  const text = query.q || "";
  const order = query.order || "row";
  const condition = objectOf(query.slice);
  const version = JSON.stringify([text, order, query.slice]);
  const ask = (start, stop) => post("rows", { ...condition, text, order, start, stop });
  const set = (more) => replace("row", { ...readRoute().query, ...more });
  useLayoutEffect(() => {
    const pressed = (event) => {
      if (event.target.matches("input, textarea, select") || event.ctrlKey || event.metaKey || event.altKey) return;
      if (event.key === "j" && row + 1 < session.rows) onChoose(row + 1);
      if (event.key === "k" && row > 0) onChoose(row - 1);
      if (event.key === "Backspace") history.back();
    };
    addEventListener("keydown", pressed);
    return () => removeEventListener("keydown", pressed);
  }, [row, onChoose]);
  const show = (line) => html`<button type="button" class=${`line ${line.row === row ? "chosen" : ""}`} aria-current=${line.row === row} onClick=${() => onChoose(line.row)}>
    <span class="number">${line.row}</span>
    <span class="summary">${line.summary}</span>
    <span class="sets">${line.given ? setText(line.given, session.labels) : ""}</span>
    ${line.confidence != null && html`<span class="confidence" title="Probability of the predicted set, by a model that has not seen the row">${percent(line.confidence)}</span>`}
  </button>`;
  return html`<aside class="side" aria-label="Rows">
    <div class="filters">
      <${Field} type="search" aria-label="Find rows" placeholder="Row number or text" value=${text} onCommit=${(q) => set({ q })} />
      <select aria-label="Order of the rows" value=${order} onChange=${(event) => set({ order: event.target.value })}>
        <option value="row">in order</option>${session.journal && html`<option value="confidence">least confident</option><option value="error">most suspicious</option>`}
      </select>
    </div>
    ${query.slice && html`<p class="trail"><span>A slice of the rows</span><button type="button" onClick=${() => set({ slice: "" })}>all rows ×</button></p>`}
    <p class="note">${count(total)} rows</p>
    <${List} ask=${ask} version=${version} height=${HEIGHT} show=${show} name="Rows" onTotal=${setTotal}
      chosen=${!text && order === "row" && !query.slice ? row : null} />
  </aside>`;
}
