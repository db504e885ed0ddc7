// One tooltip for the whole page: what has data-tip is explained when the pointer or the focus is on it.
import { html, useEffect, useState } from "../vendor/preact-htm.js";
import { TIPS } from "../help/words.js";

export function Tips() {
  const [tip, setTip] = useState(null);
  useEffect(() => {
    const show = (event) => {
      const target = event.target.closest?.("[data-tip]");
      const words = target && TIPS[target.dataset.tip];
      setTip(words ? { words, box: target.getBoundingClientRect() } : null);
    };
    const hide = () => setTip(null);
    const escape = (event) => event.key === "Escape" && hide();
    document.addEventListener("mouseover", show);
    document.addEventListener("focusin", show);
    document.addEventListener("focusout", hide);
    document.addEventListener("scroll", hide, true);
    document.addEventListener("keydown", escape);
    return () => {
      document.removeEventListener("mouseover", show);
      document.removeEventListener("focusin", show);
      document.removeEventListener("focusout", hide);
      document.removeEventListener("scroll", hide, true);
      document.removeEventListener("keydown", escape);
    };
  }, []);
  if (!tip) return null;
  const left = Math.max(8, Math.min(tip.box.left, innerWidth - 348));
  const below = tip.box.bottom + 130 < innerHeight;
  const place = below ? { top: `${tip.box.bottom + 6}px` } : { bottom: `${innerHeight - tip.box.top + 6}px` };
  return html`<div class="tooltip" role="tooltip" style=${{ left: `${left}px`, ...place }}>${tip.words}</div>`;
}

// A small mark beside a title; the explanation is also its name for screen readers.
export const Info = ({ tip }) =>
  html`<button type="button" class="info" data-tip=${tip} aria-label=${TIPS[tip]}>i</button>`;
