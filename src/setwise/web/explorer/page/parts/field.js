// An entry of text. What is being typed stays until Enter or until the field is left, whatever is drawn again meanwhile.
import { html, useEffect, useState } from "../vendor/preact-htm.js";

export function Field({ as = "input", value, onCommit, ...others }) {
  const [draft, setDraft] = useState(null);
  useEffect(() => setDraft(null), [value]);
  return html`<${as} ...${others} value=${draft ?? value} onInput=${(event) => setDraft(event.target.value)}
    onChange=${(event) => onCommit(event.target.value)} />`;
}
