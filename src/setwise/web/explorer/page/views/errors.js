// The errors desk: suspicious rows one after another, decided with one key each.
import { html, useEffect, useLayoutEffect, useRef, useState } from "../vendor/preact-htm.js";
import { get, post, useAnswer } from "../api.js";
import { deskPython, exploreCommand } from "../code.js";
import { count, entry, percent, setText } from "../format.js";
import { go, routeTo } from "../route.js";
import { Card, Waiting } from "../parts/card.js";
import { List } from "../parts/list.js";
import { Chips } from "../parts/sets.js";
import { Info } from "../parts/tips.js";
import { Toolbar } from "../parts/toolbar.js";
import { TakeHome } from "../parts/takehome.js";

const HEIGHT = 54;
// Characters from which an entry is a text to read, and entries that are listed.
const LONG = 40;
const ENTRIES = 60;
const SIGNS = { accept: "✓", edit: "✎", keep: "=", skip: "…" };
const WORDS = { accept: "accepted", edit: "edited", keep: "kept", skip: "skipped" };

function Verdict({ decided, names }) {
  if (!decided) return null;
  return html`<p class=${`verdict ${decided.action}`} role="status" data-tip="saved">
    <b>${SIGNS[decided.action]} ${WORDS[decided.action]}</b>
    ${decided.action !== "skip" && html`<span>${decided.labels.length ? decided.labels.join(", ") : "no labels"}</span>`}
    <span class="soft">saved ${decided.time.replace("T", " ").slice(0, 16)}</span></p>`;
}

function Editor({ names, start, onSave, onCancel }) {
  const [chosen, setChosen] = useState(new Set(start));
  const [text, setText_] = useState("");
  const box = useRef(null);
  useEffect(() => box.current?.querySelector("input")?.focus(), []);
  const flip = (j) => setChosen((old) => { const next = new Set(old); next.has(j) ? next.delete(j) : next.add(j); return next; });
  const shown = names.map((name, j) => [name, j]).filter(([name]) => name.toLowerCase().includes(text.toLowerCase()));
  const save = () => onSave([...chosen].sort((a, b) => a - b));
  return html`<div class="editor" ref=${box} onKeyDown=${(event) => { if (event.key === "Enter") { event.preventDefault(); save(); } if (event.key === "Escape") onCancel(); }}>
    ${names.length > 20 && html`<input type="search" aria-label="Find a label" placeholder=${`Find one of ${names.length} labels`} value=${text} onInput=${(event) => setText_(event.target.value)} />`}
    <div class="choices">${shown.map(([name, j]) => html`<label key=${j} class=${chosen.has(j) ? "chosen" : ""}><input type="checkbox" checked=${chosen.has(j)} onChange=${() => flip(j)} /> ${name}</label>`)}</div>
    <p class="buttons"><button type="button" class="primary" onClick=${save}>Save these labels <kbd>Enter</kbd></button><button type="button" onClick=${onCancel}>Cancel <kbd>Esc</kbd></button></p>
  </div>`;
}

const Reasons = ({ reasons, names }) => html`<table class="reasons">
  <thead><tr><th>label</th><th>given</th><th>expected <${Info} tip="labels" /></th><th>probably wrong <${Info} tip="wrong" /></th></tr></thead>
  <tbody>${reasons.map((one) => html`<tr key=${one.label} class=${one.wrong > 0.5 ? "likely" : ""}>
    <th scope="row">${names[one.label]}</th><td>${one.given === 1 ? "on" : "off"}</td><td>${percent(one.marginal)}</td>
    <td><span class="track"><span class="fill" style=${{ width: `${100 * one.wrong}%` }}></span></span> ${percent(one.wrong)}</td></tr>`)}
  </tbody></table>`;

function Progress({ progress }) {
  const { reviewed, changed, skipped, suspects, next, expected_changes: expected } = progress;
  const about = expected < 1 ? "hardly any" : `about ${Math.round(expected)}`;
  return html`<${Card} title="Progress" name="card-progress">
    <progress max=${Math.max(suspects, 1)} value=${reviewed} aria-label="Reviewed rows"></progress>
    <p><b>${count(reviewed)}</b> reviewed, <b>${count(changed)}</b> changed${skipped ? `, ${count(skipped)} skipped` : ""}; ${count(suspects)} look suspicious.</p>
    ${next > 0 && html`<p class="hint" data-tip="stopping-hint" tabindex="0">The next ${next} would change ${about}.</p>`}
  <//>`;
}

