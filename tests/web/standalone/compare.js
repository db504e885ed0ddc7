// Answers queries with joint.js: {model, queries} as JSON on standard input, the largest differences on standard output.
const fs = require("fs");
const source = fs.readFileSync(process.argv[2], "utf8");
const { readModel, partsOf, ask, topK } = new Function(`${source}; return { readModel, partsOf, ask, topK };`)();
const { models } = JSON.parse(fs.readFileSync(0, "utf8"));
const apart = (a, b) => (a.length === b.length ? Math.max(0, ...a.map((value, i) => Math.abs(value - b[i]))) : Infinity);
const out = {};
for (const [name, { plain, queries }] of Object.entries(models)) {
  const model = readModel(plain);
  const worst = { evidence: 0, marginals: 0, sizes: 0, best: 0, uncertified: 0 };
  for (const query of queries) {
    const parts = partsOf(model, query.x.map((value) => (value === null ? NaN : value)));
    const now = ask(parts, query.evidence);
    const found = topK(parts, query.evidence, 4, model.min_labels);
    worst.evidence = Math.max(worst.evidence, Math.abs(now.logEvidence - query.log_evidence));
    worst.marginals = Math.max(worst.marginals, apart(now.marginals, query.marginals));
    worst.sizes = Math.max(worst.sizes, apart(now.sizes, query.sizes));
    worst.best = Math.max(worst.best, apart(found.logProb, query.best));
    worst.uncertified += found.certified ? 0 : 1;
  }
  out[name] = worst;
}
console.log(JSON.stringify(out));
