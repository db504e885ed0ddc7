// Pairs of labels: a matrix, above the diagonal in the data, below it what remains given x; and the strongest pairs.
import { html } from "../vendor/preact-htm.js";
import { count } from "../format.js";

const shade = (r) => ({ opacity: Math.min(1, Math.abs(r) * 1.6) });
const shortened = (name) => (name.length > 14 ? `${name.slice(0, 13)}…` : name);

export function Pairs({ pairs, names, onPick }) {
  const { shown, data, given_x: rest } = pairs;
  const size = Math.max(9, Math.min(24, Math.floor(330 / shown.length)));
  const written = size >= 11;
  const longest = Math.max(...shown.map((j) => shortened(names[j]).length));
  const margin = written ? 10 + 6.2 * longest : 4;
  const width = margin + size * shown.length + 4;
  return html`<div class="scroll matrix"><svg viewBox=${`0 0 ${width} ${width}`} width=${width} height=${width} role="img" aria-label="Correlations of labels; the table below lists the strongest">
    ${written && shown.map((j, a) => html`<text x=${margin - 5} y=${margin + a * size + size / 2 + 4} text-anchor="end">${shortened(names[j])}</text>
      <text transform=${`translate(${margin + a * size + size / 2 + 4},${margin - 5}) rotate(-90)`}>${shortened(names[j])}</text>`)}
    ${shown.map((i, a) => shown.map((j, b) => {
      if (a === b) return html`<rect class="self" x=${margin + b * size} y=${margin + a * size} width=${size - 1} height=${size - 1} />`;
      const r = b > a ? data[a][b] : rest ? rest[a][b] : 0;
      return html`<rect class=${`pair-cell ${r < 0 ? "against" : ""}`} style=${shade(r)} x=${margin + b * size} y=${margin + a * size} width=${size - 1} height=${size - 1} onClick=${() => onPick(i, j)}>
        <title>${`${names[i]} and ${names[j]}: ${r.toFixed(2)} ${b > a ? "in the data" : "given the row"}`}</title></rect>`;
    }))}
  </svg></div>
  ${!rest && html`<p class="note">Below the diagonal: waiting for the held-out models.</p>`}
  ${shown.length < names.length && html`<p class="note">The ${shown.length} most frequent of ${names.length} labels.${written ? "" : " Point at a cell to read its labels."}</p>`}
  <div class="scroll"><table class="strongest"><thead><tr><th>strongest pairs</th><th>rows</th><th>in the data</th><th>given the row</th></tr></thead><tbody>
    ${pairs.strongest.map((pair) => html`<tr key=${pair.labels.join()}><th scope="row"><button type="button" class="quiet" onClick=${() => onPick(...pair.labels)}>${names[pair.labels[0]]} and ${names[pair.labels[1]]}</button></th>
      <td>${count(pair.together)}</td><td>${pair.data.toFixed(2)}</td><td>${pair.given_x == null ? "-" : pair.given_x.toFixed(2)}</td></tr>`)}
  </tbody></table></div>`;
}
