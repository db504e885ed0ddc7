// A list of any length: only the rows in sight exist, and pages of them are asked for as they come into sight.
import { html, useEffect, useRef, useState } from "../vendor/preact-htm.js";

const PAGE = 100;
const MARGIN = 8;
// Browsers draw nothing below some 33 million pixels: a longer list scrolls faster than its bar.
const TALLEST = 15_000_000;

// With keep, a new version asks again for what is in sight and stays where it is.
export function List({ ask, version, height, show, chosen, onTotal, name, keep = false }) {
  const box = useRef(null);
  const pages = useRef(new Map());
  const shown = useRef(new Map());
  const [total, setTotal] = useState(null);
  const [top, setTop] = useState(0);
  const [, redraw] = useState(0);
  const [error, setError] = useState(null);
  const room = box.current?.clientHeight || 600;
  const full = (total ?? 0) * height;
  const speed = full > TALLEST ? (full - room) / (TALLEST - room) : 1;
  const first = Math.max(0, Math.floor(top / height) - MARGIN);
  const last = Math.min(total ?? 1, Math.ceil((top + room) / height) + MARGIN);

  const load = (page) => {
    const cache = pages.current;
    if (cache.has(page)) return;
    cache.set(page, null);
    ask(page * PAGE, (page + 1) * PAGE).then((found) => {
      if (pages.current !== cache) return;
      cache.set(page, found.rows);
      setTotal(found.total);
      setError(null);
      onTotal?.(found.total, found);
      redraw((n) => n + 1);
    }, (problem) => pages.current === cache && (cache.delete(page), setError(problem)));
  };
  useEffect(() => {
    const old = pages.current;
    pages.current = new Map();
    if (keep && old.size) {
      shown.current = old;
    } else {
      setTop(0);
      if (box.current) box.current.scrollTop = 0;
    }
    load(Math.floor((keep ? first : 0) / PAGE));
  }, [version]);
  useEffect(() => {
    for (let page = Math.floor(first / PAGE); page <= Math.floor(Math.max(first, last - 1) / PAGE); page++) load(page);
  }, [first, last, version]);
  useEffect(() => {
    if (chosen == null || !box.current) return;
    const at = chosen * height;
    const now = box.current.scrollTop * speed;
    if (at < now || at + height > now + box.current.clientHeight)
      box.current.scrollTop = Math.max(0, at - box.current.clientHeight / 2) / speed;
  }, [chosen]);

  const items = [];
  for (let place = first; place < last && total; place++) {
    const page = Math.floor(place / PAGE);
    const row = (pages.current.get(page) || (keep && shown.current.get(page)))?.[place % PAGE];
    items.push(html`<li key=${place} style=${{ top: `${place * height - top + top / speed}px`, height: `${height}px` }}>${row ? show(row, place) : html`<span class="loading">...</span>`}</li>`);
  }
  return html`<div class="list" ref=${box} tabindex="0" role="region" aria-label=${name} onScroll=${(event) => setTop(event.currentTarget.scrollTop * speed)}>
    ${error && html`<p class="unavailable" role="status">${error.message}</p>`}
    ${total === 0 && html`<p class="unavailable">No rows.</p>`}
    <ul style=${{ height: `${Math.min(full, TALLEST)}px` }}>${items}</ul>
  </div>`;
}
