// Help: what the views are for, the keys, and the tour.
import { html, useEffect, useRef } from "../vendor/preact-htm.js";
import { TIPS } from "./words.js";
import { VIEWS } from "../views/all.js";

const KEYS = [
  ["1 ... 5", "switch between the views"],
  ["j, k", "next and previous row"],
  ["Space", "on a label: unknown, on, off"],
  ["Backspace", "take back the last step"],
  ["a, k, e, s", "errors: accept the suggestion, keep the labels, edit them, skip the row"],
  ["u, n", "errors: undo, write a note"],
  ["?", "this help"],
];

export function Help({ session, close }) {
  const box = useRef(null);
  useEffect(() => {
    box.current.showModal();
  }, []);
  return html`<dialog class="help" ref=${box} onClose=${close} aria-labelledby="help-title">
    <h2 id="help-title">What you can do here</h2>
    <dl>${VIEWS.filter((one) => one.there(session)).map((one) => html`<dt>${one.name}</dt><dd>${TIPS[`view-${one.id}`]}</dd>`)}</dl>
    <h3>Keys</h3>
    <dl class="keys">${KEYS.map(([key, what]) => html`<dt><kbd>${key}</kbd></dt><dd>${what}</dd>`)}</dl>
    <p>Every address is a link: copy it to come back to exactly this view. Nothing leaves this machine.</p>
    <p class="buttons">
      <button onClick=${() => { box.current.close(); dispatchEvent(new CustomEvent("tour")); }}>Take the tour</button>
      <button class="primary" onClick=${() => box.current.close()}>Close</button>
    </p>
  </dialog>`;
}
