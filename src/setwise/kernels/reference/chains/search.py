"""A* search in linear chains: the label sets of a row in decreasing order of probability."""

from __future__ import annotations

import heapq

import numpy as np
from scipy.special import log_expit

from setwise.contract import FREE, Array, Floats, Labels
from setwise.kernels.checks import check_at_least, check_chain, check_labels


def chain_search(
    offsets: Floats, coupling: Floats, evidence: Labels, k: int, min_labels: int, budget: int
) -> tuple[Labels, Floats, Floats, Array]:
    """Find the ``k`` most probable sets of linear chains by A*, and the largest open bound (-inf if certified)."""
    n, L = check_chain(offsets, coupling)
    check_labels("evidence", evidence, (n, L), free=True)
    check_at_least("k", k, 1)
    labels, log_prob = np.full((n, k, L), FREE, dtype=np.int8), np.full((n, k), -np.inf)
    left_open, steps = np.full(n, -np.inf), np.zeros(n, dtype=np.int64)
    for i in range(n):
        search = _AStar(offsets[i], np.triu(coupling, 1), evidence[i], min_labels)
        found, left_open[i], steps[i] = search.run(k, budget)
        for rank, (value, y) in enumerate(found):
            labels[i, rank], log_prob[i, rank] = y, value
    return labels, log_prob, left_open, steps


class _AStar:
    """Search one row; the compiled kernel explains the bound."""

    def __init__(self, offsets: Floats, coupling: Floats, evidence: Labels, min_labels: int) -> None:
        self.offsets, self.coupling, self.evidence, self.min_labels = offsets, coupling, evidence, min_labels
        free = (evidence == FREE)[:, None]
        fixed = np.maximum(evidence, 0)[:, None] * coupling
        self.low = _suffix_sums(np.where(free, np.minimum(coupling, 0.0), fixed))
        self.high = _suffix_sums(np.where(free, np.maximum(coupling, 0.0), fixed))
        self.possible = np.r_[np.cumsum((evidence != 0)[::-1])[::-1], 0]

    def run(self, k: int, budget: int) -> tuple[list[tuple[float, tuple[int, ...]]], float, int]:
        heap: list[tuple[float, int, int, float, tuple[int, ...]]] = [(0.0, 0, 0, 0.0, ())]
        found: list[tuple[float, tuple[int, ...]]] = []
        steps = made = 0
        while heap and len(found) < k:
            bound, _, _, g, y = heapq.heappop(heap)
            if len(y) == len(self.offsets):
                found.append((g, y))
                continue
            if steps == budget:
                return found, -bound, steps
            steps += 1
            for child in self._children(g, y):
                made += 1
                heapq.heappush(heap, (-child[0], -len(child[2]), made, *child[1:]))
        return found, -np.inf, steps

    def _children(self, g: float, y: tuple[int, ...]) -> list[tuple[float, float, tuple[int, ...]]]:
        j = len(y)
        z = self.offsets + np.asarray(y, dtype=float) @ self.coupling[:j]
        children = []
        for v in (0, 1):
            if self.evidence[j] not in (FREE, v) or sum(y) + v + self.possible[j + 1] < self.min_labels:
                continue
            value = g + float(log_expit(z[j] if v else -z[j]))
            later = (z + v * self.coupling[j])[j + 1 :]
            on, off = later + self.high[j + 1, j + 1 :], -(later + self.low[j + 1, j + 1 :])
            observed = self.evidence[j + 1 :]
            best = np.where(observed == FREE, np.maximum(on, off), np.where(observed == 1, on, off))
            if value > -np.inf:
                children.append((value + float(log_expit(best).sum()), value, (*y, v)))
        return children


def _suffix_sums(couplings: Floats) -> Floats:
    """Sums of the rows from j on, for each j, followed by a row of zeros."""
    return np.concatenate([np.cumsum(couplings[::-1], axis=0)[::-1], np.zeros((1, couplings.shape[1]))])
