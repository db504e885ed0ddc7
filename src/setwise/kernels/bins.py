"""Columns split into at most 255 bins, one byte per value, for histograms of trees."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from setwise.arrays import Array, Floats, Matrix
from setwise.kernels.matrices import stored_cells, stored_columns

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
            edges.append(_cut(stored, n - len(stored)))
            codes[j] = np.searchsorted(edges[-1], 0.0)
            codes[j, rows] = np.searchsorted(edges[-1], stored)
        first = np.cumsum([0, *map(len, edges)])
        return cls(codes, np.concatenate([*edges, np.empty(0)]), first)

    @property
    def sizes(self) -> Array:
        """Number of bins of each column."""
        return (np.diff(self.first) + 1).astype(np.int32)


class RowBins(NamedTuple):
    """Codes column by column, or row by row of the ``columns`` that are stored in a sparse X.

    Row i of a sparse X has ``codes[bounds[i] : bounds[i + 1]]`` in the ``columns`` of the same places, and the code
    ``absent`` (d,) of the column elsewhere. ``edges`` and ``first`` are those of :class:`Bins`.
    """

    codes: Array
    columns: Array
    bounds: Array
    absent: Array
    edges: Floats
    first: Array

    @classmethod
    def of(cls, X: Matrix) -> RowBins:
        """Cut the columns of ``X`` (n, d), dense or CSR; NaN is in a bin of its own, the last.

        Examples
        --------
        >>> import numpy as np
        >>> bins = RowBins.of(np.array([[0.0, 7.0], [2.0, np.nan], [0.0, 7.0], [5.0, 7.0]]))
        >>> bins.codes.reshape(2, 4)
        array([[0, 1, 0, 2],
               [0, 1, 0, 0]], dtype=uint8)
        >>> bins.edges
        array([1. , 3.5, 7. ])
        """
        n, d = X.shape
        cells = stored_cells(X)
        codes, absent, edges = np.empty(len(cells.values), np.uint8), np.zeros(d, np.uint8), []
        for j, places in enumerate(cells.by_column(d)):
            stored = cells.values[places].astype(np.float64)
            edges.append(_cut(stored, n - len(stored)))
            absent[j] = np.searchsorted(edges[-1], 0.0)
            codes[places] = np.searchsorted(edges[-1], stored)
        first = np.cumsum([0, *map(len, edges)])
        return cls(codes, cells.columns, cells.bounds, absent, np.concatenate([*edges, np.empty(0)]), first)


def _cut(stored: Floats, n_zeros: int) -> Floats:
    """Thresholds of a column with these values and ``n_zeros`` zeros that are not stored."""
    values, counts = np.unique(np.append(stored, [0.0] * (n_zeros > 0)), return_counts=True)
    counts[values == 0.0] += max(n_zeros - 1, 0)
    if len(values) and np.isnan(values[-1]):
        # NaN is not at most any threshold: the last one, the largest number, parts it from all others.
        known = values[:-1]
        return np.append(_thresholds(known, counts[:-1])[: MAX_BINS - 2], known[-1:])
    return _thresholds(values, counts)


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
