// Two models: where they disagree, which is right, and whether that is more than chance.
import { html, useState } from "../vendor/preact-htm.js";
import { get, useAnswer } from "../api.js";
import { comparePython, exploreCommand } from "../code.js";
import { count, percent } from "../format.js";
import { replace, routeTo } from "../route.js";
import { Card } from "../parts/card.js";
import { List } from "../parts/list.js";
import { Chips } from "../parts/sets.js";
import { Toolbar } from "../parts/toolbar.js";

const HEIGHT = 76;
// Labels of a set that a row of the list has room for.
const MOST = 6;
const p = (value) => (value == null ? "-" : value < 0.0001 ? "< 0.0001" : value.toFixed(4));

function Verdict({ answer, models }) {
  const better = (values, smaller) => (values[0] === values[1] ? null : (values[0] < values[1]) === smaller ? 0 : 1);
  const row = (name, values, smaller, value, form) => {
    const best = better(values, smaller);
    return html`<tr><th scope="row">${name}</th>${values.map((one, place) => html`<td class=${place === best && value != null && value < 0.05 ? "best" : ""}>${form(one)}</td>`)}<td>${p(value)}</td></tr>`;
  };
  return html`<table class="verdicts"><thead><tr><th>on unseen rows</th>${models.map((model) => html`<th>${model.name} <span class="soft">${model.kind}</span></th>`)}<th data-tip="significance" tabindex="0">p-value</th></tr></thead><tbody>
    ${row("exact match", answer.exact, false, answer.exact_p, percent)}${row("log-loss", answer.log_loss, true, answer.log_loss_p, (x) => (x == null ? "-" : x.toFixed(4)))}</tbody></table>`;
}

export function ModelsView({ session, query, jobs }) {
  const names = session.labels;
  const [answer, setAnswer] = useState(null);
  const ready = [0, 1].every((number) => jobs.find((job) => job.name === `judge ${number}`)?.state === "done");
  const right = query.right || "";
  const summary = useAnswer(() => (ready ? get("comparison?start=0&stop=1") : null), [ready]);
  if (session.models.length < 2) return html`<div class="main"><h1>Two models</h1><p class="unavailable">Open the explorer with two model files to compare them: <code>setwise explore first.setwise second.setwise data.csv</code>.</p></div>`;
  const found = summary.data;
  const line = (row) => html`<a class="line versus" href=${routeTo("row", { row: row.row })}><span class="number">${row.row}<span class="soft">${row.stake.toFixed(2)}</span></span>
    <span class="given"><span class="soft">given</span> <${Chips} labels=${row.given} names=${names} most=${MOST} inside /></span>
    ${[0, 1].map((side) => html`<span class=${`side-${side} ${row.right[side] ? "right" : ""}`}><span class="soft">${session.models[side].name} ${percent(row.probabilities[side])} ${row.right[side] ? "✓" : ""}</span> <${Chips} labels=${row.sets[side]} names=${names} against=${row.given} most=${MOST} inside /></span>`)}</a>`;
  const csv = () => [["row", "at stake", "given", "first", "second", "first is right", "second is right"], ...answer.rows.map((row) => [row.row, row.stake, ...[row.given, ...row.sets].map((labels) => labels.map((j) => names[j]).join("; ")), Number(row.right[0]), Number(row.right[1])])];
  return html`<div class="main tall">
    <div class="heading"><h1>Two models</h1><${Toolbar} name="models" python=${() => comparePython(session)} command=${() => exploreCommand(session)} csv=${answer && csv} /></div>
    ${summary.error && html`<p class="problem" role="alert">${summary.error.message}</p>`}
    ${!ready && !summary.error && html`<${Card} title="Which one is better?" name="card-fitting"><p role="status">Both are being judged by models of their kind that have not seen the rows. This page continues by itself.</p><//>`}
    ${found && html`<${Card} title="Which one is better?" tip="significance" name="card-verdict"><${Verdict} answer=${found} models=${session.models} /><//>
    <${Card} title=${`They disagree on ${count(found.disagree)} of ${count(session.rows)} rows`} tip="disagreement" name="card-disagree">
      <div class="choice">${[["", "all", found.disagree], ["first", `only ${session.models[0].name} is right`, found.counts.first], ["second", `only ${session.models[1].name} is right`, found.counts.second], ["neither", "neither is right", found.counts.neither]].map(
        ([id, name, n]) => html`<button type="button" key=${id} class=${right === id ? "chosen" : ""} aria-pressed=${right === id} onClick=${() => replace("models", { ...query, right: id })}>${name}: ${count(n)}</button>`)}</div>
      <div class="fixed high"><${List} name="Rows on which the models disagree" version=${right} height=${HEIGHT} ask=${(start, stop) => get(`comparison?start=${start}&stop=${stop}&right=${right}`)} onTotal=${(_, page) => setAnswer(page)} show=${line} /></div><//>`}
  </div>`;
}
