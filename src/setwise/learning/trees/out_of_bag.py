"""Out-of-bag choices of a decision forest: leaf size, shrinkage and shares by the joint log-likelihood.

Each row is judged by the trees that have not seen it. These are about a third of all, so their leaf weights are
sparser than those of a new row: the share of leaf weights is a little too small, less so with more trees.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from scipy.special import log_expit

from setwise.arrays import FREE, Array, Bools, Floats, Labels, Matrix
from setwise.inference.sets.listed import agreement
from setwise.kernels.set_trees import SKIPPED, SetTrees
from setwise.learning.mixtures.pooling.pool import pool_weights, pooled_log_prob
from setwise.learning.trees.decision_forest import Shares, label_logits

LEAF_SIZES = (1, 2, 3, 5, 8, 13, 21, 34)
SHRINKAGES = (0.001, 0.03, 0.1)
SHRINKAGE = 0.01
"""Shrinkage with which leaf sizes are compared."""


class Choice(NamedTuple):
    """A leaf size in weight, a shrinkage and shares, with the mean out-of-bag ``loss`` in nats a row."""

    leaf_weight: float
    shrinkage: float
    shares: Shares
    loss: float


class OutOfBag(NamedTuple):
    """Rows to judge a forest by.

    Parameters
    ----------
    X : array or CSR of shape (n, d)
    Y : ndarray of shape (n, L)
        Their labels, FREE if unknown.
    weights : ndarray of shape (n,)
    in_bag : bool array of shape (n, T)
        Trees that have seen each row.
    only_own : bool array of shape (n, m)
        Sets that no other row has: without the row, nobody would have seen them.
    """

    X: Matrix
    Y: Labels
    weights: Floats
    in_bag: Bools
    only_own: Bools

    def choose(
        self,
        trees: SetTrees,
        sets: Labels,
        prior: Floats,
        sizes: Sequence[float],
        start: float,
        backoff: float | None,
    ) -> Choice:
        """Choose the leaf size among rising ``sizes`` in weight, the shrinkage and the shares.

        The search climbs from ``start`` to larger sizes while the loss falls, or else to smaller ones. ``backoff``
        fixes the share of the product over all sets.
        """
        agrees = agreement(sets, self.Y) & ~self.only_own

        @functools.cache
        def weights(size: float) -> Floats:
            return self._shares(trees, len(sets), size)

        def judge(size: float, shrinkage: float = SHRINKAGE) -> Choice:
            return self._judge(weights(size), agrees, sets, prior, size, shrinkage, backoff)

        best = judge(min(sizes, key=lambda size: abs(size - start)))
        for onward in (sorted(sizes), sorted(sizes, reverse=True)):
            for size in onward[onward.index(best.leaf_weight) + 1 :]:
                if (tried := judge(size)).loss >= best.loss:
                    break
                best = tried
        tried_all = [best, *(judge(best.leaf_weight, other) for other in SHRINKAGES)]
        return min(tried_all, key=lambda choice: choice.loss)

    def _shares(self, trees: SetTrees, n_sets: int, leaf_weight: float) -> Floats:
        leaves = trees.leaves(self.X, leaf_weight)
        leaves[self.in_bag] = SKIPPED
        return trees.shares(leaves, n_sets)

    def _judge(
        self,
        weights: Floats,
        agrees: Bools,
        sets: Labels,
        prior: Floats,
        size: float,
        shrinkage: float,
        backoff: float | None,
    ) -> Choice:
        logits = label_logits(weights, sets, prior, shrinkage)
        parts = np.stack(
            [
                _log((weights * agrees).sum(axis=1)),
                _log_given_seen(logits, sets, agrees, self.only_own),
                _log_product(logits, self.Y),
            ],
            axis=1,
        )
        judged = self.weights * ~self.in_bag.all(axis=1)
        shares = _fit_shares(parts, judged, backoff)
        log_prob = np.maximum(pooled_log_prob(parts, np.array(shares)), np.log(np.finfo(float).tiny))
        loss = -float(judged @ log_prob) / max(float(judged.sum()), np.finfo(float).tiny)
        return Choice(size, shrinkage, shares, loss)


def only_own_sets(sets_of_rows: Array, row_keys: Array, rows: Array, n_sets: int) -> Bools:
    """Mark the sets (r, m) that none but a row, or copies of its features, has.

    Parameters
    ----------
    sets_of_rows : int array of shape (n, S)
        Numbers of the sets of all rows.
    row_keys : uint64 array of shape (n,)
    rows : int array of shape (r,)
    n_sets : int

    Returns
    -------
    bool array of shape (r, m)

    Examples
    --------
    >>> import numpy as np
    >>> keys = np.array([5, 6, 7], np.uint64)
    >>> only_own_sets(np.array([[0], [0], [1]]), keys, np.array([0, 2]), 2)
    array([[False, False],
           [False,  True]])
    """
    least, most = np.full(n_sets, np.iinfo(np.uint64).max, np.uint64), np.zeros(n_sets, np.uint64)
    of_each = np.repeat(row_keys, sets_of_rows.shape[1])
    np.minimum.at(least, sets_of_rows.ravel(), of_each)
    np.maximum.at(most, sets_of_rows.ravel(), of_each)
    alone = least == most
    mine = row_keys[rows][:, None] == least
    return np.asarray(mine & alone)


def _fit_shares(parts: Floats, weights: Floats, backoff: float | None) -> Shares:
    if backoff is None:
        return Shares(*(float(share) for share in pool_weights(parts, weights)))
    leaves, seen = (float(share) for share in pool_weights(parts[:, :2], weights))
    return Shares((1.0 - backoff) * leaves, (1.0 - backoff) * seen, float(backoff))


def _log_given_seen(logits: Floats, sets: Labels, agrees: Bools, only_own: Bools) -> Floats:
    """Log-probability (n,) of the labels under the product over the sets that others have."""
    log_probs = np.where(only_own, -np.inf, logits @ sets.T.astype(np.float64))
    top = log_probs.max(axis=1, keepdims=True, initial=-1e300)
    odds = np.exp(log_probs - top)
    return _log((odds * agrees).sum(axis=1) / np.maximum(odds.sum(axis=1), np.finfo(np.float64).tiny))


def _log_product(logits: Floats, Y: Labels) -> Floats:
    return np.where(Y == FREE, 0.0, log_expit(np.where(Y == 1, logits, -logits))).sum(axis=1)


def _log(p: Floats) -> Floats:
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(p))
