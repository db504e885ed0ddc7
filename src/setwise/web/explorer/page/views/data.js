// The data and their labels: frequencies, pairs, slices and their scores, reliability.
import { html, useMemo, useState } from "../vendor/preact-htm.js";
import { post, useAnswer } from "../api.js";
import { exploreCommand, slicePython } from "../code.js";
import { count, percent } from "../format.js";
import { go, replace, routeTo } from "../route.js";
import { Card, Waiting } from "../parts/card.js";
import { List } from "../parts/list.js";
import { Pairs } from "../parts/pairs.js";
import { Reliability } from "../parts/reliability.js";
import { Chips } from "../parts/sets.js";
import { conditionsOf, setQuery, SliceForm } from "../parts/slice.js";
import { Toolbar } from "../parts/toolbar.js";

const HEIGHT = 54;

function Frequencies({ figures, names, onPick }) {
  const [text, setText] = useState("");
  const order = names.map((_, j) => j).sort((a, b) => figures.frequencies[b] - figures.frequencies[a]);
  const most = figures.frequencies[order[0]] || 1;
  const shown = order.filter((j) => names[j].toLowerCase().includes(text.toLowerCase()));
  return html`${names.length > 20 && html`<div class="filters"><input type="search" aria-label="Find a label" placeholder=${`Find one of ${names.length} labels`} value=${text} onInput=${(event) => setText(event.target.value)} /></div>`}
    <ul class="frequencies">${shown.map((j) => html`<li key=${j}><button type="button" class="name" title=${`Rows with ${names[j]}`} onClick=${() => onPick(j)}>${names[j]}</button>
      <span class="track" aria-hidden="true"><span class="fill" style=${{ width: `${(100 * figures.frequencies[j]) / most}%` }}></span></span><span class="value" data-label=${j} data-frequency=${figures.frequencies[j]}>${percent(figures.frequencies[j])}</span></li>`)}</ul>`;
}

function SizeChart({ sizes, onPick }) {
  const most = Math.max(...sizes, 1);
  return html`<ol class="sizes" style=${{ gridTemplateColumns: `repeat(${sizes.length}, minmax(0, 1fr))` }}>${sizes.map((n, size) => html`<li><button type="button" class="bar-button" title=${`${size} labels: ${count(n)} rows`} aria-label=${`${size} labels: ${n} rows`} onClick=${() => onPick(size)}>
    <span class="column" style=${{ height: `${(100 * n) / most}%` }}></span></button><span class="size">${sizes.length <= 20 || size % 5 === 0 ? size : ""}</span></li>`)}</ol>`;
}

// The most frequent whole sets, each a slice.
const FrequentSets = ({ sets, names, onPick }) => html`<ol class="frequent">${sets.map((one) => html`<li key=${one.labels.join()}><button type="button" class="quiet" title="Rows with exactly this set" onClick=${() => onPick(one.labels)}><${Chips} labels=${one.labels} names=${names} inside /></button><span class="value">${count(one.count)}</span></li>`)}</ol>`;

const show = { "log-loss": (x) => x.toFixed(3) };
const Scores = ({ scores }) => html`<table class="scores"><thead><tr><th></th><th>slice</th><th>all rows</th></tr></thead><tbody>${scores.scores.map((one) => {
  const form = show[one.name] || percent;
  const cell = (value) => (value.mean == null ? "-" : html`<b>${form(value.mean)}</b><span class="range">${value.low == null ? "" : `${form(value.low)} to ${form(value.high)}`}</span>`);
  return html`<tr key=${one.name}><th scope="row">${one.name}</th><td data-score=${one.name} data-value=${one.slice.mean}>${cell(one.slice)}</td><td>${cell(one.all)}</td></tr>`;
})}</tbody></table>`;

export function DataView({ session, query, jobs }) {
  const names = session.labels;
  const model = Number(query.m || 0);
  const ready = jobs.find((job) => job.name === `judge ${model}`)?.state === "done";
  const conditions = useMemo(() => conditionsOf(query), [JSON.stringify(query)]);
  const key = JSON.stringify(conditions);
  const figures = useAnswer(() => post("labels", conditions), [key, ready]);
  const scores = useAnswer(() => (ready ? post("scores", conditions) : null), [key, ready]);
  const points = useAnswer(() => (ready ? post("reliability", conditions) : null), [key, ready]);
  const set = (more) => replace("data", { ...query, ...more });
  if (!session.journal) return html`<div class="main"><p class="unavailable">The rows have no labels.</p></div>`;
  const line = (row) => html`<a class="line" href=${routeTo("row", { row: row.row, slice: key === "{}" ? "" : key })}><span class="number">${row.row}</span><span class="summary">${row.summary}</span>
    <span class="sets"><${Chips} labels=${row.predicted || row.given} names=${names} against=${row.predicted ? row.given : null} inside /></span>${row.confidence != null && html`<span class="confidence">${percent(row.confidence)}</span>`}</a>`;
  const csv = () => [["label", "share of rows"], ...names.map((name, j) => [name, figures.data.frequencies[j]])];
  return html`<div class="main">
    <div class="heading"><h1>Data and labels</h1>
      ${session.models.length > 1 && html`<label>Judged by <select value=${model} onChange=${(event) => set({ m: event.target.value })}>${session.models.map((one, place) => html`<option value=${place}>${one.name} (${one.kind})</option>`)}</select></label>`}
      <${Toolbar} name="labels" python=${() => slicePython(session, conditions)} command=${() => exploreCommand(session)} csv=${figures.data && csv} /></div>
    <${SliceForm} session=${session} query=${query} onSet=${set} total=${figures.data?.rows} />
    ${figures.error && html`<p class="problem" role="alert">${figures.error.message}</p>`}
    ${figures.data && html`<div class="cards">
      <div class="column">
        <${Card} title="How often labels occur" tip="frequencies" name="card-frequencies"><${Frequencies} figures=${figures.data} names=${names} onPick=${(j) => go("data", { ...query, on: String(j) })} /><//>
        <${Card} title="Number of labels" tip="set-sizes" name="card-set-sizes"><${SizeChart} sizes=${figures.data.sizes} onPick=${(size) => go("data", { ...query, size })} /><//>
        <${Card} title=${`Whole sets: ${count(figures.data.distinct)} different ones`} tip="frequent-sets" name="card-frequent"><${FrequentSets} sets=${figures.data.sets} names=${names} onPick=${(labels) => go("data", { ...query, set: setQuery(labels) })} /><//>
      </div>
      <${Card} title="Labels that go together" tip="pairs" name="card-pairs"><${Pairs} pairs=${figures.data.pairs} names=${names} onPick=${(i, j) => go("data", { ...query, on: `${i},${j}` })} /><//>
      <div class="column">
        <${Card} title="Scores of this slice" tip="slice" name="card-scores">${scores.data ? html`<${Scores} scores=${scores.data} />` : html`<${Waiting} error=${scores.error} what="waiting for the held-out models" />`}<//>
        <${Card} title="Are the probabilities right?" tip="reliability" name="card-reliability">${points.data ? html`<${Reliability} points=${points.data} onPick=${(low, high) => go("data", { ...query, low, high })} />` : html`<${Waiting} error=${points.error} what="waiting for the held-out models" />`}<//>
        <${Card} title="Rows of this slice" name="card-rows"><div class="fixed"><${List} name="Rows of this slice" version=${`${key}${ready}`} height=${HEIGHT} ask=${(start, stop) => post("rows", { ...conditions, start, stop })} show=${line} /></div><//>
      </div></div>`}
  </div>`;
}
