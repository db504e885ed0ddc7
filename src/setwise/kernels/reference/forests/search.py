"""The k most probable label sets of a mixture of forests, by branch and bound over the labels."""

from __future__ import annotations

import heapq

import numpy as np
from scipy.special import logsumexp

from setwise.contract import FREE, Array, Bools, Floats, Labels
from setwise.kernels.checks import check_array, check_at_least, check_between, check_forests
from setwise.kernels.reference.forests.messages import forest_log_evidence, forest_max_sum

Found = tuple[float, tuple[int, ...]]
SLACK = 1e-12
"""Relative difference that counts as rounding: the search does not continue for a tie."""
COSTLY = -2.0
"""Labels whose worse value has a bound below exp(-2) times the current one are decided several at a time."""


Answer = tuple[Labels, Floats, Bools, Floats, Array]


def mixture_top_k(
    log_gate: Floats, logits: Array, parents: Array, order: Array, k: int, min_labels: int, budget: int
) -> Answer:
    """Labels (n, k, L), log_prob (n, k), certified (n,), gap (n,) and the bounds' evaluations (n,).

    ``gap`` is the log of the largest open bound minus the last ``log_prob``, zero if certified.
    """
    n, K, L, _ = check_forests(logits, parents, order)
    sizes = np.tile([min_labels, L], (n, 1))
    return _search_rows(log_gate, (logits, parents, order), k, sizes, np.zeros((n, K)), budget)


def mixture_top_k_of_size(
    log_gate: Floats,
    logits: Array,
    parents: Array,
    order: Array,
    k: int,
    sizes: Array,
    tilt: Floats,
    budget: int,
) -> Answer:
    """As :func:`mixture_top_k`, among the sets of ``sizes`` (n,) labels.

    ``tilt`` (n, K) is added to the log-odds of every label and subtracted again for the whole set. It changes no set's
    value, but the completions that the bounds consist of.
    """
    n, K, L, _ = check_forests(logits, parents, order)
    check_array("sizes", sizes, np.int64, (n,))
    check_between("sizes", sizes, 0, L)
    check_array("tilt", tilt, np.float64, (n, K))
    pairs = np.stack([sizes, sizes], axis=1)
    return _search_rows(log_gate, (logits, parents, order), k, pairs, tilt, budget)


def _search_rows(
    log_gate: Floats, forests: tuple[Array, Array, Array], k: int, sizes: Array, tilt: Floats, budget: int
) -> Answer:
    logits, parents, order = forests
    n, K, L, _ = logits.shape
    check_array("log_gate", log_gate, np.float64, (n, K))
    check_at_least("k", k, 1)
    labels = np.full((n, k, L), FREE, dtype=np.int8)
    log_prob = np.full((n, k), -np.inf)
    certified = np.zeros(n, dtype=np.bool_)
    gap, steps = np.zeros(n), np.zeros(n, dtype=np.int64)
    for i in range(n):
        base = log_gate[i] - tilt[i] * sizes[i, 0]
        search = _Search(base, (logits[i : i + 1], parents, order), tilt[i])
        found, upper, steps[i] = search.run(k, sizes[i], max(budget, L + 1))
        for rank, (value, y) in enumerate(sorted(found, reverse=True)):
            labels[i, rank], log_prob[i, rank] = y, value
        certified[i] = upper == -np.inf
        gap[i] = 0.0 if certified[i] else upper - log_prob[i, -1]
    return labels, log_prob, certified, gap, steps


