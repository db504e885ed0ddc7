"""Features that are 1 where a row has something, dense if they are few."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from setwise.contract import Array, Matrix

DENSE_COLUMNS = 32
"""Features of a column up to which they are dense."""


def indicators(rows: Array, places: Array, shape: tuple[int, int]) -> Matrix:
    """A matrix with 1 in the given cells.

    Examples
    --------
    >>> indicators(np.array([0, 1]), np.array([1, 0]), (2, 2))
    array([[0., 1.],
           [1., 0.]])
    """
    if shape[1] <= DENSE_COLUMNS:
        out = np.zeros(shape)
        out[rows, places] = 1.0
        return out
    found = sparse.csr_array((np.ones(len(rows)), (rows, places)), shape=shape)
    found.data[:] = 1.0  # the same cell twice is one
    return found
