// Predicted against observed frequencies.
import { html, useState } from "../vendor/preact-htm.js";
import { count, percent } from "../format.js";

const SIZE = 250;
const LEFT = 46;

export function Reliability({ points, onPick }) {
  const [what, setWhat] = useState("sets");
  const x = (p) => LEFT + (SIZE - LEFT - 24) * p;
  const y = (p) => 10 + (SIZE - LEFT - 10) * (1 - p);
  const most = Math.max(...points[what].map((one) => one.n), 1);
  return html`<div class="choice">${["sets", "labels"].map((name) => html`<button type="button" key=${name} class=${what === name ? "chosen" : ""} aria-pressed=${what === name} onClick=${() => setWhat(name)}>${name === "sets" ? "whole sets" : "single labels"}</button>`)}</div>
    <svg class="chart" viewBox=${`0 0 ${SIZE} ${SIZE}`} role="group" aria-label="Observed against predicted frequency">
      ${[0, 0.5, 1].map((tick) => html`<line class="grid" x1=${x(0)} x2=${x(1)} y1=${y(tick)} y2=${y(tick)} /><text x=${LEFT - 6} y=${y(tick) + 4} text-anchor="end">${percent(tick)}</text>
        <text x=${x(tick)} y=${SIZE - 14} text-anchor="middle">${percent(tick)}</text>`)}
      <line class="ideal" x1=${x(0)} y1=${y(0)} x2=${x(1)} y2=${y(1)} />
      ${points[what].map((one) => html`<g key=${one.low}><line class="range" x1=${x(one.predicted)} x2=${x(one.predicted)} y1=${y(one.observed.low ?? one.observed.mean)} y2=${y(one.observed.high ?? one.observed.mean)} />
        <circle class="point" cx=${x(one.predicted)} cy=${y(one.observed.mean)} r=${3 + 4 * Math.sqrt(one.n / most)} tabindex=${what === "sets" ? 0 : -1} role=${what === "sets" ? "button" : "img"}
          aria-label=${`${percent(one.predicted)} predicted, ${percent(one.observed.mean)} observed, ${one.n} cases`} onClick=${() => what === "sets" && onPick(one.low, one.high)}
          onKeyDown=${(event) => event.key === "Enter" && what === "sets" && onPick(one.low, one.high)}><title>${`${count(one.n)} cases: predicted ${percent(one.predicted)}, observed ${percent(one.observed.mean)}`}</title></circle></g>`)}
      <text x=${x(0.5)} y=${SIZE - 1} text-anchor="middle">predicted</text>
    </svg>`;
}
