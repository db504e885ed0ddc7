"""Columns of a dense or CSR matrix: their moments and ranges, scaling, taking and adding some."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from setwise.arrays import Array, Floats, Matrix
from setwise.blocks import ArrayBlocks, Blocks
from setwise.kernels.matrices.storage import stored_values, to_dense, with_values

MOMENT_ARRAYS = 3
"""Arrays as large as the rows that their moments hold at a time."""


def append_columns(X: Matrix, columns: Array) -> Matrix:
    """Add dense ``columns`` (n, m) to the right of ``X`` (n, d), in the storage and dtype of ``X``."""
    columns = np.asarray(columns, dtype=X.dtype)
    return sp.hstack([X, sp.csr_array(columns)], format="csr") if sp.issparse(X) else np.hstack([X, columns])


def stack_columns(blocks: list[Matrix], *, as_csr: bool) -> Matrix:
    """Put matrices of the same rows side by side, dense or as CSR.

    Examples
    --------
    >>> stack_columns([np.ones((2, 1)), sp.csr_array([[0, 2], [0, 0]])], as_csr=False)
    array([[1., 0., 2.],
           [1., 0., 0.]])
    """
    if as_csr:
        return sp.csr_array(sp.hstack([sp.csr_array(block) for block in blocks], format="csr"))
    return np.hstack([to_dense(block) for block in blocks])


def take_columns(X: Matrix, columns: Array) -> Matrix:
    """Select columns of ``X`` by their numbers; returns ``X`` itself if they are all."""
    return X if len(columns) == X.shape[1] else X[:, columns]


def divide_columns(X: Matrix, divisors: Floats) -> Matrix:
    """Divide every column of ``X`` (n, d) by its divisor (d,); an infinite divisor clears the column.

    Examples
    --------
    >>> import numpy as np
    >>> divide_columns(np.array([[2.0, 3.0]]), np.array([4.0, np.inf]))
    array([[0.5, 0. ]])
    """
    return with_values(X, X.data / divisors[X.indices]) if sp.issparse(X) else X / divisors


def minus_row(X: Matrix, row: Floats) -> Matrix:
    """Subtract ``row`` (d,) from every row of ``X`` (n, d), in the storage of ``X``.

    Examples
    --------
    >>> import numpy as np
    >>> minus_row(np.array([[2.0, 3.0]]), np.array([1.0, 0.0]))
    array([[1., 3.]])
    """
    if not sp.issparse(X):
        return X - row
    rows = sp.csr_array(np.ones((X.shape[0], 1))) @ sp.csr_array(row[None])
    return sp.csr_array(sp.csr_array(X, dtype=np.float64) - rows)


def column_sums(X: Matrix) -> Floats:
    """Sum each column (d,)."""
    return np.asarray(X.sum(axis=0), dtype=np.float64).ravel()


def squared(X: Matrix) -> Matrix:
    """Square every cell."""
    return with_values(X, stored_values(X) ** 2)


def merge_columns(X: Matrix, place: Array, n_columns: int) -> Floats:
    """Add up the columns of ``X`` (n, d) that have the same ``place`` (d,); the sums (n, n_columns) are dense.

    Examples
    --------
    >>> import numpy as np
    >>> merge_columns(np.array([[1.0, 2.0, 4.0]]), np.array([0, 1, 0]), 2)
    array([[5., 2.]])
    """
    members = sp.csr_array(
        (np.ones(len(place)), (np.arange(len(place)), place)), shape=(len(place), n_columns)
    )
    return to_dense(X @ members)


def column_extremes(X: Matrix) -> tuple[Floats, Floats]:
    """Find the smallest and the largest value (d,) of each column."""
    if sp.issparse(X):
        low, high = (np.asarray(m.todense()).ravel() for m in (X.min(axis=0), X.max(axis=0)))
    else:
        low, high = X.min(axis=0), X.max(axis=0)
    return np.asarray(low, dtype=np.float64), np.asarray(high, dtype=np.float64)


class ColumnMoments(NamedTuple):
    """Mean, standard deviation and share of non-zero values of each column, (d,) each."""

    mean: Floats
    deviation: Floats
    filled: Floats


def column_moments(X: Matrix, weights: Floats | None = None) -> ColumnMoments:
    """Compute weighted moments of the columns, for values up to the largest floating-point number.

    Parameters
    ----------
    X : array or CSR of shape (n, d)
    weights : ndarray of shape (n,), optional
        Row weights; equal by default.

    Returns
    -------
    ColumnMoments

    Examples
    --------
    >>> import numpy as np
    >>> moments = column_moments(np.array([[0.0, 5.0], [2.0, 5.0]]))
    >>> moments.mean, moments.deviation, moments.filled
    (array([1., 5.]), array([1., 0.]), array([0.5, 1. ]))
    """
    n = X.shape[0]
    blocks = ArrayBlocks((X, weights), n, cells_per_row=MOMENT_ARRAYS * stored_values(X).size // n)
    return moments_in_blocks(blocks, float(n) if weights is None else float(weights.sum()))


def moments_in_blocks(blocks: Blocks, total_weight: float) -> ColumnMoments:
    """Compute the moments of columns in two or three rounds over blocks of rows.

    Parameters
    ----------
    blocks : Blocks
        Their first arrays are the rows (n, d) and their weights (n,) or None.
    total_weight : float
        Sum of the weights, or the number of rows.

    Returns
    -------
    ColumnMoments
    """
    unit = blocks.total(_largest, np.maximum)
    unit[unit == 0] = 1.0
    sums = partial(_sums, unit=unit, total=total_weight)
    mean, filled, *squares = blocks.total(sums)
    if squares:
        variance, rounding = np.maximum(squares[0] - mean**2, 0.0), 1e-7
    else:
        variance = blocks.total(partial(_squares, unit=unit, mean=mean, total=total_weight))
        rounding = 1e-13
    deviation = np.sqrt(variance)
    deviation[deviation < rounding] = 0.0
    return ColumnMoments(mean * unit, deviation * unit, filled)


def _largest(X: Matrix, *_: Any) -> Floats:
    """Find the largest size of a value (d,) of each column."""
    if not X.shape[0]:
        return np.zeros(X.shape[1])
    return np.asarray(np.abs(column_extremes(X)).max(axis=0))


def _shares(X: Matrix, weights: Floats | None, total: float) -> Floats:
    return np.full(X.shape[0], 1.0 / total) if weights is None else weights / total


def _squares(X: Matrix, weights: Floats | None, *_: Any, unit: Floats, mean: Floats, total: float) -> Floats:
    """Sum the squares of each column minus its mean, with row weights."""
    return np.asarray(_shares(X, weights, total) @ (divide_columns(X, unit) - mean) ** 2)


def _sums(X: Matrix, weights: Floats | None, *_: Any, unit: Floats, total: float) -> Floats:
    """Sum each column, its non-zero values and, for CSR, its squares, with row weights.

    The zeros of CSR are not stored, so that its values cannot be centred before they are squared.
    """
    X, w = divide_columns(X, unit), _shares(X, weights, total)
    sums = [w @ X, w @ (X != 0)]
    return np.stack([*sums, w @ X.multiply(X)] if sp.issparse(X) else sums)


def centred_squares(X: Matrix, mean: Floats, weights: Floats | None = None) -> Floats:
    """Compute the mean of the squares (d,) of each column minus ``mean`` (d,), with row weights (n,) if given.

    Examples
    --------
    >>> import numpy as np
    >>> centred_squares(np.array([[1.0, 2.0], [3.0, 2.0]]), np.array([2.0, 0.0]))
    array([1., 4.])
    """
    values = X.astype(np.float64)
    w = np.ones(X.shape[0]) if weights is None else weights
    total = max(w.sum(), np.finfo(np.float64).tiny)
    squares, sums = (np.asarray(w @ part).ravel() / total for part in (squared(values), values))
    return np.maximum(squares - 2.0 * mean * sums + mean**2, 0.0)


def stored_columns(X: Matrix) -> Iterator[tuple[Array | slice, Floats]]:
    """Iterate over the columns: the rows whose values are stored, and these values; all other values are zero."""
    if not sp.issparse(X):
        for column in np.asarray(X).T:
            yield slice(None), column.astype(np.float64)
        return
    by_column = X.tocsc(copy=True)
    by_column.sum_duplicates()
    for begin, end in zip(by_column.indptr[:-1], by_column.indptr[1:]):
        yield by_column.indices[begin:end], by_column.data[begin:end].astype(np.float64)
