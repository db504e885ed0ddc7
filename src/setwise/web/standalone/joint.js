"use strict";
// P(y | x) of one row as a weighted sum of parts, each a mixture of forests over the labels or a table of sets.
// Everything is in log space and exact, like the Python library. No DOM here: node runs this file in the tests.

const FREE = -1;

function logSumExp(values) {
  let top = -Infinity;
  for (const value of values) if (value > top) top = value;
  if (top === -Infinity) return top;
  let sum = 0;
  for (const value of values) sum += Math.exp(value - top);
  return top + Math.log(sum);
}

// log P(on) for sign = 1 and log P(off) for sign = -1
function logSigmoid(logit, sign) {
  const x = sign * logit;
  return x < 0 ? x - Math.log1p(Math.exp(x)) : -Math.log1p(Math.exp(-x));
}

// --- scores ---------------------------------------------------------------------------------------------------------

// Missing values become the fill; rows are divided by their length if the model was fitted to unit rows.
function prepared(model, x) {
  const row = x.map((value, j) => (Number.isNaN(value) && model.fill ? model.fill[j] : value));
  if (!model.unit_rows) return row;
  const length = Math.sqrt(row.reduce((total, value) => total + value * value, 0));
  return length > 0 ? row.map((value) => value / length) : row;
}

function linear(scores, x) {
  const width = scores.intercept.length;
  const out = Float64Array.from(scores.intercept);
  for (let j = 0; j < x.length; j++) {
    if (x[j] === 0) continue;
    for (let b = 0; b < width; b++) out[b] += x[j] * scores.coef[j * width + b];
  }
  return out;
}

// The parts of P(y | x) for one row of features.
function partsOf(model, features) {
  const x = prepared(model, features);
  const parts = [];
  for (const part of model.parts) {
    const logShare = Math.log(part.share);
    if (part.forests) parts.push({ logShare, forests: forestsOf(part.forests, x, model.labels.length) });
    else if (part.scores) parts.push({ logShare, table: { sets: part.sets, logProb: normalized(linear(part.scores, x)) } });
    else parts.push({ logShare, table: seenSets(parts[0], part.sets) });
  }
  // If the joint rules out every listed set, the joint keeps all the probability.
  if (parts.length === 2 && parts[1].table && parts[1].table.lost) return [{ ...parts[0], logShare: 0 }];
  return parts;
}

function normalized(scores) {
  const total = logSumExp(scores);
  return Array.from(scores, (score) => score - total);
}

function seenSets(part, sets) {
  const logProb = sets.map((set) => logProbOf([{ ...part, logShare: 0 }], set));
  const total = logSumExp(logProb);
  return { sets, logProb: logProb.map((value) => value - total), lost: total === -Infinity };
}

function forestsOf(forests, x, L) {
  const logits = linear(forests.experts, x);
  const gate = forests.gate ? linear(forests.gate, x) : new Float64Array(forests.parents.length);
  const logGate = [];
  let start = 0;
  for (const size of forests.sizes) {
    for (const value of normalized(gate.slice(start, start + size))) logGate.push(value - Math.log(forests.sizes.length));
    start += size;
  }
  const values = forests.values;
  const trees = forests.parents.map((parents, k) => ({
    parents,
    order: topological(parents),
    // logit of label l if its parent has value v; a root uses v = 0
    logit: (l, v) => logits[(k * L + l) * values + (values === 2 && parents[l] >= 0 ? v : 0)],
  }));
  return { logGate, trees };
}

function topological(parents) {
  const order = [];
  const placed = parents.map(() => false);
  while (order.length < parents.length) {
    parents.forEach((parent, l) => {
      if (!placed[l] && (parent < 0 || placed[parent])) {
        placed[l] = true;
        order.push(l);
      }
    });
  }
  return order;
}

// --- one forest -----------------------------------------------------------------------------------------------------

