// The tour: five steps, each beside the part of the page that it is about.
import { html, useEffect, useState } from "../vendor/preact-htm.js";
import { go } from "../route.js";

const STEPS = [
  ["row", ".card-labels", "What the model expects", "Every label with its probability in this row. Say that a label is on or off, and all other numbers follow. Undo takes a step back."],
  ["row", ".card-sets", "Whole sets", "The most probable sets of labels, each with its probability. A badge says whether the search has proved that none is better."],
  ["errors", ".card-suspect, .card-fitting", "Labels that look wrong", "Rows in order of suspicion, judged by models that have not seen them. Accept, keep, edit or skip with one key; every decision is saved at once."],
  ["decisions", ".card-loss", "What to answer", "Choose what a mistake costs, when to leave a row to a person, and rules that answers obey. Expected and measured loss move with you."],
  ["data", ".card-pairs", "The data", "Which labels go together, and what of it remains once the row is known. Click anything to see the rows behind it."],
];
const SEEN = "setwise-tour-seen";

export function Tour({ session }) {
  const steps = session.journal ? STEPS : STEPS.slice(0, 2);
  const [step, setStep] = useState(localStorage.getItem(SEEN) ? null : 0);
  const [box, setBox] = useState(null);
  useEffect(() => {
    const start = () => setStep(0);
    addEventListener("tour", start);
    return () => removeEventListener("tour", start);
  }, []);
  useEffect(() => {
    if (step == null) return undefined;
    if (step > 0 || location.hash) go(steps[step][0], {});
    let tries = 0;
    const find = () => {
      const target = document.querySelector(steps[step][1]);
      if (target) setBox(target.getBoundingClientRect());
      else if (++tries < 30) timer = setTimeout(find, 100);
    };
    let timer = setTimeout(find, 50);
    return () => clearTimeout(timer);
  }, [step]);
  if (step == null) return null;
  const end = () => { localStorage.setItem(SEEN, "yes"); setStep(null); };
  const [, , title, words] = steps[step];
  const right = box && box.right + 340 < innerWidth;
  const place = box ? { left: `${right ? box.right + 12 : Math.max(12, Math.min(box.left + 24, innerWidth - 350))}px`, top: `${Math.max(60, Math.min(box.top + 40, innerHeight - 220))}px` } : { left: "40%", top: "40%" };
  return html`<div class="tour" role="dialog" aria-label=${`Tour: ${title}`} style=${place} onKeyDown=${(event) => event.key === "Escape" && end()}>
    <h2>${title}</h2><p>${words}</p>
    <p class="buttons"><span class="soft">${step + 1} of ${steps.length}</span><button type="button" class="quiet" onClick=${end}>End the tour</button>
      <button type="button" class="primary" onClick=${() => (step + 1 < steps.length ? setStep(step + 1) : end())}>${step + 1 < steps.length ? "Next" : "Done"}</button></p>
  </div>`;
}
