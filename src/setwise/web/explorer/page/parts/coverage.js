// Coverage against the score of what is answered.
import { html } from "../vendor/preact-htm.js";
import { figure, percent } from "../format.js";

const WIDTH = 360;
const HEIGHT = 190;
const LEFT = 48;
// The share of rows from which automation is worth a headline.
const WORTH = 0.2;
const BOTTOM = 26;

export function Coverage({ answer, sure, onSet }) {
  const scores = answer.curve.map((point) => point.score);
  const low = Math.max(0, Math.min(...scores, 0.9) - 0.05);
  const x = (coverage) => LEFT + (WIDTH - LEFT - 8) * coverage;
  const y = (score) => 8 + (HEIGHT - BOTTOM - 8) * (1 - (score - low) / Math.max(1 - low, 1e-6));
  const line = answer.curve.map((point, place) => `${place ? "L" : "M"}${x(point.coverage).toFixed(1)},${y(point.score).toFixed(1)}`).join("");
  const reached = answer.targets.filter((target) => target.coverage > 0);
  const best = [...reached].reverse().find((target) => target.coverage >= WORTH) || reached[0];
  const ticks = [low, (1 + low) / 2, 1];
  return html`
    ${best ? html`<p class="headline" id="automate" data-coverage=${best.coverage} data-level=${best.level}>Automate <b>${percent(best.coverage)}</b> of the rows at <b>${percent(best.level)}</b>.</p>` : html`<p class="unavailable">However few rows are answered, 80 % is not reached.</p>`}
    <svg class="chart" viewBox=${`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label="Score of the answers against the share of rows answered">
      ${ticks.map((tick) => html`<line class="grid" x1=${LEFT} x2=${WIDTH - 8} y1=${y(tick)} y2=${y(tick)} /><text x=${LEFT - 6} y=${y(tick) + 4} text-anchor="end">${percent(tick)}</text>`)}
      ${[0, 0.5, 1].map((tick) => html`<text x=${x(tick)} y=${HEIGHT - 8} text-anchor=${tick === 0 ? "start" : tick === 1 ? "end" : "middle"}>${percent(tick)}${tick === 0.5 ? " of rows answered" : ""}</text>`)}
      <path class="curve" d=${line} />
    </svg>
    <p class="note">${answer.share ? "100 % is no loss at all." : "Share of labels that are right, if the rows with the smallest expected costs are answered."}</p>
    <div class="choice">${answer.targets.map((target) => html`<button type="button" key=${target.level} disabled=${target.confidence == null} class=${sure && Math.abs(Number(sure) - target.confidence) < 1e-9 ? "chosen" : ""}
      onClick=${() => onSet(String(target.confidence))} title=${target.confidence == null ? "cannot be reached" : answer.share ? `answer if the confidence is at least ${percent(target.confidence)}` : `answer if the expected cost is at most ${figure(1 - target.confidence)}`}>${percent(target.level)}: ${percent(target.coverage)} of rows</button>`)}
      <button type="button" class=${sure ? "" : "chosen"} onClick=${() => onSet("")}>answer all</button></div>`;
}
