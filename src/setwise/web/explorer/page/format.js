// Numbers in few characters.
export function percent(p) {
  if (p == null) return "-";
  if (p > 0 && p < 0.001) return "<0.1 %";
  if (p < 1 && p > 0.999) return ">99.9 %";
  return `${Number((100 * p).toFixed(p < 0.0995 || p > 0.9005 ? 1 : 0))} %`;
}

export const count = (n) => (n == null ? "-" : n.toLocaleString("en-US"));
export const plural = (n, word) => `${count(n)} ${word}${n === 1 ? "" : "s"}`;

export function figure(x, digits = 3) {
  if (x == null) return "-";
  return typeof x === "number" ? String(Number(x.toPrecision(digits))) : String(x);
}

// An entry of a row; a number in few digits, what is not one as it is.
export function entry(cell, digits) {
  const x = cell.value === "" || cell.value == null ? NaN : Number(cell.value);
  return cell.is_number && Number.isFinite(x) ? figure(x, digits) : String(cell.value ?? "");
}

export function setText(labels, names, most = 8) {
  if (!labels.length) return "(no labels)";
  const more = labels.length > most ? ` and ${labels.length - most} more` : "";
  return labels.slice(0, most).map((j) => names[j]).join(", ") + more;
}
