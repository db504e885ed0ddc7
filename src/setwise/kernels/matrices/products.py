"""Products of a dense or CSR matrix with a dense one."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from setwise.arrays import Array, Floats, Matrix
from setwise.kernels import implementation
from setwise.kernels.matrices.storage import to_dense


def matmul(X: Matrix, B: Array) -> Array:
    """Multiply ``X`` (n, d) by a dense ``B`` (d, m); the product is dense."""
    if sp.issparse(X):
        if X.shape[1] != len(B):
            raise ValueError(f"X has {X.shape[1]} columns, but B has {len(B)} rows")
        X = X.tocsr()
        return implementation.csr_matmul(X.data, X.indices, X.indptr, np.ascontiguousarray(B, dtype=X.dtype))
    # BLAS rounds by memory order: rows of a DataFrame and the same rows of an array must get the same answers.
    return np.asarray(np.ascontiguousarray(X) @ np.ascontiguousarray(B))


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
