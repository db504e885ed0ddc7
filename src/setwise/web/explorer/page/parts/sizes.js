// The probability of each number of labels, as columns.
import { html } from "../vendor/preact-htm.js";
import { percent } from "../format.js";

export function Sizes({ sizes, given }) {
  const last = Math.max(given ?? 0, sizes.reduce((found, p, size) => (p > 0.001 ? size : found), 0));
  const shown = sizes.slice(0, last + 1);
  const highest = Math.max(...shown, 1e-9);
  return html`<ol class="sizes" style=${{ gridTemplateColumns: `repeat(${shown.length}, minmax(0, 1fr))` }}>
    ${shown.map((p, size) => html`<li class=${size === given ? "true" : ""} title=${`${size} labels: ${percent(p)}`} data-size=${size} data-probability=${p}>
      <span class="room"><span class="column" style=${{ height: `${(100 * p) / highest}%` }}></span></span>
      <span class="size">${shown.length <= 16 || size % 5 === 0 ? size : ""}</span>
    </li>`)}
  </ol>`;
}
