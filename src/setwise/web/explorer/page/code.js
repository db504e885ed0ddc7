// The questions of the page as Python code and as commands.
const text = (value) => JSON.stringify(String(value));
const word = (value) => (/^[\w@%+=:,./-]+$/.test(value) ? value : `'${String(value).replaceAll("'", `'\\''`)}'`);

export function loading(session, model = 0) {
  const { path } = session.models[model];
  const lines = ["import setwise"];
  if (path) lines.push(`model = setwise.load(${text(path)})`);
  else lines.push("# model and X are those that you passed to setwise.explore");
  return lines;
}

export function rowPython(session, { row, model, evidence, changes }) {
  const known = Object.entries(evidence).map(([j, value]) => `${text(session.labels[j])}: ${value}`);
  const lines = [...loading(session, model), `joint = setwise.distribution_of(model, X[[${row}]])`];
  if (Object.keys(changes).length) lines.push(`# with ${Object.entries(changes).map(([name, value]) => `${text(name)} changed to ${text(value)}`).join(", ")}`);
  if (known.length) lines.push(`joint = joint.condition({${known.join(", ")}})`);
  lines.push("joint.marginals(), joint.top_k(10), joint.size_probs(), joint.next_question()");
  return `${lines.join("\n")}\n`;
}

export function exploreCommand(session) {
  const models = session.models.map((model) => model.path).filter(Boolean);
  if (!models.length || !session.path) return "setwise explore --demo";
  return `setwise explore ${[...models, session.path].map(word).join(" ")}`;
}

export function deskPython(session) {
  const lines = [...loading(session), `errors = setwise.find_label_errors(model, X, Y, cv=${session.folds || 5})`, "errors.to_frame(100)"];
  return `${lines.join("\n")}\n`;
}

// A decision as it is written in Python.
function written(decision) {
  if (typeof decision === "string") return text(decision);
  const { rule, ...parameters } = decision;
  const parts = Object.entries(parameters).map(([name, value]) => `${name}=${value === "seen" ? "Y" : name === "decision" ? written(value) : JSON.stringify(value)}`);
  return `${rule}(${parts.join(", ")})`;
}

const rulesIn = (decision) => (typeof decision === "string" ? [] : [decision.rule, ...rulesIn(decision.decision || "")]);

export function decisionPython(session, decision, model = 0) {
  const names = rulesIn(decision);
  const lines = [...loading(session, model), ...(names.length ? [`from setwise.decisions import ${names.join(", ")}`] : []), `decided = setwise.distribution_of(model, X).decide(${written(decision)})`, "decided.labels, decided.expected_loss.mean()"];
  return `${lines.join("\n")}\n`;
}

export function slicePython(session, conditions) {
  const label = (j) => `Y[:, ${j}]  # ${session.labels[j]}`;
  const lines = [...loading(session), "import numpy as np", "keep = np.ones(len(Y), dtype=bool)"];
  for (const j of conditions.on || []) lines.push(`keep &= 1 == ${label(j)}`);
  for (const j of conditions.off || []) lines.push(`keep &= 0 == ${label(j)}`);
  if (conditions.size != null) lines.push(`keep &= (Y == 1).sum(axis=1) == ${conditions.size}`);
  lines.push("Y[keep].mean(axis=0), np.corrcoef(Y[keep].T)");
  return `${lines.join("\n")}\n`;
}

export function comparePython(session) {
  const paths = session.models.map((model) => model.path);
  const lines = ["import setwise"];
  if (paths.every(Boolean)) paths.forEach((path, place) => lines.push(`${place ? "second" : "first"} = setwise.load(${text(path)})`));
  lines.push("a, b = first.predict(X), second.predict(X)", "disagree = (a != b).any(axis=1)", "(a == Y).all(axis=1).mean(), (b == Y).all(axis=1).mean(), disagree.sum()");
  return `${lines.join("\n")}\n`;
}
