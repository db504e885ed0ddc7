"""Columns cut into at most 255 bins, a byte a value: what histograms of trees are made of."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from setwise.arrays import Array, Floats, Matrix
from setwise.kernels.matrices import stored_columns

MAX_BINS = 255


class Bins(NamedTuple):
    """``codes`` (d, n), and after each bin of a column but its last a threshold: ``edges`` of all columns in a row.

    The thresholds of column j are ``edges[first[j] : first[j + 1]]``; a value is in bin b or before exactly where
    it is at most the b-th of them.
    """

    codes: Array
    edges: Floats
    first: Array

    @classmethod
    def of(cls, X: Matrix) -> Bins:
        """Cut the columns of ``X`` (n, d), dense or CSR.

        Examples
        --------
        >>> import numpy as np
        >>> bins = Bins.of(np.array([[0.0, 7.0], [2.0, 7.0], [0.0, 7.0], [5.0, 7.0]]))
        >>> bins.codes
        array([[0, 1, 0, 2],
               [0, 0, 0, 0]], dtype=uint8)
        >>> bins.edges
        array([1. , 3.5])
        """
        n, d = X.shape
        codes, edges = np.empty((d, n), dtype=np.uint8), []
        for j, (rows, stored) in enumerate(stored_columns(X)):
            absent = n - len(stored)
            values, counts = np.unique(np.append(stored, [0.0] * (absent > 0)), return_counts=True)
            counts[values == 0.0] += max(absent - 1, 0)
            edges.append(_thresholds(values, counts))
            codes[j] = np.searchsorted(edges[-1], 0.0)
            codes[j, rows] = np.searchsorted(edges[-1], stored)
        first = np.cumsum([0, *map(len, edges)])
        return cls(codes, np.concatenate([*edges, np.empty(0)]), first)

    @property
    def sizes(self) -> Array:
        """How many bins each column has."""
        return (np.diff(self.first) + 1).astype(np.int32)


def _thresholds(values: Floats, counts: Array) -> Floats:
    """Thresholds between distinct values (rising): between all of them, or at quantiles of the rows."""
    below, above = values[:-1], values[1:]
    if len(values) > MAX_BINS:
        # A value stands at the middle of its rows, so a common one (the zero of words) keeps a bin to itself.
        number = (2 * np.cumsum(counts) - counts) * MAX_BINS // (2 * counts.sum())
        last = np.flatnonzero(np.diff(number))
        below, above = values[last], values[last + 1]
    middle = below / 2.0 + above / 2.0
    # Between neighbouring floats there is no middle: rounded to the value above it would part nothing.
    return np.where(middle < above, middle, below)
