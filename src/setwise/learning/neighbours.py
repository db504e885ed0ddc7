"""The labels of nearest neighbours."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.neighbors import NearestNeighbors

from setwise.contract import Array, Floats, Labels, Matrix
from setwise.kernels.design import column_extremes, divide_columns

BLOCK_CELLS = 1 << 24
HUGE = 1e15


class NeighbourVotes:
    """How many of the k nearest training rows have each label.

    Parameters
    ----------
    X : array or CSR of shape (n, d)
    Y : ndarray of shape (n, L)
    k : int
        Fewer where there are not so many other rows.
    metric : str or callable
        Of :class:`sklearn.neighbors.NearestNeighbors`.
    scale : bool
        Whether each feature is divided by its range first.
    """

    def __init__(self, X: Matrix, Y: Labels, k: int, metric: Any, scale: bool) -> None:
        self.k = min(k, max(1, X.shape[0] - 1))
        self.Y = Y
        self.divisors = _ranges(X) if scale else _overflow_guard(X)
        self.index = NearestNeighbors(n_neighbors=self.k, metric=metric).fit(self._scaled(X))

    def training(self) -> Floats:
        """Votes (n, L) of each training row's neighbours, itself left out."""
        if len(self.Y) == 1:
            return np.zeros(self.Y.shape)
        return self._count(self.index.kneighbors(return_distance=False))

    def __call__(self, X: Matrix) -> Floats:
        """Votes (n, L) of the neighbours of new rows."""
        X = self._scaled(X)
        if sp.issparse(X) and not sp.issparse(self.index._fit_X):
            X = X.toarray()  # a tree of dense rows finds no sparse ones
        return self._count(self.index.kneighbors(X, return_distance=False))

    def _scaled(self, X: Matrix) -> Matrix:
        return divide_columns(X, self.divisors)

    def _count(self, neighbours: Array) -> Floats:
        votes = np.empty((len(neighbours), self.Y.shape[1]))
        step = max(1, BLOCK_CELLS // (self.k * self.Y.shape[1]))
        for first in range(0, len(votes), step):
            rows = slice(first, first + step)
            votes[rows] = self.Y[neighbours[rows]].sum(axis=1)
        return votes


def _ranges(X: Matrix) -> Floats:
    """The range (d,) of each column, one where it is constant."""
    low, high = column_extremes(X)
    with np.errstate(over="ignore"):
        ranges = np.minimum(high - low, np.finfo(X.dtype).max)
    return np.where(ranges > 0, ranges, 1.0)


def _overflow_guard(X: Matrix) -> Floats:
    """Ones, or one common divisor of features so large that their squares would overflow."""
    low, high = column_extremes(X)
    largest = float(np.maximum(np.abs(low), np.abs(high)).max(initial=0.0))
    return np.full(X.shape[1], largest if largest > HUGE else 1.0)
