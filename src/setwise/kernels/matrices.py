"""Operations on a dense or CSR matrix that give the same result for both: the one place that asks which it is."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import scipy.sparse as sp

from setwise.contract import Array, Bools, Floats, Matrix
from setwise.kernels import implementation
from setwise.random_bits import mixed

BLOCK_CELLS = 1 << 20


def matmul(X: Matrix, B: Array) -> Array:
    """``X @ B`` for a dense or CSR ``X``, dense."""
    if sp.issparse(X):
        X = X.tocsr()
        return implementation.csr_matmul(X.data, X.indices, X.indptr, np.ascontiguousarray(B, dtype=X.dtype))
    # BLAS rounds by memory order: rows of a DataFrame and the same rows of an array must get the same answers.
    return np.asarray(np.ascontiguousarray(X) @ np.ascontiguousarray(B))


def append_columns(X: Matrix, columns: Array) -> Matrix:
    """``X`` (n, d) with dense ``columns`` (n, m) to its right, in the form and dtype of ``X``."""
    columns = np.asarray(columns, dtype=X.dtype)
    return sp.hstack([X, sp.csr_array(columns)], format="csr") if sp.issparse(X) else np.hstack([X, columns])


def column_extremes(X: Matrix) -> tuple[Floats, Floats]:
    """The least and the largest value (d,) of each column."""
    if sp.issparse(X):
        low, high = (np.asarray(m.todense()).ravel() for m in (X.min(axis=0), X.max(axis=0)))
    else:
        low, high = X.min(axis=0), X.max(axis=0)
    return np.asarray(low, dtype=np.float64), np.asarray(high, dtype=np.float64)


def divide_columns(X: Matrix, divisors: Floats) -> Matrix:
    """``X`` (n, d) with every column divided by its divisor (d,), in the form of ``X``."""
    return X @ sp.diags_array(1.0 / divisors) if sp.issparse(X) else X / divisors


def sorted_rows(X: Matrix) -> Matrix:
    """``X`` with the columns of each CSR row in order and stored once; a dense ``X`` as it is."""
    if not sp.issparse(X):
        return X
    X = X.tocsr(copy=True)
    X.sum_duplicates()
    return X


def row_lengths(X: Matrix) -> Floats:
    """The Euclidean length (n,) of each row, to the same last bit for dense and CSR."""
    size, rest = _size_and_rest(X)
    return np.asarray(size * rest)


def unit_rows(X: Matrix) -> Matrix:
    """``X`` (n, d) with every row divided by its length, in the form and dtype of ``X``; rows of zeros stay.

    Examples
    --------
    >>> import numpy as np
    >>> unit_rows(np.array([[3.0, 4.0], [0.0, 0.0]]))
    array([[0.6, 0.8],
           [0. , 0. ]])
    """
    size, rest = _size_and_rest(X)
    size[size == 0], rest[rest == 0] = 1.0, 1.0
    if not sp.issparse(X):
        return np.ascontiguousarray(X / size[:, None] / rest[:, None], dtype=X.dtype)
    X = X.tocsr(copy=True)
    counts = np.diff(X.indptr)
    X.data = (X.data / np.repeat(size, counts) / np.repeat(rest, counts)).astype(X.dtype)
    return X


def _size_and_rest(X: Matrix) -> tuple[Floats, Floats]:
    """The largest absolute value (n,) of each row, and the length (n,) of the row divided by it.

    Values are added in the order of the columns, zeros left out, whatever the storage.
    """
    rows = sp.csr_array(X, dtype=np.float64, copy=sp.issparse(X))
    rows.sum_duplicates()
    n, counts = rows.shape[0], np.diff(rows.indptr)
    size = np.asarray(abs(rows).max(axis=1).todense(), dtype=np.float64).ravel()
    scaled = rows.data / np.repeat(np.where(size > 0, size, 1.0), counts)
    return size, np.sqrt(np.bincount(np.repeat(np.arange(n), counts), scaled**2, n))


def row_keys(X: Matrix) -> Array:
    """A 64-bit key (n,) of the content of each row, the same for dense and CSR."""
    with np.errstate(over="ignore"):
        if not sp.issparse(X):
            return mixed(_cell_keys(X, np.arange(X.shape[1])).sum(axis=1, dtype=np.uint64))
        X = X.tocsr()
        sums = np.concatenate([[np.uint64(0)], np.cumsum(_cell_keys(X.data, X.indices))])
        return mixed(np.diff(sums[X.indptr]))


def _cell_keys(values: Array, columns: Array) -> Array:
    """A key of each value and its column; zero where the value is, so that it does not matter which are stored."""
    keys = mixed(np.ascontiguousarray(values, dtype=np.float64).view(np.uint64))
    keys = mixed(keys ^ (columns.astype(np.uint64) + np.uint64(1)))
    keys[values == 0] = 0
    return keys


def dense_blocks(X: Matrix) -> Iterator[tuple[slice, Floats]]:
    """Rows of ``X`` (n, d) as new dense float64 arrays, a block at a time."""
    step = max(1, BLOCK_CELLS // max(1, X.shape[1]))
    for start in range(0, X.shape[0], step):
        rows = slice(start, min(start + step, X.shape[0]))
        block = X[rows].toarray() if sp.issparse(X) else X[rows]
        yield rows, np.array(block, dtype=np.float64, order="C")


def cross(members: Floats, X: Matrix) -> Floats:
    """``members.T @ X`` (C, d), dense."""
    product = matmul(X.T, members) if sp.issparse(X) else X.T @ members
    return np.ascontiguousarray(product.T, dtype=np.float64)


def with_values(X: Matrix, values: Array) -> Matrix:
    """``X`` with other stored values: all of a dense X, the explicit ones of a CSR."""
    if sp.issparse(X):
        return sp.csr_array((values, X.indices, X.indptr), shape=X.shape)
    return values


def stored_values(X: Matrix) -> Array:
    """The stored values of ``X``: all of a dense X, the explicit ones of a CSR."""
    return np.asarray(X.data if sp.issparse(X) else X)


def missing_cells(X: Matrix) -> Matrix | None:
    """1.0 where ``X`` is NaN, stored as X is; None where nothing is missing."""
    bad: Bools = np.isnan(stored_values(X))
    return with_values(X, bad.astype(np.float64)) if bad.any() else None


def first_cell(X: Matrix, wrong: Bools) -> tuple[int, int]:
    """Row and column of the first stored value that is ``wrong``."""
    if sp.issparse(X):
        cells = X.tocoo()
        at = int(np.flatnonzero(wrong)[0])
        return int(cells.row[at]), int(cells.col[at])
    row, column = np.argwhere(wrong)[0]
    return int(row), int(column)


def take_columns(X: Matrix, columns: Array) -> Matrix:
    """Some columns of ``X``; ``X`` itself where they are all."""
    return X if len(columns) == X.shape[1] else X[:, columns]


def scaled(X: Matrix, factor: Floats) -> Matrix:
    """``X`` (n, d) with each column times its ``factor`` (d,), stored as X is."""
    if sp.issparse(X):
        return sp.csr_array((X.data * factor[X.indices], X.indices, X.indptr), shape=X.shape)
    return X * factor
