"""The most probable set of a given number of labels, or of a range of numbers.

For sets of one size, adding a constant to all log-odds of a component and subtracting s times the constant from the
whole set changes no probability, but it moves the component's best completion to about the right size. The bounds of
the branch and bound are made of those completions, so they become as tight among sets of that size as they are among
all sets. A range of sizes is searched size by size, the most promising first, until no size left can hold a better set.
"""

from __future__ import annotations

import numpy as np
from scipy.special import log_expit, logsumexp

from setwise.contract import FREE, Array, Floats, Mode, replace_rows
from setwise.inference.forests.arrays import Forests
from setwise.inference.forests.branch_and_bound import BUDGET, top_k
from setwise.kernels import implementation

STEEPEST = 100.0
"""Largest tilt of the log-odds; beyond it a label is all but certain."""
TIE = 1e-12
"""Log-probabilities that differ by less are equal."""


def mode_of_sizes(log_gate: Floats, forests: Forests, least: int, most: int, *, budget: int = BUDGET) -> Mode:
    """Find the most probable set of each row with ``least`` to ``most`` labels.

    Parameters
    ----------
    log_gate : ndarray of shape (n, K)
        Log weights of the components.
    forests : Forests
    least, most : int
        Range of the number of labels, both ends included.
    budget : int, default=100_000
        Evaluations of the bounds of a row, per size, after which its search stops without a certificate.

    Returns
    -------
    Mode

    Examples
    --------
    >>> import numpy as np
    >>> forests = Forests.of(np.array([[[[1.0], [-2.0], [-3.0]]]]), [[-1, -1, -1]])
    >>> mode_of_sizes(np.zeros((1, 1)), forests, 2, 3).labels
    array([[1, 1, 0]], dtype=int8)
    """
    free = top_k(log_gate, forests, 1, budget=budget)
    best = Mode(free.labels[:, 0], free.log_prob[:, 0], free.certified, free.gap)
    size = (best.labels == 1).sum(axis=1)
    rows = np.flatnonzero((size < least) | (size > most))
    if rows.size:
        part = _search_sizes(log_gate[rows], forests.take(rows), least, most, budget)
        replace_rows(best, rows, part)
    return best


def _search_sizes(log_gate: Floats, forests: Forests, least: int, most: int, budget: int) -> Mode:
    n, _, L, _ = forests.logits.shape
    tops = _best_sizes(forests)
    waiting = np.asarray(logsumexp(log_gate[:, :, None] + tops, axis=1))
    waiting[:, :least] = waiting[:, most + 1 :] = -np.inf
    labels, value = np.full((n, L), FREE, dtype=np.int8), np.full(n, -np.inf)
    upper = np.full(n, -np.inf)
    while True:
        rows = np.flatnonzero(waiting.max(axis=1) > value + TIE)
        if not rows.size:
            break
        sizes = waiting[rows].argmax(axis=1)
        ceiling = waiting[rows, sizes]
        waiting[rows, sizes] = -np.inf
        given = forests.take(rows)
        tilt = _tilt(tops[rows], sizes)
        found, log_prob, certified, gap, _ = implementation.mixture_top_k_of_size(
            np.ascontiguousarray(log_gate[rows]), *given, 1, sizes, tilt, budget
        )
        none = np.isneginf(log_prob[:, 0])
        bound = np.where(none, ceiling, log_prob[:, 0] + np.where(none, 0.0, gap))
        upper[rows] = np.where(certified, upper[rows], np.maximum(upper[rows], bound))
        better = log_prob[:, 0] > value[rows]
        labels[rows[better]], value[rows[better]] = found[better, 0], log_prob[better, 0]
    certified = ~(upper > value + TIE)
    gap = np.zeros(n)
    gap[~certified] = upper[~certified] - value[~certified]
    return Mode(labels, value, certified, gap)


def _best_sizes(forests: Forests) -> Floats:
    """Compute the largest log-probability (n, K, L + 1) of a set of each size in each component."""
    if forests.logits.shape[3] > 1 or not np.isfinite(forests.logits).all():
        return np.asarray(implementation.forest_best_sizes(*forests))
    # Without edges the best set of s labels has the s largest logits.
    z = -np.sort(-forests.logits[..., 0].astype(np.float64), axis=2)
    none = log_expit(-z).sum(axis=2, keepdims=True)
    return np.concatenate([none, none + np.cumsum(z, axis=2)], axis=2)


def _tilt(tops: Floats, sizes: Array) -> Floats:
    """Compute minus the slope (n, K) of the best log-probability by size, at the wanted size."""
    L = tops.shape[2] - 1
    at = np.arange(len(sizes))
    before, after = np.maximum(sizes - 1, 0), np.minimum(sizes + 1, L)
    with np.errstate(invalid="ignore"):
        slope = (tops[at, :, after] - tops[at, :, before]) / (after - before)[:, None]
    return np.clip(np.nan_to_num(-slope, nan=0.0), -STEEPEST, STEEPEST)
