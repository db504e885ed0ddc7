// The corrections to take home, and the model fitted with them.
import { html, useState } from "../vendor/preact-htm.js";
import { get, post, useAnswer } from "../api.js";
import { count, figure, plural } from "../format.js";
import { routeTo } from "../route.js";
import { Card } from "./card.js";

const NAME = "fitting with the corrections";

function Report({ report }) {
  return html`<div class="report"><p>${count(report.labels_corrected)} labels in ${count(report.rows_corrected)} rows were corrected. The predictions for <b>${count(report.predictions_changed)}</b> rows changed.</p>
    <table><thead><tr><th>on unseen rows</th><th>before</th><th>after</th><th>change</th></tr></thead>
    <tbody>${report.scores.map((one) => html`<tr key=${one.name}><th scope="row">${one.name}</th><td>${one.before.toFixed(4)}</td><td>${one.after.toFixed(4)}</td>
      <td>${one.difference > 0 ? "+" : ""}${one.difference.toFixed(4)}<span class="range">± ${figure(one.standard_error, 2)}</span></td></tr>`)}</tbody></table>
    ${report.rows.length > 0 && html`<p class="note">Rows that changed: ${report.rows.slice(0, 12).map((row) => html`<a href=${routeTo("row", { row })}>${row}</a> `)}</p>`}
    <p><a class="button" href="/api/export/model.setwise" download>Save the new model</a></p></div>`;
}

export function TakeHome({ session, changed, jobs }) {
  const job = jobs.find((one) => one.name === NAME);
  const [problem, setProblem] = useState("");
  const busy = job?.state === "running" || job?.state === "waiting";
  const found = useAnswer(() => get("refit"), [job?.state, changed]);
  const start = () => post("refit", {}).then(() => setProblem(""), (error) => setProblem(error.message));
  return html`
    <${Card} title="Take the corrections home" name="card-exports">
      <ul class="exports">
        <li><a href="/api/export/patch.csv" download>Patch</a> <span class="soft">CSV, a line for every label that changed</span></li>
        <li><a href="/api/export/corrected.csv" download>Corrected copy</a> <span class="soft">CSV of all rows; your file stays as it is</span></li>
        <li><a href="/api/export/label-studio.json" download>Label Studio</a> <span class="soft">JSON tasks with your decisions</span></li>
      </ul>
    <//>
    <${Card} title="Fit with the corrections" name="card-refit">
      ${found.data?.report ? html`<${Report} report=${found.data.report} />` : html`<p class="soft">See what ${changed ? plural(changed, "corrected row") : "corrections"} would change, on rows that the models have not seen.</p>`}
      ${busy ? html`<progress max="1" value=${job.share} aria-label="Fitting"></progress>` : html`<button type="button" onClick=${start} disabled=${!changed}>${found.data?.report ? "Fit again" : "Fit the model again"}</button>`}
      ${(problem || job?.error) && html`<p class="problem" role="alert">${problem || job.error}</p>`}
    <//>`;
}
