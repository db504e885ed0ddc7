// The bar above every view: views, what is explored, progress of held-out models, theme, help.
import { html, useEffect, useState } from "./vendor/preact-htm.js";
import { count } from "./format.js";
import { routeTo } from "./route.js";
import { VIEWS } from "./views/all.js";
import { Help } from "./help/help.js";

const THEMES = { "": "Theme: as the system", light: "Theme: light", dark: "Theme: dark" };

function useTheme() {
  const [theme, setTheme] = useState(localStorage.getItem("setwise-theme") || "");
  useEffect(() => {
    document.documentElement.dataset.theme = theme;
    localStorage.setItem("setwise-theme", theme);
  }, [theme]);
  const names = Object.keys(THEMES);
  return [theme, () => setTheme(names[(names.indexOf(theme) + 1) % names.length])];
}

function Progress({ jobs }) {
  const job = jobs.find((one) => one.state === "running") || jobs.find((one) => one.state === "failed");
  if (!job) return null;
  if (job.state === "failed") return html`<span class="status failed" title=${job.error}>${job.error}</span>`;
  const what = job.name.startsWith("judge") ? "fitting held-out models" : job.name;
  return html`<span class="status" data-tip="judging" tabindex="0">${what}
    <progress max="1" value=${job.share} aria-label=${what}></progress></span>`;
}

export function Bar({ session, view, jobs }) {
  const [theme, nextTheme] = useTheme();
  const [help, setHelp] = useState(false);
  useEffect(() => {
    const pressed = (event) => {
      if (event.target.matches("input, textarea, select") || event.ctrlKey || event.metaKey || event.altKey) return;
      if (event.key === "?") setHelp((open) => !open);
      const chosen = VIEWS[Number(event.key) - 1];
      if (chosen) location.hash = routeTo(chosen.id, {});
    };
    addEventListener("keydown", pressed);
    return () => removeEventListener("keydown", pressed);
  }, []);
  return html`
    <header class="bar">
      <span class="brand"><img src="/page/icon.svg" alt="" width="22" height="22" /> setwise</span>
      <nav aria-label="Views">
        ${VIEWS.filter((one) => one.there(session)).map(
          (one) => html`<a href=${routeTo(one.id, {})} aria-current=${one.id === view.id ? "page" : null}
            data-tip=${`view-${one.id}`}>${one.name}</a>`,
        )}
      </nav>
      <span class="about"><b>${session.data}</b> ${count(session.rows)} rows, ${count(session.labels.length)} labels</span>
      <${Progress} jobs=${jobs} />
      <button class="icon" onClick=${nextTheme} aria-label=${THEMES[theme]} title=${THEMES[theme]}>
        ${{ "": "◐", light: "☀", dark: "☾" }[theme]}</button>
      <button class="icon" onClick=${() => setHelp(true)} aria-label="Help and keys" title="Help and keys">?</button>
    </header>
    ${help && html`<${Help} session=${session} close=${() => setHelp(false)} />`}`;
}