// Messages from the leaves: below[l][y] is the log-sum (or maximum) over everything below label l if it has value y.
function upward(tree, evidence, reduce) {
  const L = tree.parents.length;
  const below = Array.from({ length: L }, (_, l) => [evidence[l] === 1 ? -Infinity : 0, evidence[l] === 0 ? -Infinity : 0]);
  let total = 0;
  for (let at = L - 1; at >= 0; at--) {
    const l = tree.order[at];
    const parent = tree.parents[l];
    for (let v = 0; v < (parent < 0 ? 1 : 2); v++) {
      const logit = tree.logit(l, v);
      const message = reduce(logSigmoid(logit, -1) + below[l][0], logSigmoid(logit, 1) + below[l][1]);
      if (parent < 0) total += message;
      else below[parent][v] += message;
    }
  }
  return { below, total };
}

const sum = (a, b) => logSumExp([a, b]);
const max = (a, b) => Math.max(a, b);

// P(label on | value of its parent, evidence)
function tables(tree, below) {
  return tree.parents.map((parent, l) =>
    [0, 1].map((v) => {
      const logit = tree.logit(l, v);
      const off = logSigmoid(logit, -1) + below[l][0];
      const on = logSigmoid(logit, 1) + below[l][1];
      const total = logSumExp([off, on]);
      return total === -Infinity ? 0 : Math.exp(on - total);
    }),
  );
}

function treeMarginals(tree, below) {
  const given = tables(tree, below);
  const on = new Array(tree.parents.length);
  for (const l of tree.order) {
    const parent = tree.parents[l];
    on[l] = parent < 0 ? given[l][0] : (1 - on[parent]) * given[l][0] + on[parent] * given[l][1];
  }
  return on;
}

function treeSizes(tree, below) {
  const given = tables(tree, below);
  const L = tree.parents.length;
  // inner[l][y]: sizes of what is below label l if it has value y
  const inner = Array.from({ length: L }, () => [[1], [1]]);
  let whole = [1];
  for (let at = L - 1; at >= 0; at--) {
    const l = tree.order[at];
    const parent = tree.parents[l];
    for (let v = 0; v < (parent < 0 ? 1 : 2); v++) {
      const mixed = mixSizes(inner[l], given[l][v]);
      if (parent < 0) whole = convolve(whole, mixed);
      else inner[parent][v] = convolve(inner[parent][v], mixed);
    }
  }
  return whole;
}

function mixSizes([off, on], p) {
  const out = new Array(Math.max(off.length, on.length + 1)).fill(0);
  off.forEach((value, s) => (out[s] += (1 - p) * value));
  on.forEach((value, s) => (out[s + 1] += p * value));
  return out;
}

function convolve(a, b) {
  const out = new Array(a.length + b.length - 1).fill(0);
  a.forEach((x, i) => b.forEach((y, j) => (out[i + j] += x * y)));
  return out;
}

// --- all parts ------------------------------------------------------------------------------------------------------

const agrees = (set, evidence) => evidence.every((value, l) => value === FREE || value === set[l]);

// Each component with its log-weight given the evidence, not normalized: log P(component, evidence).
function weighed(parts, evidence, reduce = sum) {
  const out = [];
  for (const { logShare, forests, table } of parts) {
    if (forests) {
      forests.trees.forEach((tree, k) => {
        const up = upward(tree, evidence, reduce);
        out.push({ weight: logShare + forests.logGate[k] + up.total, tree, below: up.below });
      });
    } else {
      const listed = table.sets.map((set, s) => (agrees(set, evidence) ? table.logProb[s] : -Infinity));
      const total = reduce === sum ? logSumExp(listed) : Math.max(-Infinity, ...listed);
      out.push({ weight: logShare + total, sets: table.sets, listed, total });
    }
  }
  return out;
}

// log P(evidence); a full set is evidence about every label
function logProbOf(parts, evidence) {
  return logSumExp(weighed(parts, evidence).map((one) => one.weight));
}

