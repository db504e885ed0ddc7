// A card with a title and an explanation.
import { html } from "../vendor/preact-htm.js";
import { Info } from "./tips.js";

export const Card = ({ title, tip, name, tools, children }) => html`
  <section class=${`card ${name || ""}`} aria-label=${title}>
    <h2>${title} ${tip && html`<${Info} tip=${tip} />`} ${tools && html`<span class="tools">${tools}</span>`}</h2>
    ${children}
  </section>`;

// What a family of models cannot answer says so in place of a number.
export const Unavailable = ({ answer }) => html`<p class="unavailable">${answer.unavailable}</p>`;

export const Waiting = ({ error, what }) =>
  error
    ? html`<p class="unavailable" role="status">${error.message}</p>`
    : html`<p class="unavailable" role="status">${what || "..."}</p>`;