function Desk({ session, row, suspect, onDone }) {
  const names = session.labels;
  const [editing, setEditing] = useState(false);
  const [note, setNote] = useState(suspect.decided?.note || "");
  const [problem, setProblem] = useState("");
  const [busy, setBusy] = useState(false);
  const noteBox = useRef(null);
  const cells = useAnswer(() => get(`row/${row}`), [row]).data?.cells || [];
  // what people read is above the labels that they judge, the other entries are below
  const texts = cells.filter((cell) => !cell.is_number && (cells.length === 1 || String(cell.value ?? "").length > LONG));
  const entries = cells.filter((cell) => !texts.includes(cell));

  const decide = async (action, labels) => {
    if (busy) return;
    setBusy(true);
    try {
      const body = { row, action, labels: labels.map((j) => names[j]), note: action === "undo" ? "" : noteBox.current.value, seen: suspect.version };
      onDone(await post("corrections", body), action);
      setProblem("");
    } catch (error) {
      setProblem(error.message);
      if (error.status === 409) onDone(await get(`suspects/${row}`), "conflict");
    }
    setBusy(false);
    setEditing(false);
  };
  const actions = {
    a: ["Accept", "the suggestion", () => decide("accept", suspect.suggested)],
    k: ["Keep", "the given labels", () => decide("keep", suspect.given)],
    e: ["Edit", "choose the labels", () => setEditing(true)],
    s: ["Skip", "decide later", () => decide("skip", suspect.given)],
    u: ["Undo", "the last decision about this row", () => suspect.decided && decide("undo", [])],
  };
  // before the row is painted: the next key may come at once
  useLayoutEffect(() => {
    const pressed = (event) => {
      if (event.target.matches("input, textarea, select") || event.ctrlKey || event.metaKey || event.altKey || editing) return;
      if (actions[event.key]) actions[event.key][2]();
      else if (event.key === "n") noteBox.current?.focus();
      else if (event.key === "ArrowDown" && suspect.next != null) go("errors", { at: suspect.next });
      else if (event.key === "ArrowUp" && suspect.previous != null) go("errors", { at: suspect.previous });
      else return;
      event.preventDefault();
    };
    addEventListener("keydown", pressed);
    return () => removeEventListener("keydown", pressed);
  });
  return html`
    <${Card} title=${`Row ${row}`} name="card-suspect" tools=${html`${suspect.place != null && html`<span class="soft">${suspect.place + 1} of ${count(suspect.progress.suspects)}, score <span data-tip="score" tabindex="0">${suspect.score?.toFixed(2)}</span> · </span>`}<a href=${routeTo("row", { row })}>open the row</a>`}>
      ${texts.map((cell) => html`<blockquote key=${cell.name} class="passage" tabindex="0">${cells.length > 1 && html`<span class="soft">${cell.name}</span>`}${cell.value ?? ""}</blockquote>`)}
      <div class="against">
        <div><h3>Given <span class="soft" data-tip="probability-given" tabindex="0">${percent(suspect.probability_given)}</span></h3><${Chips} labels=${suspect.given} names=${names} /></div>
        <div><h3>Suggested <span class="soft" data-tip="probability-suggested" tabindex="0">${percent(suspect.probability_suggested)}</span></h3><${Chips} labels=${suspect.suggested} names=${names} against=${suspect.given} /></div>
      </div>
      ${editing
        ? html`<${Editor} names=${names} start=${suspect.decided && suspect.decided.action !== "skip" ? suspect.decided.labels.map((name) => names.indexOf(name)) : suspect.given} onSave=${(labels) => decide("edit", labels)} onCancel=${() => setEditing(false)} />`
        : html`<p class="buttons actions">${Object.entries(actions).map(([key, [name, what, act]]) => html`<button type="button" key=${key} class=${key === "a" ? "primary" : ""} onClick=${act} title=${what}
            disabled=${busy || (key === "u" && !suspect.decided)}>${name} <kbd>${key}</kbd></button>`)}</p>`}
      <label class="notebox">Note <kbd>n</kbd> <input ref=${noteBox} maxlength="2000" value=${note} placeholder="why, for whom, to check ..." onInput=${(event) => setNote(event.target.value)}
        onKeyDown=${(event) => event.key === "Enter" && event.target.blur()} /></label>
      <${Verdict} decided=${suspect.decided} names=${names} />
      ${problem && html`<p class="problem" role="alert">${problem}</p>`}
    <//>
    <div class="pair">
      <${Card} title="Why it looks wrong" tip="wrong" name="card-reasons"><${Reasons} reasons=${suspect.reasons} names=${names} /><//>
      ${entries.length > 0 && html`<${Card} title="The row" name="card-text">
        <div class="scroll" tabindex="0" role="region" aria-label="Entries of the row"><dl class="entries">${entries.slice(0, ENTRIES).map((cell) => html`<div key=${cell.name}><dt>${cell.name}</dt><dd>${entry(cell, 5)}</dd></div>`)}</dl></div>
        ${entries.length > ENTRIES && html`<p class="note">${entries.length - ENTRIES} more columns are on the page of the row.</p>`}
      <//>`}
    </div>`;
}

// What is shown until the first suspects are there.
function Fitting({ job }) {
  if (job?.state === "failed") return html`<p class="problem" role="alert">${job.error}</p>`;
  return html`<${Card} title="Looking for labels that look wrong" name="card-fitting">
    <p>A model doubts its own training rows too little. So models of the same kind are now being fitted, each without the rows that it will judge.</p>
    <progress max="1" value=${job?.share || 0} aria-label="Fitting held-out models"></progress>
    <p class="soft">${percent(job?.share || 0)} done. Meanwhile you can <a href=${routeTo("row", {})}>look at rows</a> or <a href=${routeTo("data", {})}>at the labels</a>; this page continues by itself.</p>
  <//>`;
}

