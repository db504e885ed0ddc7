"""Columns of a dense or CSR matrix as the counting learners need them, without asking them which it is."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import scipy.sparse as sp

from setwise.contract import Array, Bools, Floats, Matrix
from setwise.kernels.design import matmul

BLOCK_CELLS = 1 << 20


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


def beside(X: Matrix, extra: Array) -> Matrix:
    """The columns of ``X`` (n, d), then those of ``extra`` (n, e), stored as X is."""
    if sp.issparse(X):
        return sp.hstack([X, sp.csr_array(extra.astype(X.dtype))], format="csr")
    return np.hstack([X, extra.astype(X.dtype)])
