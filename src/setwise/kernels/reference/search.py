"""The k most probable label sets of a mixture of forests, by branch and bound over the labels."""

from __future__ import annotations

import heapq

import numpy as np
from scipy.special import logsumexp

from setwise.contract import FREE, Array, Bools, Floats, Labels
from setwise.kernels.reference.messages import forest_log_evidence, forest_max_sum

Found = tuple[float, tuple[int, ...]]
SLACK = 1e-12
"""A tie up to rounding is no reason to go on."""


def mixture_top_k(
    log_gate: Floats, logits: Array, parents: Array, order: Array, k: int, min_labels: int, budget: int
) -> tuple[Labels, Floats, Bools, Floats, Array]:
    """Labels (n, k, L), log_prob (n, k), certified (n,), gap (n,) and the number of nodes expanded (n,).

    ``gap`` is the log of the largest bound left open minus the last ``log_prob``, zero where certified.
    """
    n, _, L, _ = logits.shape
    labels = np.full((n, k, L), FREE, dtype=np.int8)
    log_prob = np.full((n, k), -np.inf)
    certified = np.zeros(n, dtype=np.bool_)
    gap, nodes = np.zeros(n), np.zeros(n, dtype=np.int64)
    for i in range(n):
        search = _Search(log_gate[i], logits[i : i + 1], parents, order)
        found, upper, nodes[i] = search.run(k, min_labels, max(budget, L))
        for rank, (value, y) in enumerate(sorted(found, reverse=True)):
            labels[i, rank], log_prob[i, rank] = y, value
        certified[i] = upper == -np.inf
        gap[i] = 0.0 if certified[i] else upper - log_prob[i, -1]
    return labels, log_prob, certified, gap, nodes


class _Search:
    """One row: the bound of a partial set sums, over the components, the best that agrees with it."""

    def __init__(self, log_gate: Floats, logits: Array, parents: Array, order: Array) -> None:
        self.log_gate, self.forests = log_gate, (logits, parents, order)

    def bounds(self, partial: Labels) -> Floats:
        """Log upper bounds of the sets that agree with each row of ``partial``."""
        logits, parents, order = self.forests
        rows = np.repeat(logits, len(partial), axis=0)
        _, values = forest_max_sum(rows, parents, order, partial)
        return np.asarray(logsumexp(self.log_gate + values, axis=1))

    def run(self, k: int, min_labels: int, budget: int) -> tuple[list[Found], float, int]:
        """The best sets found, the largest bound left open (-inf if none), and the nodes expanded."""
        best = self._component_mode(min_labels) if k == 1 else []
        root, plan = self._settle(_threshold(best, k))
        enough = (root != 0).sum() >= min_labels
        stack, nodes = [(self.bounds(root[None])[0], 0, root)] if enough else [], 0
        while stack:
            bound, depth, partial = stack.pop()
            if not bound > _threshold(best, k):
                continue
            if depth == len(plan):
                _add(best, k, (float(bound), tuple(partial.tolist())))
                continue
            if nodes == budget:
                return best, max([bound, *(b for b, _, _ in stack)]), nodes
            nodes += 1
            pair = _both(partial, plan[depth])
            bounds = self.bounds(pair)
            if (partial == 1).sum() + len(plan) - depth - 1 < min_labels:
                bounds[0] = -np.inf
            better = int(bounds[1] > bounds[0])
            stack += [(bounds[y], depth + 1, pair[y]) for y in (1 - better, better)]
        return best, -np.inf, nodes

    def _component_mode(self, min_labels: int) -> list[Found]:
        """The mode of the component whose own mode weighs most, if it has enough labels."""
        logits, parents, order = self.forests
        free = np.full((1, logits.shape[2]), FREE, dtype=np.int8)
        modes, values = forest_max_sum(logits, parents, order, free)
        y = modes[0, np.argmax(self.log_gate + values[0])]
        score = logsumexp(self.log_gate + forest_log_evidence(logits, parents, order, y[None])[0])
        return [(float(score), tuple(y.tolist()))] if y.sum() >= min_labels else []

    def _settle(self, threshold: float) -> tuple[Labels, Array]:
        """Fixes the labels whose worse value is cut; orders the others, whose worse value costs most first."""
        root = np.full(self.forests[0].shape[2], FREE, dtype=np.int8)
        while True:
            free = np.flatnonzero(root == FREE)
            pairs = [_both(root, label) for label in free]
            bounds = self.bounds(np.concatenate(pairs)).reshape(-1, 2) if pairs else np.empty((0, 2))
            worse = bounds.min(axis=1)
            cut = ~(worse > threshold)
            if threshold == -np.inf or not cut.any():
                return root, free[np.argsort(worse, kind="stable")]
            root[free[cut]] = bounds[cut, 1] > bounds[cut, 0]


def _threshold(best: list[Found], k: int) -> float:
    """What a set must beat: the worst of the k best, where there are so many."""
    return best[0][0] + SLACK if len(best) == k else -np.inf


def _add(best: list[Found], k: int, found: Found) -> None:
    if len(best) == k:
        heapq.heapreplace(best, found)
    else:
        heapq.heappush(best, found)


def _both(partial: Labels, label: int) -> Labels:
    """The partial set with the label off and on."""
    pair = np.stack([partial, partial])
    pair[:, label] = (0, 1)
    return pair