export function ErrorsView({ session, query, jobs }) {
  const judged = jobs.find((job) => job.name === "judge 0");
  const ready = judged?.state === "done";
  const [version, setVersion] = useState(0);
  const first = useAnswer(() => (ready ? get("suspects?start=0&stop=1") : null), [ready]);
  const at = query.at != null ? Number(query.at) : first.data?.rows[0]?.row;
  const [suspect, setSuspect] = useState(null);
  const loaded = useAnswer(() => (ready && at != null ? get(`suspects/${at}`) : null), [ready, at]);
  useEffect(() => setSuspect(loaded.data), [loaded.data]);
  const done = (found, action) => {
    setVersion((n) => n + 1);
    if (["accept", "keep", "edit", "skip"].includes(action) && found.next != null) go("errors", { at: found.next });
    else setSuspect(found);
  };
  if (!session.journal) return html`<div class="main"><p class="unavailable">The rows have no labels, so there is nothing to check. Open the explorer with labelled data: <code>setwise explore model.setwise data.csv</code>.</p></div>`;
  if (!ready) return html`<div class="main"><div class="heading"><h1>Errors desk</h1></div><${Fitting} job=${judged} /></div>`;
  const show = (line) => html`<button type="button" class=${`line ${line.row === at ? "chosen" : ""} ${line.decided?.action || ""}`} aria-current=${line.row === at} onClick=${() => go("errors", { at: line.row })}>
    <span class="number">${line.decided ? SIGNS[line.decided.action] : line.row}</span>
    <span class="summary">${line.decided ? `${line.row}: ` : ""}${line.summary}</span><span class="sets">${setText(line.given, session.labels)}</span>
    <span class="confidence" title="Probability that a label is wrong">${percent(line.wrong)}</span></button>`;
  const csv = () => [["row", "label", "given", "probably wrong", "expected"], ...suspect.reasons.map((one) => [suspect.row, session.labels[one.label], one.given, one.wrong, one.marginal])];
  return html`
    <aside class="side" aria-label="Suspicious rows">
      <p class="note">${suspect ? count(suspect.progress.suspects) : "..."} rows look suspicious, the most suspicious first</p>
      <${List} name="Suspicious rows" version=${version} keep=${true} height=${HEIGHT} ask=${(start, stop) => get(`suspects?start=${start}&stop=${stop}`)} show=${show} chosen=${suspect?.place} />
    </aside>
    <div class="main">
      <div class="heading"><h1>Errors desk</h1><span class="soft" data-tip="saved" tabindex="0">saved in ${session.journal}</span>
        <${Toolbar} name="suspect" python=${() => deskPython(session)} command=${() => exploreCommand(session)} csv=${suspect && csv} /></div>
      ${first.data && first.data.total === 0 && html`<p>No row looks suspicious: the models agree with the labels.</p>`}
      ${loaded.error && html`<p class="problem" role="alert">${loaded.error.message}</p>`}
      ${suspect && suspect.row === at && html`<div class="desk"><div class="column"><${Desk} key=${at} session=${session} row=${at} suspect=${suspect} onDone=${done} /></div>
        <div class="column"><${Progress} progress=${suspect.progress} /><${TakeHome} session=${session} changed=${suspect.progress.changed} jobs=${jobs} /></div></div>`}
    </div>`;
}
