"""How a matrix is stored: its stored values, and the way from one storage to the other."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from setwise.arrays import Array, Bools, Matrix


def as_matrix(X: Any) -> Matrix:
    """Convert to an array, or to a CSR array if ``X`` is sparse.

    Parameters
    ----------
    X : array-like or sparse matrix

    Returns
    -------
    ndarray or csr_array

    Examples
    --------
    >>> import scipy.sparse as sp
    >>> as_matrix([[0, 1]]).shape, as_matrix(sp.coo_matrix([[0, 1]])).format
    ((1, 2), 'csr')
    """
    return sp.csr_array(X) if sp.issparse(X) else np.asarray(X)


def to_dense(X: Any) -> Array:
    """Convert to a dense array.

    Examples
    --------
    >>> import scipy.sparse as sp
    >>> to_dense(sp.csr_array([[0, 1]]))
    array([[0, 1]])
    """
    return np.asarray(X.toarray() if sp.issparse(X) else X)


def is_sparse(X: Matrix) -> bool:
    """Check whether a matrix stores only some of its values.

    Examples
    --------
    >>> is_sparse(np.ones((2, 2)))
    False
    """
    return sp.issparse(X)


def as_csr(X: Matrix) -> Matrix:
    """Convert to a CSR array.

    Examples
    --------
    >>> import numpy as np
    >>> as_csr(np.array([[0.0, 1.0]])).nnz
    1
    """
    return sp.csr_array(X)


def dense_within(X: Matrix, max_bytes: int) -> Array | None:
    """Convert to a dense array, unless a sparse ``X`` would then take more than ``max_bytes``.

    Parameters
    ----------
    X : array or CSR of shape (n, d)
    max_bytes : int
        Largest size of the result, 8 bytes a value.

    Returns
    -------
    ndarray of shape (n, d) or None
        None if the result would be too large. A dense ``X`` is returned as it is.

    Examples
    --------
    >>> import scipy.sparse as sp
    >>> dense_within(sp.csr_array([[0.0, 1.0]]), max_bytes=16)
    array([[0., 1.]])
    >>> dense_within(sp.csr_array([[0.0, 1.0]]), max_bytes=15) is None
    True
    """
    too_large = sp.issparse(X) and 8 * X.shape[0] * X.shape[1] > max_bytes
    return None if too_large else to_dense(X)


def match_storage(X: Matrix, like: Matrix) -> Matrix:
    """Convert ``X`` to a dense array if ``like`` is dense; otherwise return it as it is."""
    return X if sp.issparse(like) else to_dense(X)


def share_storage(first: Matrix, second: Matrix) -> tuple[Matrix, Matrix]:
    """Convert two matrices to one storage: sparse only if both are."""
    return match_storage(first, second), match_storage(second, first)


def stored_values(X: Matrix) -> Array:
    """Return the stored values of ``X``: all of a dense matrix, the explicit ones of a CSR, without a copy."""
    return np.asarray(X.data if sp.issparse(X) else X)


def stored_arrays(value: Any) -> list[Array]:
    """List the arrays that a matrix is stored in: itself, or the three of a CSR; empty for other values.

    Examples
    --------
    >>> import scipy.sparse as sp
    >>> len(stored_arrays(sp.csr_array([[0, 1]]))), len(stored_arrays("l2"))
    (3, 0)
    """
    if sp.issparse(value):
        return [value.data, value.indices, value.indptr]
    return [value] if isinstance(value, np.ndarray) else []


def with_values(X: Matrix, values: Array) -> Matrix:
    """Replace the stored values of ``X``.

    Parameters
    ----------
    X : array or CSR of shape (n, d)
    values : ndarray
        As many as :func:`stored_values` returns, in the same shape.

    Returns
    -------
    array or CSR of shape (n, d)
    """
    if sp.issparse(X):
        # SciPy sorts rows in place when it needs to: shared columns would then no longer fit the values of X.
        indices = X.indices if X.has_sorted_indices else X.indices.copy()
        return sp.csr_array((values, indices, X.indptr), shape=X.shape)
    return values


def sorted_rows(X: Matrix) -> Matrix:
    """Sort the columns of each CSR row and store each of them once; a dense ``X`` is returned as it is."""
    if not sp.issparse(X):
        return X
    X = sp.csr_array(X, copy=True)
    X.sum_duplicates()
    return X


class StoredCells(NamedTuple):
    """The stored cells row by row: ``values`` and ``columns`` of row i from ``bounds[i]`` to ``bounds[i + 1]``.

    A dense matrix lists no columns; its ``values`` are column by column.
    """

    values: Array
    columns: Array
    bounds: Array

    def by_column(self, n_columns: int) -> Iterator[slice | Array]:
        """Iterate over the columns: the places of the stored cells of each."""
        if len(self.columns) == 0 and len(self.values):
            n_rows = len(self.bounds) - 1
            yield from (slice(j * n_rows, (j + 1) * n_rows) for j in range(n_columns))
            return
        order = np.argsort(self.columns, kind="stable")
        ends = np.searchsorted(self.columns[order], np.arange(n_columns + 1))
        yield from (order[a:b] for a, b in itertools.pairwise(ends))


def stored_cells(X: Matrix) -> StoredCells:
    """List the stored cells of ``X`` (n, d): of a CSR row by row, the columns of each row in rising order.

    Examples
    --------
    >>> import scipy.sparse as sp
    >>> cells = stored_cells(sp.csr_array([[0, 7], [8, 9]]))
    >>> cells.values, cells.columns, cells.bounds
    (array([7, 8, 9]), array([1, 0, 1], dtype=int32), array([0, 1, 3]))
    """
    if not sp.issparse(X):
        none = np.zeros(X.shape[0] + 1, np.int64)
        return StoredCells(np.asarray(X).T.ravel(), np.empty(0, np.int32), none)
    rows = sorted_rows(X)
    return StoredCells(rows.data, rows.indices.astype(np.int32), rows.indptr.astype(np.int64))


def from_cells(rows: list[dict[int, float]], like: Matrix) -> Matrix:
    """Make a matrix from the cells of each row that are not zero, with the columns and storage of ``like``.

    Examples
    --------
    >>> from_cells([{1: 2.0}], np.zeros((1, 3)))
    array([[0., 2., 0.]])
    """
    bounds = np.cumsum([0, *map(len, rows)])
    columns = np.fromiter(itertools.chain.from_iterable(rows), np.int64, bounds[-1])
    values = np.fromiter((value for row in rows for value in row.values()), np.float64, bounds[-1])
    return match_storage(sp.csr_array((values, columns, bounds), shape=(len(rows), like.shape[1])), like)


def indicator(rows: Array, columns: Array, shape: tuple[int, int]) -> Matrix:
    """Make a CSR array that has 1.0 in the given cells and 0 elsewhere.

    Examples
    --------
    >>> to_dense(indicator(np.array([0, 1]), np.array([2, 0]), (2, 3)))
    array([[0., 0., 1.],
           [1., 0., 0.]])
    """
    return sp.csr_array((np.ones(len(rows)), (rows, columns)), shape=shape)


def missing_cells(X: Matrix) -> Matrix | None:
    """Return a matrix with 1.0 where ``X`` is NaN, stored as ``X`` is; None if nothing is missing."""
    bad: Bools = np.isnan(stored_values(X))
    return with_values(X, bad.astype(np.float64)) if bad.any() else None


def missing_rows(X: Matrix, rows: Bools) -> Matrix:
    """Set all cells of some ``rows`` (n,) to NaN.

    Examples
    --------
    >>> missing_rows(np.eye(2), np.array([True, False]))
    array([[nan, nan],
           [ 0.,  1.]])
    """
    if not sp.issparse(X):
        return np.where(rows[:, None], np.nan, X)
    lengths = np.where(rows, X.shape[1], 0)
    columns = np.tile(np.arange(X.shape[1]), int(rows.sum()))
    nan = sp.csr_array(
        (np.full(len(columns), np.nan), columns, np.append(0, lengths.cumsum())), shape=X.shape
    )
    return sp.csr_array(X + nan)


def fill_missing(X: Matrix, fill: Array) -> Matrix:
    """Replace each NaN of ``X`` by the entry of ``fill`` (d,) for its column.

    Examples
    --------
    >>> import numpy as np
    >>> fill_missing(np.array([[1.0, np.nan], [np.nan, 4.0]]), np.array([5.0, 6.0]))
    array([[1., 6.],
           [5., 4.]])
    """
    values = stored_values(X)
    bad: Bools = np.isnan(values)
    if not bad.any():
        return X
    columns = X.indices if sp.issparse(X) else np.broadcast_to(np.arange(X.shape[1]), X.shape)
    filled = values.copy()
    filled[bad] = fill[columns[bad]]
    return with_values(X, filled)


def first_cell(X: Matrix, wrong: Bools) -> tuple[int, int]:
    """Find the row and column of the first stored value that is ``wrong``.

    Parameters
    ----------
    X : array or CSR of shape (n, d)
    wrong : ndarray of bool
        For each of the :func:`stored_values`; at least one is true.

    Returns
    -------
    tuple of (int, int)

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[1.0, 2.0], [-3.0, 0.0]])
    >>> first_cell(X, stored_values(X) < 0)
    (1, 0)
    """
    if sp.issparse(X):
        cells = X.tocoo()
        at = int(np.flatnonzero(wrong)[0])
        return int(cells.row[at]), int(cells.col[at])
    row, column = np.argwhere(wrong)[0]
    return int(row), int(column)