class _Search:
    """The search in one row. The bound of a partial set sums each component's best set that agrees with it."""

    def __init__(self, log_gate: Floats, forests: tuple[Array, Array, Array], tilt: Floats) -> None:
        self.log_gate, self.forests, self.tilt = log_gate, forests, tilt

    def bounds(self, partial: Labels) -> Floats:
        """Log upper bounds of the sets that agree with each row of ``partial``."""
        logits, parents, order = self.forests
        rows = np.repeat(logits, len(partial), axis=0)
        tilt = np.repeat(self.tilt[None], len(partial), axis=0)
        _, values = forest_max_sum(rows, parents, order, partial, tilt)
        return np.asarray(logsumexp(self.log_gate + values, axis=1))

    def run(self, k: int, sizes: Array, budget: int) -> tuple[list[Found], float, int]:
        """The best sets found, the largest open bound (-inf if none), and the number of evaluations of bounds."""
        self.k, self.sizes, self.steps = k, sizes, 0
        self.best: list[Found] = []
        if k == 1:
            self._try(self._component_mode())
        stack = [(np.inf, np.full(self.forests[0].shape[2], FREE, dtype=np.int8))]
        while stack:
            reached, y = stack.pop()
            while reached > self._threshold():
                reached, y, both = self._settle(y)
                if reached == -np.inf:
                    break
                if self.steps >= budget:
                    return self.best, max([reached, *(bound for bound, _ in stack)]), self.steps
                for label in _to_decide(y, both, reached):
                    better = int(both[label, 1] > both[label, 0])
                    pair = _both(y, label)
                    stack.append((both[label, 1 - better], pair[1 - better]))
                    reached, y = min(reached, both[label, better]), pair[better]
        return self.best, -np.inf, self.steps

    def _settle(self, y: Labels) -> tuple[float, Labels, Floats]:
        """Fix the labels that are certain; the bound is -inf if no others are left to branch on."""
        y = y.copy()
        while (y != 0).sum() >= self.sizes[0] and (y == 1).sum() <= self.sizes[1]:
            if (y != 0).sum() == self.sizes[0]:
                y[y == FREE] = 1
            elif (y == 1).sum() == self.sizes[1]:
                y[y == FREE] = 0
            reached, both = self._all(y)
            if self.steps == 0 and self.k == 1:
                self._try((both[:, 1] > both[:, 0]).astype(np.int8))
            self.steps += 1
            if not reached > self._threshold():
                break
            free = y == FREE
            if not free.any():
                self._add((reached, tuple(y.tolist())))
                break
            certain = free & ~(both.min(axis=1) > self._threshold())
            y[certain] = both[certain, 1] > both[certain, 0]
            if (y == FREE).any():
                return reached, y, both
        return -np.inf, y, np.empty((0, 2))

    def _all(self, y: Labels) -> tuple[float, Floats]:
        """Compute the bound of a partial set, and those (L, 2) of both values of every label."""
        pairs = [_both(y, label) for label in range(len(y))]
        bounds = self.bounds(np.concatenate([y[None], *pairs]))
        return float(bounds[0]), bounds[1:].reshape(-1, 2)

    def _component_mode(self) -> Labels:
        """The mode of the component whose mode has the largest weighted probability."""
        logits, parents, order = self.forests
        free = np.full((1, logits.shape[2]), FREE, dtype=np.int8)
        modes, values = forest_max_sum(logits, parents, order, free, self.tilt[None])
        mode: Labels = modes[0, np.argmax(self.log_gate + values[0])]
        return mode

    def _try(self, y: Labels) -> None:
        own = forest_log_evidence(*self.forests, y[None])[0] + self.tilt * y.sum()
        value = float(logsumexp(self.log_gate + own))
        if self.sizes[0] <= y.sum() <= self.sizes[1] and value > self._threshold():
            self._add((value, tuple(y.tolist())))

    def _threshold(self) -> float:
        """The value a set must exceed: the worst of the k best, if there are k."""
        return self.best[0][0] + SLACK if len(self.best) == self.k else -np.inf

    def _add(self, found: Found) -> None:
        if len(self.best) == self.k:
            heapq.heapreplace(self.best, found)
        else:
            heapq.heappush(self.best, found)


def _to_decide(y: Labels, both: Floats, reached: float) -> list[int]:
    """Choose the free label whose worse value costs most, and all others whose worse value costs a lot."""
    worse = np.where(y == FREE, both.min(axis=1), np.inf)
    first = int(worse.argmin())
    return [first, *(label for label in np.flatnonzero(worse < reached + COSTLY).tolist() if label != first)]


def _both(partial: Labels, label: int) -> Labels:
    """The partial set with the label off and on."""
    pair = np.stack([partial, partial])
    pair[:, label] = (0, 1)
    return pair
