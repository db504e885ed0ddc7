"""Products of a dense or CSR matrix with a dense one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np
import scipy.sparse as sp

from setwise.arrays import Array, Floats, Matrix
from setwise.kernels import implementation
from setwise.kernels.matrices.storage import to_dense

BLOCK_ROWS = 4096
"""Fewest rows of a block of a transposed matrix; 64 numbers for each of them fill the cache of a core."""
VALUES_PER_SUM = 16
"""Fewest values of a block for each sum that it writes."""


def matmul(X: Matrix, B: Array) -> Array:
    """Multiply ``X`` (n, d) by a dense ``B`` (d, m); the product is dense."""
    if sp.issparse(X):
        if X.shape[1] != len(B):
            raise ValueError(f"X has {X.shape[1]} columns, but B has {len(B)} rows")
        out = np.zeros((X.shape[0], B.shape[1]), X.dtype)
        add_product(X.tocsr(), B, out)
        return out
    # BLAS rounds by memory order: rows of a DataFrame and the same rows of an array must get the same answers.
    return np.asarray(np.ascontiguousarray(X) @ np.ascontiguousarray(B))


def add_product(X: Matrix, B: Array, out: Array) -> None:
    """Add the product of a CSR ``X`` (n, d) and a dense ``B`` (d, m) to ``out`` (n, m), in place.

    Examples
    --------
    >>> import numpy as np
    >>> import scipy.sparse as sp
    >>> out = np.ones((2, 1))
    >>> add_product(sp.csr_array([[0.0, 2.0], [1.0, 0.0]]), np.array([[3.0], [5.0]]), out)
    >>> out
    array([[11.],
           [ 4.]])
    """
    implementation.csr_add_product(X.data, X.indices, X.indptr, np.ascontiguousarray(B, dtype=X.dtype), out)


@dataclass(frozen=True)
class Transposed:
    """The transpose (d, n) of a CSR matrix, in blocks of its rows.

    A product reads the rows of its other factor in the order of the columns. In blocks, those rows stay in the cache.
    """

    blocks: list[tuple[slice, Matrix]]

    @classmethod
    def of(cls, X: Matrix) -> Self:
        """Transpose a CSR ``X`` (n, d)."""
        n, d = X.shape
        # A block writes all d sums, which must not cost more than its own values.
        at_most = max(1, X.nnz // (VALUES_PER_SUM * max(d, 1)))
        size = max(BLOCK_ROWS, -(-n // at_most))
        slices = [slice(first, min(first + size, n)) for first in range(0, n, size)]
        return cls([(rows, X[rows].T.tocsr()) for rows in slices])

    def add_product(self, B: Array, out: Array) -> None:
        """Add the product with a dense ``B`` (n, m) to ``out`` (d, m), in place."""
        for rows, block in self.blocks:
            add_product(block, B[rows], out)


def cross(members: Floats, X: Matrix) -> Floats:
    """Multiply the transpose of ``members`` (n, c) by ``X`` (n, d); the product (c, d) is dense.

    Examples
    --------
    >>> import numpy as np
    >>> cross(np.array([[1.0], [2.0]]), np.array([[1.0, 0.0], [0.0, 3.0]]))
    array([[1., 6.]])
    """
    product = matmul(X.T, members) if sp.issparse(X) else X.T @ members
    return np.ascontiguousarray(product.T, dtype=np.float64)


def row_products(X: Matrix, rows: Matrix) -> Floats:
    """Multiply every row of ``X`` (n, d) by every one of ``rows`` (m, d); the products (n, m) are dense.

    Examples
    --------
    >>> import numpy as np
    >>> row_products(np.array([[1.0, 2.0]]), np.array([[1.0, 0.0], [3.0, 1.0]]))
    array([[1., 5.]])
    """
    if sp.issparse(rows):
        return np.asarray((sp.csr_array(X) @ sp.csr_array(rows).T).toarray(), dtype=np.float64)
    return np.asarray(to_dense(X) @ rows.T, dtype=np.float64)


def weigh_cells(X: Matrix, coef: Floats, slopes: Floats) -> Matrix:
    """Multiply each cell (i, j) of ``X`` (n, d) by ``coef`` (d, B)[j] @ ``slopes`` (n, B)[i], in the storage of ``X``.

    Examples
    --------
    >>> import numpy as np
    >>> weigh_cells(np.array([[1.0, 2.0]]), np.array([[3.0], [4.0]]), np.array([[10.0]]))
    array([[30., 80.]])
    """
    if not sp.issparse(X):
        return np.asarray(X * (slopes @ coef.T))
    weights = [coef[X.indices[a:b]] @ s for a, b, s in zip(X.indptr[:-1], X.indptr[1:], slopes)]
    return sp.csr_array(
        (X.data * np.concatenate([*weights, np.empty(0)]), X.indices, X.indptr), shape=X.shape
    )


def add_matrices(first: Matrix, second: Matrix) -> Matrix:
    """Add two matrices of one shape; the sum is a CSR if both are."""
    both = sp.issparse(first) and sp.issparse(second)
    return sp.csr_array(first + second) if both else to_dense(first) + to_dense(second)
