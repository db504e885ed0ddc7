// What every view offers: a link to it, the same in Python and on the command line, and its numbers as CSV.
import { html, useState } from "../vendor/preact-htm.js";

function useFlash() {
  const [done, setDone] = useState("");
  return [done, (what) => { setDone(what); setTimeout(() => setDone(""), 1500); }];
}

async function copied(text) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    const area = document.createElement("textarea");
    area.value = text;
    document.body.append(area);
    area.select();
    document.execCommand("copy");
    area.remove();
  }
}

// A spreadsheet must not take a text for a formula.
function csvCell(value) {
  const text = value == null ? "" : String(value);
  const safe = typeof value === "string" && /^\s*[=+\-@\t\r\n]/.test(text) && !Number.isFinite(Number(text)) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

export const csvText = (rows) => rows.map((row) => row.map(csvCell).join(",") + "\n").join("");

export function download(name, text, type = "text/csv") {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

export function Toolbar({ python, command, csv, name }) {
  const [done, flash] = useFlash();
  const copy = (what, text) => copied(text).then(() => flash(what));
  const item = (what, title, text) => html`<button type="button" onClick=${() => copy(what, text())} title=${title}>${done === what ? "Copied" : what}</button>`;
  return html`<div class="toolbar" role="group" aria-label="Take this view home">
    ${item("Link", "Copy the address of exactly this view", () => location.href)}
    ${python && item("Python", "Copy Python code that computes these numbers", python)}
    ${command && item("Command", "Copy the command that opens or computes this", command)}
    ${csv && html`<button type="button" onClick=${() => { download(`${name}.csv`, csvText(csv())); flash("CSV"); }} title="Save the numbers shown here">${done === "CSV" ? "Saved" : "CSV"}</button>`}
  </div>`;
}
