// Questions to the server that this page came from.
import { useEffect, useRef, useState } from "./vendor/preact-htm.js";

export class Problem extends Error {
  constructor(status, body) {
    super(body.error || `the server answered ${status}`);
    this.status = status;
    this.body = body;
  }
}

async function answer(response) {
  const body = await response.json().catch(() => ({}));
  if (!response.ok) throw new Problem(response.status, body);
  return body;
}

export async function get(path) {
  return answer(await fetch(`/api/${path}`));
}

export async function post(path, body) {
  const options = { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) };
  return answer(await fetch(`/api/${path}`, options));
}

// The answer to a question; the last one stays on the page until the next is there, so that nothing flickers.
export function useAnswer(ask, dependencies) {
  const [state, setState] = useState({ data: null, error: null, loading: true });
  const newest = useRef(0);
  useEffect(() => {
    const number = ++newest.current;
    setState((old) => ({ ...old, loading: true }));
    const keep = (next) => number === newest.current && setState(next);
    Promise.resolve()
      .then(ask)
      .then((data) => keep({ data, error: null, loading: false }))
      .catch((error) => keep({ data: null, error, loading: false }));
  }, dependencies);
  return state;
}
