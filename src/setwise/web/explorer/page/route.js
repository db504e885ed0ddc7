// The state of the page is in its address, so that links, reload and the back button restore it.
import { useEffect, useState } from "./vendor/preact-htm.js";

export function readRoute(hash = location.hash) {
  const [path, query = ""] = hash.replace(/^#\/?/, "").split("?");
  return { view: path || "row", query: Object.fromEntries(new URLSearchParams(query)) };
}

export function routeTo(view, query) {
  const kept = Object.entries(query).filter(([, value]) => value !== "" && value != null);
  const text = new URLSearchParams(kept).toString();
  return `#/${view}${text ? `?${text}` : ""}`;
}

export function go(view, query) {
  const next = routeTo(view, query);
  if (next !== location.hash) location.hash = next;
}

// Change the address without a new entry in the history, for sliders and typing.
export function replace(view, query) {
  history.replaceState(null, "", routeTo(view, query));
  dispatchEvent(new HashChangeEvent("hashchange"));
}

export function useRoute() {
  const [route, setRoute] = useState(readRoute());
  useEffect(() => {
    const changed = () => setRoute(readRoute());
    addEventListener("hashchange", changed);
    return () => removeEventListener("hashchange", changed);
  }, []);
  return route;
}

export const numbersOf = (text) => (text ? text.split(",").map(Number).filter(Number.isInteger) : []);

// What an address holds as JSON: an object, or an empty one if it is damaged.
export function objectOf(text) {
  try {
    const found = text ? JSON.parse(text) : {};
    return found && typeof found === "object" && !Array.isArray(found) ? found : {};
  } catch {
    return {};
  }
}
