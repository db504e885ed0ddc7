// The ladder of best sets.
import { html, useState } from "../vendor/preact-htm.js";
import { percent } from "../format.js";

const MANY = 12;
// Sets above this size are listed by how they differ from the best one.
const LARGE = 8;

// A set as chips. Against another set, what differs comes first; of a large set only some chips are shown until asked,
// unless they are inside a link or a button, which can hold no other.
export function Chips({ labels, names, against, only = false, most = MANY, inside = false }) {
  const [all, setAll] = useState(false);
  const added = against ? labels.filter((j) => !against.includes(j)).map((j) => [j, "added"]) : [];
  const removed = (against || []).filter((j) => !labels.includes(j)).map((j) => [j, "removed"]);
  const same = only ? [] : labels.filter((j) => !against || against.includes(j)).map((j) => [j, ""]);
  const chips = labels.length > most ? [...added, ...removed, ...same] : [...(against ? same : []), ...added, ...removed, ...(against ? [] : same)];
  const shown = all ? chips : chips.slice(0, most);
  return html`<span class="chips">
    ${against && !labels.length && removed.length > 0 && !only && html`<span class="chip none">no labels</span>`}
    ${shown.map(([j, kind]) => html`<span class=${`chip ${kind}`} key=${j}>${names[j]}</span>`)}
    ${chips.length > shown.length && (inside ? html`<span class="chip more">+ ${chips.length - shown.length} more</span>` : html`<span role="button" tabindex="0" class="chip more" onClick=${(event) => { event.preventDefault(); event.stopPropagation(); setAll(true); }}
      onKeyDown=${(event) => event.key === "Enter" && (event.stopPropagation(), setAll(true))}>+ ${chips.length - shown.length} more</span>`)}
    ${!chips.length && html`<span class="chip none">${only ? "the same" : "no labels"}</span>`}
  </span>`;
}

const same = (a, b) => b != null && a.length === b.length && a.every((j, place) => j === b[place]);

export function Ladder({ answer, names, given, cut, onPick }) {
  const widest = answer.probabilities[0] || 1;
  const large = (answer.sets[0] || []).length > LARGE;
  const below = cut == null ? -1 : answer.probabilities.findIndex((p) => p < cut.probability);
  return html`
    <p class="badges">${answer.certified
      ? html`<span class="badge good" data-tip="certified" tabindex="0">proved best</span>`
      : html`<span class="badge" data-tip="not-certified" tabindex="0">not proved${answer.gap ? `, at most ${Math.exp(answer.gap).toFixed(2)} times as probable` : ""}</span>`}
    </p>
    <ol class="ladder">${answer.sets.map((labels, place) => html`
      ${place === below && html`<li class="cut" data-tip="cut" tabindex="0">${percent(cut.coverage)} of given sets are above this line</li>`}
      <li class=${`rung ${same(labels, given) ? "true" : ""}`} data-set=${labels.join(" ")} data-probability=${answer.probabilities[place]}>
        <button type="button" class="value" title="Why this set?" onClick=${() => onPick?.(labels)}>${percent(answer.probabilities[place])}</button>
        <span class="track" aria-hidden="true"><span class="fill" style=${{ width: `${(100 * answer.probabilities[place]) / widest}%` }}></span></span>
        <span class="set"><${Chips} labels=${labels} names=${names} against=${large && place ? answer.sets[0] : null} only=${large && place > 0} /></span>
        <span class="cumulative" data-tip="cumulative">${percent(answer.cumulative[place])}</span>
        ${same(labels, given) && html`<span class="badge">given</span>`}
      </li>`)}
    </ol>`;
}
