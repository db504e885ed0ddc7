// Contributions of words and columns to a label or a set.
import { html } from "../vendor/preact-htm.js";
import { figure } from "../format.js";

// Names above this length have a line for themselves.
const LONG = 14;

export function Why({ answer }) {
  const widest = Math.max(...answer.features.map((one) => Math.abs(one.contribution)), 1e-9);
  const line = (name, value, amount) => html`<li key=${name} data-contribution=${amount}><span class="name" title=${name}>${name}${value == null ? "" : html` <span class="soft">${figure(value)}</span>`}</span>
    <span class="sides" aria-hidden="true"><span class=${amount < 0 ? "against" : "for"} style=${{ width: `${Math.min(50, (50 * Math.abs(amount)) / widest)}%` }}></span></span><span class="value">${amount > 0 ? "+" : ""}${amount.toFixed(2)}</span></li>`;
  const long = answer.features.some((one) => one.name.length > LONG);
  return html`<ul class=${`why ${long ? "long" : ""}`} data-log-odds=${answer.log_odds}>${answer.features.map((one) => line(one.name, one.value, one.contribution))}
    ${Math.abs(answer.others) > 1e-9 && line("all others", null, answer.others)}</ul>
    <p class="note">A typical row has log-odds of ${figure(answer.base)}, this one ${figure(answer.log_odds)}.${answer.method === "exact" ? "" : ` The contributions are ${answer.method}.`}</p>`;
}
