// The questions of the page as Python code and as commands.
const text = (value) => JSON.stringify(String(value));
const word = (value) => (/^[\w@%+=:,./-]+$/.test(value) ? value : `'${String(value).replaceAll("'", `'\\''`)}'`);

// The function of pandas that reads the file, if it is a table of one that was named on the command line.
function reader({ path }) {
  if (/\.(csv|tsv)(\.gz|\.bz2)?$/i.test(path)) return `read_csv(${text(path)}${/\.tsv/i.test(path) ? ', sep="\\t"' : ""})`;
  return /\.parquet$/i.test(path) ? `read_parquet(${text(path)})` : "";
}

function givenLabels({ tags }, found) {
  if (!found) return ["# Y: the given labels, a column of 0 and 1 for each of model.label_names_"];
  if (!tags) return ["Y = X[list(model.label_names_)].to_numpy()"];
  return [`tags = setwise.read_tags(X[${text(tags)}].fillna(""))`, "Y = tags.Y[:, [tags.columns.index(name) for name in model.label_names_]]"];
}

export function loading(session, model = 0, needsLabels = false) {
  const { path } = session.models[model];
  const found = path && reader(session);
  const lines = found ? ["import pandas as pd", "import setwise"] : ["import setwise"];
  lines.push(path ? `model = setwise.load(${text(path)})` : "# model, X and Y are those that you passed to setwise.explore");
  if (found) lines.push(`X = pd.${found}`);
  else if (path) lines.push("# X: the rows, as the model takes them");
  if (path && needsLabels) lines.push(...givenLabels(session, found));
  return lines;
}

export function rowPython(session, { row, model, evidence, changes }) {
  const known = Object.entries(evidence).map(([j, value]) => `${text(session.labels[j])}: ${value}`);
  const table = session.models[model].path && reader(session);
  const lines = loading(session, model);
  for (const [name, value] of Object.entries(changes)) lines.push(table ? `X.loc[${row}, ${text(name)}] = ${JSON.stringify(value)}` : `# with ${text(name)} changed to ${JSON.stringify(value)}`);
  lines.push(`joint = setwise.distribution_of(model, ${table ? `X.iloc[[${row}]]` : `X[[${row}]]`})`);
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
  const lines = [...loading(session, 0, true), `errors = setwise.find_label_errors(model, X, Y, cv=${session.folds || 5})`, "errors.to_frame(100)"];
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
  const lines = [...loading(session, model, JSON.stringify(decision).includes('"among":"seen"')), ...(names.length ? [`from setwise.decisions import ${names.join(", ")}`] : []), `decided = setwise.distribution_of(model, X).decide(${written(decision)})`, "decided.labels, decided.expected_loss.mean()"];
  return `${lines.join("\n")}\n`;
}

export function slicePython(session, conditions) {
  const label = (j) => `Y[:, ${j}]  # ${text(session.labels[j])}`;
  const lines = ["import numpy as np", ...loading(session, 0, true), "keep = np.ones(len(Y), dtype=bool)"];
  for (const j of conditions.on || []) lines.push(`keep &= 1 == ${label(j)}`);
  for (const j of conditions.off || []) lines.push(`keep &= 0 == ${label(j)}`);
  if (conditions.exactly) lines.push(`keep &= (Y == np.isin(np.arange(Y.shape[1]), [${conditions.exactly}])).all(axis=1)`);
  if (conditions.size != null) lines.push(`keep &= (Y == 1).sum(axis=1) == ${conditions.size}`);
  const others = ["text", "confidence", "outcome", "column", "value"].filter((name) => conditions[name] != null).map((name) => `${name} ${JSON.stringify(conditions[name])}`);
  if (others.length) lines.push(`# not in this code: ${others.join(", ")}`);
  lines.push(`Y[keep].mean(axis=0), ${reader(session) ? "pd.DataFrame(Y[keep], columns=model.label_names_).corr()" : "np.corrcoef(Y[keep].T)"}`);
  return `${lines.join("\n")}\n`;
}

export function comparePython(session) {
  const second = session.models[1].path;
  const lines = loading(session, 0, true);
  lines.push(second ? `other = setwise.load(${text(second)})` : "# other is the second model that you passed");
  lines.push("a, b = model.predict(X), other.predict(X)", "disagree = (a != b).any(axis=1)", "(a == Y).all(axis=1).mean(), (b == Y).all(axis=1).mean(), disagree.sum()");
  return `${lines.join("\n")}\n`;
}
