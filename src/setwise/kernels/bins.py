"""Columns split into at most 255 bins, one byte per value, for histograms of trees."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from setwise.arrays import Array, Floats, Matrix
from setwise.kernels.matrices import stored_columns

MAX_BINS = 255


class Bins(NamedTuple):
    """``codes`` (d, n) of the bins, and the thresholds between bins: ``edges`` of all columns, one after the other.

    The thresholds of column j are ``edges[first[j] : first[j + 1]]``. A value is in bin b or below if and only if it is
    at most the b-th threshold.
    """

    codes: Array
    edges: Floats
    first: Array

    @classmethod
    def of(cls, X: Matrix) -> Bins:
        """Split the columns of ``X`` (n, d), dense or CSR, into bins.

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
        """Number of bins of each column."""
        return (np.diff(self.first) + 1).astype(np.int32)


def _thresholds(values: Floats, counts: Array) -> Floats:
    """Thresholds between increasing distinct values: between all of them, or at quantiles of the rows."""
    below, above = values[:-1], values[1:]
    if len(values) > MAX_BINS:
        # Each value is placed at the middle of its rows, so a frequent one, such as zero, has a bin to itself.
        number = (2 * np.cumsum(counts) - counts) * MAX_BINS // (2 * counts.sum())
        last = np.flatnonzero(np.diff(number))
        below, above = values[last], values[last + 1]
    middle = below / 2.0 + above / 2.0
    # Adjacent floats have no midpoint; rounded up to the larger value, it would separate nothing.
    return np.where(middle < above, middle, below)