// Marginals, sizes and log P(evidence), from one pass.
function ask(parts, evidence) {
  const L = evidence.length;
  const all = weighed(parts, evidence);
  const logEvidence = logSumExp(all.map((one) => one.weight));
  const marginals = new Array(L).fill(0);
  const sizes = new Array(L + 1).fill(0);
  if (logEvidence === -Infinity) return { logEvidence, marginals, sizes };
  for (const one of all) {
    const share = Math.exp(one.weight - logEvidence);
    if (share === 0) continue;
    if (one.tree) {
      treeMarginals(one.tree, one.below).forEach((p, l) => (marginals[l] += share * p));
      treeSizes(one.tree, one.below).forEach((p, s) => (sizes[s] += share * p));
    } else {
      one.sets.forEach((set, s) => {
        const p = share * Math.exp(one.listed[s] - one.total);
        if (p === 0) return;
        let size = 0;
        set.forEach((on, l) => {
          marginals[l] += p * on;
          size += on;
        });
        sizes[size] += p;
      });
    }
  }
  return { logEvidence, marginals, sizes };
}

// The k most probable sets of at least `least` labels that agree with the evidence, best first. A best-first search over
// partial sets: the bound of a partial set lets every component choose the rest by itself, so the first complete set that
// is reached is the best. If the budget ends the search, `certified` is false.
function topK(parts, evidence, k, least = 0, budget = 20000) {
  const { logEvidence, marginals } = ask(parts, evidence);
  if (logEvidence === -Infinity) return { sets: [], logProb: [], certified: true };
  const free = evidence.map((value, l) => l).filter((l) => evidence[l] === FREE);
  free.sort((a, b) => Math.abs(marginals[a] - 0.5) - Math.abs(marginals[b] - 0.5));
  const bound = (partial) => logSumExp(weighed(parts, partial, max).map((one) => one.weight));
  const heap = [{ partial: evidence.slice(), depth: 0, bound: bound(evidence) }];
  const found = { sets: [], logProb: [], certified: true };
  while (heap.length && found.sets.length < k) {
    if (budget-- <= 0) {
      found.certified = false;
      break;
    }
    const best = pop(heap);
    if (best.bound === -Infinity) break;
    if (best.depth === free.length) {
      if (best.partial.reduce((a, b) => a + b, 0) >= least) {
        found.sets.push(best.partial);
        found.logProb.push(best.bound - logEvidence);
      }
      continue;
    }
    for (const value of [0, 1]) {
      const partial = best.partial.slice();
      partial[free[best.depth]] = value;
      push(heap, { partial, depth: best.depth + 1, bound: bound(partial) });
    }
  }
  return found;
}

// A binary heap with the largest bound on top.
function push(heap, item) {
  let at = heap.push(item) - 1;
  while (at > 0 && heap[(at - 1) >> 1].bound < item.bound) {
    heap[at] = heap[(at - 1) >> 1];
    at = (at - 1) >> 1;
  }
  heap[at] = item;
}

function pop(heap) {
  const top = heap[0];
  const item = heap.pop();
  if (!heap.length) return top;
  let at = 0;
  for (;;) {
    let child = 2 * at + 1;
    if (child >= heap.length) break;
    if (child + 1 < heap.length && heap[child + 1].bound > heap[child].bound) child++;
    if (heap[child].bound <= item.bound) break;
    heap[at] = heap[child];
    at = child;
  }
  heap[at] = item;
  return top;
}

// --- reading the page's data ----------------------------------------------------------------------------------------

// Arrays of numbers travel as base64 of their bytes, so that no digit is lost.
function floats(text) {
  const bytes = Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
  return new Float64Array(bytes.buffer);
}

function readModel(plain) {
  const scores = (one) => one && { coef: floats(one.coef), intercept: floats(one.intercept) };
  const parts = plain.parts.map((part) => ({
    ...part,
    scores: scores(part.scores),
    forests: part.forests && { ...part.forests, gate: scores(part.forests.gate), experts: scores(part.forests.experts) },
  }));
  return { ...plain, fill: plain.fill && floats(plain.fill), parts };
}
