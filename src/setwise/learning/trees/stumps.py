"""Boosted stumps for all labels at once: AdaBoost.MH with confidence-rated predictions.

Schapire and Singer, "BoosTexter: a boosting-based system for text categorization", 2000. Every pair of a row and a
label has a weight D(i, l). A stump splits the rows at one value of one feature; on each side j it gives every label the
score c_jl = 1/2 log(W+_jl / W-_jl), with W+ and W- the weights of the rows that have the label and of those that do
not. The best stump has the smallest Z = 2 sum_jl sqrt(W+_jl W-_jl). Then D(i, l) is multiplied by exp(-score), or by
exp(score) if the row does not have the label.
"""

from __future__ import annotations

from typing import NamedTuple, Self

import numpy as np

from setwise.arrays import Array, Floats, Labels, Matrix
from setwise.kernels.bins import RowBins
from setwise.kernels.matrices import indicator, take_columns, to_dense
from setwise.learning.progress.monitor import current_monitor


class Stumps(NamedTuple):
    """Stumps in the order of boosting: ``feature`` (R,), ``threshold`` (R,), and ``values`` (R, 2, L) of both sides.

    The second side has the rows whose feature is above the threshold.
    """

    feature: Array
    threshold: Floats
    values: Floats

    def scores(self, X: Matrix) -> Floats:
        """Sum the scores (n, L) of the rows of ``X``."""
        used, place = np.unique(self.feature, return_inverse=True)
        columns = to_dense(take_columns(X, used)).astype(np.float64)
        total = np.zeros((X.shape[0], self.values.shape[2]))
        for at, threshold, values in zip(place.ravel(), self.threshold, self.values):
            total += values[(columns[:, at] > threshold).astype(np.intp)]
        return total

    def first(self, n_rounds: int) -> Self:
        """The stumps of the first rounds."""
        return type(self)(*(part[:n_rounds] for part in self))


class _Cells(NamedTuple):
    """Which rows are in which bin of which feature, as an indicator matrix without the bin of absent values."""

    members: Matrix
    absent: Array
    start: Array
    edges: Floats
    feature: Array

    @classmethod
    def of(cls, X: Matrix) -> Self:
        bins, (n, d) = RowBins.of(X), X.shape
        sizes = np.diff(bins.first) + 1
        start = np.concatenate([[0], np.cumsum(sizes)])
        columns, rows = bins.columns, np.repeat(np.arange(n), np.diff(bins.bounds))
        if len(bins.codes) > len(columns):  # A dense X has the codes of all cells, column by column.
            columns, rows = np.repeat(np.arange(d), n), np.tile(np.arange(n), d)
        present = bins.codes != bins.absent[columns]
        cells = start[columns[present]] + bins.codes[present]
        members = indicator(cells, rows[present], (int(start[-1]), n))
        # The last bin of a feature has no threshold after it.
        edges = np.full(int(start[-1]), np.nan)
        inside = np.ones(len(edges), dtype=np.bool_)
        inside[start[1:] - 1] = False
        edges[inside] = bins.edges
        return cls(members, start[:-1] + bins.absent, start, edges, np.repeat(np.arange(d), sizes))

    def weights_below(self, weights: Floats) -> Floats:
        """Sum the weights (n, C) of the rows up to each threshold, (cells, C)."""
        cells = np.asarray(self.members @ weights)
        cells[self.absent] += weights.sum(axis=0) - np.add.reduceat(cells, self.start[:-1], axis=0)
        total = np.cumsum(cells, axis=0)
        before = np.vstack([np.zeros((1, weights.shape[1])), total])[self.start[:-1]]
        return np.asarray(total - before[self.feature])


def boost_stumps(X: Matrix, Y: Labels, weights: Floats, n_rounds: int) -> Stumps:
    """Learn stumps by AdaBoost.MH.

    Parameters
    ----------
    X : array or CSR of shape (n, d)
    Y : ndarray of shape (n, L)
    weights : ndarray of shape (n,)
    n_rounds : int
        If no feature has two values, there is one stump without a split.

    Returns
    -------
    Stumps
    """
    cells, (n, L) = _Cells.of(X), Y.shape
    split = np.flatnonzero(~np.isnan(cells.edges))
    scores, found = np.zeros((n, L)), []
    for _ in current_monitor().steps("stumps", range(n_rounds if len(split) else 1)):
        D = weights[:, None] * np.exp(np.where(Y == 1, -scores, scores))
        D /= D.sum()
        signed = np.hstack([np.where(Y == 1, D, 0.0), np.where(Y == 1, 0.0, D)])
        found.append(_best_stump(cells, split, signed) if len(split) else _no_split(signed))
        scores += found[-1].scores(X)
    return Stumps(*(np.concatenate(part) for part in zip(*found)))


def _best_stump(cells: _Cells, split: Array, signed: Floats) -> Stumps:
    """Find the split with the smallest Z, given the weights (n, 2 L) of labels that are on, then off."""
    L = signed.shape[1] // 2
    below, every = cells.weights_below(signed)[split], signed.sum(axis=0)
    sides = np.maximum(np.stack([below, every - below]), 0.0)
    Z = np.sqrt(sides[:, :, :L] * sides[:, :, L:]).sum(axis=(0, 2))
    # Equal splits, such as those of copies of a feature, differ by rounding only: the first of them counts.
    best = int(np.argmax(Z.min() * (1.0 + 1e-12) >= Z))
    at = split[[best]]
    return Stumps(cells.feature[at], cells.edges[at], _votes(sides[:, best], len(signed))[None])


def _no_split(signed: Floats) -> Stumps:
    votes = _votes(signed.sum(axis=0)[None], len(signed))
    return Stumps(np.zeros(1, np.intp), np.zeros(1), np.repeat(votes, 2, axis=0)[None])


def _votes(W: Floats, n_rows: int) -> Floats:
    """Scores (sides, L) from the weights (sides, 2 L), smoothed as the paper does."""
    L = W.shape[1] // 2
    smoothing = 1.0 / (n_rows * L)
    return np.asarray(0.5 * np.log((W[:, :L] + smoothing) / (W[:, L:] + smoothing)))
