// What each component of a mixture says.
import { html } from "../vendor/preact-htm.js";
import { percent } from "../format.js";
import { Chips } from "./sets.js";

export const Components = ({ components, names }) => html`<ol class="components">
  ${components.map((part) => html`<li key=${part.name} data-weight=${part.weight}>
    <span class="value">${percent(part.weight)}</span>
    <span class="track" aria-hidden="true"><span class="fill" style=${{ width: `${100 * part.weight}%` }}></span></span>
    <span class="name">${part.name}</span>
    <${Chips} labels=${part.best} names=${names} />
  </li>`)}
</ol>`;
