"""CSR matrix times dense matrix."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from setwise.contract import Array


def csr_matmul(data: Array, indices: Array, indptr: Array, dense: Array) -> Array:
    """The product (n, B) of a CSR matrix (n, d) with a dense one (d, B)."""
    matrix = sp.csr_array((data, indices, indptr), shape=(len(indptr) - 1, len(dense)))
    return np.ascontiguousarray(matrix @ dense)
