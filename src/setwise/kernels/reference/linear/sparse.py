"""CSR matrix times dense matrix."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from setwise.contract import Array
from setwise.kernels.checks import FLOATS, check_array, check_at_least, check_output, check_places


def csr_add_product(data: Array, indices: Array, indptr: Array, dense: Array, out: Array) -> None:
    """Add the product of a CSR matrix (n, d) and a dense one (d, B) to ``out`` (n, B)."""
    check_array("data", data, FLOATS, (None,))
    check_array("indptr", indptr, (np.int32, np.int64), (None,))
    check_array("indices", indices, indptr.dtype, (len(data),))
    check_array("dense", dense, data.dtype, (None, None))
    check_at_least("the length of indptr", len(indptr), 1)
    check_output("out", out, data.dtype, (len(indptr) - 1, dense.shape[1]))
    if indptr[0] < 0 or indptr[-1] > len(data) or (np.diff(indptr) < 0).any():
        raise ValueError(f"indptr must rise, at most to {len(data)}")
    check_places("indices", indices[indptr[0] : indptr[-1]], len(dense))
    matrix = sp.csr_array((data, indices, indptr), shape=(len(indptr) - 1, len(dense)))
    out += matrix @ dense
