// Labels as bars; each can be said to be on, off or unknown.
import { html, useMemo, useState } from "../vendor/preact-htm.js";
import { percent } from "../format.js";

const STATES = [["off", 0, "off"], ["unknown", null, "?"], ["on", 1, "on"]];
const MANY = 20;

function Switch({ name, value, onSet }) {
  return html`<span class="switch" role="radiogroup" aria-label=${name}>
    ${STATES.map(([title, state, sign]) => {
      const chosen = (value ?? null) === state;
      return html`<button type="button" role="radio" aria-checked=${chosen} class=${chosen ? `chosen ${title}` : ""}
        aria-label=${`${name}: ${title}`} tabindex=${chosen ? 0 : -1} onClick=${() => onSet(state)}
        onKeyDown=${(event) => moved(event, value, onSet)}>${sign}</button>`;
    })}
  </span>`;
}

// Space cycles through the states; the arrows move between them as in any group of choices.
function moved(event, value, onSet) {
  const place = STATES.findIndex(([, state]) => state === (value ?? null));
  const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
  if (step && STATES[place + step]) onSet(STATES[place + step][1]);
  else if (event.key === " ") onSet(value == null ? 1 : value === 1 ? 0 : null);
  else return;
  event.preventDefault();
  const group = event.currentTarget.parentElement;
  setTimeout(() => group.querySelector("[aria-checked=true]")?.focus(), 0);
}

function Bar({ label, name, before, after, value, given, unknown, onSet, onPick, picked }) {
  const state = value == null ? "" : value ? "known-on" : "known-off";
  return html`<li class=${`label ${state} ${picked ? "picked" : ""}`} data-label=${label} data-after=${after} data-before=${before}>
    <${Switch} name=${name} value=${value} onSet=${(next) => onSet(label, next)} />
    <button type="button" class="name" title=${name} aria-pressed=${picked} onClick=${() => onPick?.(label)}>${name}</button>
    ${given ? html`<span class="given" data-tip="given" role="img" aria-label="given">●</span>` : html`<span class="given" aria-hidden="true">${unknown ? "?" : ""}</span>`}
    <span class="track" aria-hidden="true">
      <span class="fill" style=${{ width: `${100 * (after ?? 0)}%` }}></span>
      <span class="before" style=${{ left: `${100 * (before ?? 0)}%` }}></span>
    </span>
    <span class="value">${value == null ? percent(after) : value ? "on" : "off"}</span>
  </li>`;
}

// By the probability before anything was said, so that no bar jumps away under the pointer.
function inOrder(names, before, order, given) {
  const places = names.map((_, j) => j);
  if (order === "likely") places.sort((a, b) => before[b] - before[a] || a - b);
  if (order === "given") places.sort((a, b) => given.includes(b) - given.includes(a) || before[b] - before[a]);
  return places;
}

export function Labels({ names, answer, evidence, given, unknown, onSet, onPick, picked }) {
  const many = names.length > MANY;
  const [order, setOrder] = useState(many ? "likely" : "model");
  const [text, setText] = useState("");
  const places = useMemo(() => inOrder(names, answer.before, order, given || []), [names, answer.before, order, given]);
  const wanted = text.toLowerCase();
  const shown = places.filter((j) => names[j].toLowerCase().includes(wanted));
  return html`
    <div class="filters">
      ${many && html`<input type="search" placeholder=${`Find one of ${names.length} labels`} aria-label="Find a label"
        value=${text} onInput=${(event) => setText(event.target.value)} />`}
      <label>Order <select value=${order} onChange=${(event) => setOrder(event.target.value)}>
        <option value="model">as in the model</option><option value="likely">most likely first</option>
        ${given && html`<option value="given">given first</option>`}
      </select></label>
    </div>
    <ul class=${`labels ${many ? "many" : ""}`}>${shown.map(
      (j) => html`<${Bar} key=${j} label=${j} name=${names[j]} before=${answer.before[j]} after=${answer.after[j]}
        value=${evidence[j]} given=${given?.includes(j)} unknown=${unknown?.includes(j)} onSet=${onSet} onPick=${onPick}
        picked=${picked === j} />`,
    )}</ul>
    ${!shown.length && html`<p class="unavailable">No label contains "${text}".</p>`}`;
}
