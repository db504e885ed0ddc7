"""The k most probable label sets of a mixture of forests, by branch and bound over the labels."""

from __future__ import annotations

import heapq

import numpy as np

from setwise.contract import FREE, Array, Bools, Floats, Labels
from setwise.kernels.reference.messages import forest_log_evidence, forest_max_sum

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
        logits, *structure = self.forests
        rows = np.repeat(logits, len(partial), axis=0)
        return np.logaddexp.reduce(self.log_gate + forest_max_sum(rows, *structure, partial)[1], axis=1)

    def run(
        self, k: int, min_labels: int, budget: int
    ) -> tuple[list[tuple[float, tuple[int, ...]]], float, int]:
        """The best sets found, the largest bound left open (-inf if none), and the nodes expanded."""
        L = self.forests[0].shape[2]
        best = self._start(min_labels) if k == 1 else []
        root = np.full(L, FREE, dtype=np.int8)
        decisive = [self.bounds(_both(root, label)).min() for label in range(L)]
        plan = np.argsort(decisive, kind="stable")
        stack, nodes = [(np.inf, 0, root)], 0
        while stack:
            bound, depth, partial = stack.pop()
            if bound <= (best[0][0] + SLACK if len(best) == k else -np.inf):
                continue
            if depth == L:
                (heapq.heappush if len(best) < k else heapq.heapreplace)(best, (bound, tuple(partial)))
                continue
            if nodes == budget:
                return best, max(bound, *(b for b, _, _ in stack), -np.inf), nodes
            nodes += 1
            pair = _both(partial, plan[depth])
            bounds = self.bounds(pair)
            if (partial == 1).sum() + L - depth - 1 < min_labels:
                bounds[0] = -np.inf
            better = int(bounds[1] > bounds[0])
            stack += [(bounds[y], depth + 1, pair[y]) for y in (1 - better, better)]
        return best, -np.inf, nodes

    def _start(self, min_labels: int) -> list[tuple[float, tuple[int, ...]]]:
        """The mode of the component whose own mode weighs most, if it has enough labels."""
        free = np.full((1, self.forests[0].shape[2]), FREE, dtype=np.int8)
        modes, values = forest_max_sum(*self.forests, free)
        y = modes[0, np.argmax(self.log_gate + values[0])]
        score = np.logaddexp.reduce(self.log_gate + forest_log_evidence(*self.forests, y[None])[0])
        return [(score, tuple(y))] if y.sum() >= min_labels else []


def _both(partial: Labels, label: int) -> Labels:
    """The partial set with the label off and on."""
    pair = np.stack([partial, partial])
    pair[:, label] = (0, 1)
    return pair
