"""Rows of a dense or CSR matrix: their lengths, keys of their content, and rows in dense blocks."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import numpy as np
import scipy.sparse as sp

from setwise.arrays import Array, Floats, Matrix
from setwise.blocks import row_slices
from setwise.kernels.matrices.storage import to_dense
from setwise.random_bits import mixed

KEY_ARRAYS = 4
"""Arrays as large as the rows that hashing them holds at a time."""
HALF_SINGLE, WHOLE_SINGLE = np.uint64(1 << 28), np.uint64(2**64 - (1 << 29))
"""Half of the last digit of single precision within the bits of a double, and the bits above."""


def row_lengths(X: Matrix) -> Floats:
    """Compute the Euclidean length (n,) of each row, to the same last bit for dense and CSR."""
    size, rest = _size_and_rest(X)
    return np.asarray(size * rest)


def squared_lengths(X: Matrix) -> Floats:
    """Compute the squared Euclidean length (n,) of each row."""
    if sp.issparse(X):
        return np.asarray(sp.csr_array(X).multiply(X).sum(axis=1), dtype=np.float64).ravel()
    return np.einsum("ij,ij->i", X, X, dtype=np.float64)


def unit_rows(X: Matrix) -> Matrix:
    """Divide every row of ``X`` (n, d) by its length, in the storage and dtype of ``X``; rows of zeros stay.

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
    """Find the largest absolute value (n,) of each row, and the length (n,) of the row divided by it.

    Values are added in the order of the columns without zeros, so that both storages round alike.
    """
    rows = sp.csr_array(X, dtype=np.float64, copy=sp.issparse(X))
    rows.sum_duplicates()
    n, counts = rows.shape[0], np.diff(rows.indptr)
    size = np.asarray(abs(rows).max(axis=1).todense(), dtype=np.float64).ravel()
    scaled = rows.data / np.repeat(np.where(size > 0, size, 1.0), counts)
    return size, np.sqrt(np.bincount(np.repeat(np.arange(n), counts), scaled**2, n))


def row_keys(X: Matrix) -> Array:
    """Hash the content of each row to 64 bits (n,), the same for dense and CSR, single and double precision."""
    with np.errstate(over="ignore"):
        if not sp.issparse(X):
            blocks = (X[rows] for rows in row_slices(X.shape[0], KEY_ARRAYS * X.shape[1]))
            columns = np.arange(X.shape[1])
            sums = [_cell_keys(block, columns).sum(axis=1, dtype=np.uint64) for block in blocks]
            return mixed(np.concatenate(sums))
        X = X.tocsr()
        ends = np.concatenate([[np.uint64(0)], np.cumsum(_cell_keys(X.data, X.indices))])
        return mixed(np.diff(ends[X.indptr]))


def _cell_keys(values: Array, columns: Array) -> Array:
    """Hash each value with its column; a zero has the key zero, so that it does not matter which zeros are stored.

    Values are rounded to the digits of single precision, because the last bits of a scaled feature depend on the order
    of the rows that the scaler saw.
    """
    bits = np.ascontiguousarray(values, dtype=np.float64).view(np.uint64)
    keys = mixed((bits + HALF_SINGLE) & WHOLE_SINGLE)
    keys = mixed(keys ^ (columns.astype(np.uint64) + np.uint64(1)))
    keys[values == 0] = 0
    return keys


def stack_rows(blocks: list[Matrix]) -> Matrix:
    """Put blocks of rows in one storage on top of each other."""
    sparse = any(map(sp.issparse, blocks))
    return sp.csr_array(sp.vstack(blocks, format="csr")) if sparse else np.concatenate(blocks)


def row_cells(X: Matrix, row: int) -> tuple[Array, Array]:
    """Columns and values of the cells of a row: all of a dense matrix, the stored ones of a CSR.

    Examples
    --------
    >>> row_cells(sp.csr_array([[0, 7], [8, 9]]), 0)
    (array([1], dtype=int32), array([7]))
    """
    if not sp.issparse(X):
        return np.arange(X.shape[1]), X[row]
    cells = slice(X.indptr[row], X.indptr[row + 1])
    return X.indices[cells], X.data[cells]


def dense_blocks(X: Matrix, n_arrays: int = 1) -> Iterator[tuple[slice, Floats]]:
    """Iterate over the rows of ``X`` (n, d) in blocks that fit the memory budget.

    Parameters
    ----------
    X : array or CSR of shape (n, d)
    n_arrays : int, default=1
        Arrays as large as a block that the caller holds at a time.

    Yields
    ------
    tuple of slice and ndarray
        The rows, and their values as a C-contiguous float64 array. It may be a part of ``X``: do not change it.

    Examples
    --------
    >>> import scipy.sparse as sp
    >>> next(dense_blocks(sp.csr_array([[0, 1], [2, 0]])))
    (slice(0, 2, None), array([[0., 1.],
           [2., 0.]]))
    """
    for rows in row_slices(X.shape[0], n_arrays * X.shape[1]):
        yield rows, np.ascontiguousarray(to_dense(X[rows]), dtype=np.float64)


def contiguous_rows(X: Matrix) -> Matrix:
    """Return ``X`` in row-major order: a CSR as it is, an array C-contiguous."""
    return X if sp.issparse(X) else np.ascontiguousarray(X)


def true_columns(on: Matrix) -> tuple[Array, Array]:
    """List the columns that are true, row by row.

    Parameters
    ----------
    on : boolean array or sparse matrix of shape (n, d)

    Returns
    -------
    columns : ndarray of shape (m,)
        The columns of the first row in rising order, then those of the second, and so on.
    bounds : ndarray of shape (n + 1,)
        Row i has ``columns[bounds[i] : bounds[i + 1]]``.

    Examples
    --------
    >>> import numpy as np
    >>> true_columns(np.array([[True, False, True], [False, False, False], [False, True, False]]))
    (array([0, 2, 1], dtype=int32), array([0, 2, 2, 3], dtype=int32))
    """
    rows = sp.csr_array(on)
    rows.eliminate_zeros()
    rows.sort_indices()
    return rows.indices, rows.indptr


def count_distinct_rows(on: Matrix) -> int:
    """Count the different rows of a boolean matrix.

    Examples
    --------
    >>> import numpy as np
    >>> count_distinct_rows(np.array([[True, False], [False, False], [True, False]]))
    2
    """
    columns, bounds = true_columns(on)
    return len({columns[a:b].tobytes() for a, b in itertools.pairwise(bounds)})
