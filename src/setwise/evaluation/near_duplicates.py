"""Rows of a test part that are nearly copies of training rows."""

from __future__ import annotations

import numpy as np

from setwise.arrays import Bools, Matrix
from setwise.blocks import row_slices
from setwise.kernels.matrices import (
    ColumnMoments,
    column_moments,
    divide_columns,
    fill_missing,
    minus_row,
    row_products,
    unit_rows,
)
from setwise.learning.linear.coordinates import column_scales

SIMILAR = 0.95
"""Cosine from which two rows count as nearly the same."""
MOST_TEST, MOST_TRAIN = 1000, 20_000
"""Rows that are compared; of more, evenly spread ones."""


def near_duplicates(train: Matrix, test: Matrix, similar: float = SIMILAR) -> Bools:
    """Find the test rows whose features point in nearly the same direction as those of some training row.

    Parameters
    ----------
    train : array or CSR of shape (n, d)
    test : array or CSR of shape (m, d)
    similar : float
        Smallest cosine.

    Returns
    -------
    bool array of shape (m,), or shorter if only some of the rows were compared

    Examples
    --------
    >>> train = np.array([[1.0, 0.0, 2.0], [0.0, 3.0, 0.0], [5.0, 1.0, 7.0]])
    >>> near_duplicates(train, np.array([[1.0, 0.01, 2.0], [9.0, 9.0, 0.0]]))
    array([ True, False])
    """
    moments = column_moments(fill_missing(train, np.zeros(train.shape[1])))
    train, test = (_directions(X, moments, most) for X, most in ((train, MOST_TRAIN), (test, MOST_TEST)))
    parts = [
        (row_products(test[rows], train) >= similar).any(axis=1)
        for rows in row_slices(test.shape[0], train.shape[0])
    ]
    return np.concatenate(parts)


def _directions(X: Matrix, moments: ColumnMoments, most: int) -> Matrix:
    """Scaled rows of length one: large numbers such as dates would make all rows alike."""
    if X.shape[0] > most:
        X = X[np.linspace(0, X.shape[0] - 1, most).astype(np.intp)]
    X = fill_missing(X, np.zeros(X.shape[1]))
    scale = column_scales(moments)
    centred = np.where(moments.filled > 0.5, moments.mean, 0.0)
    return unit_rows(divide_columns(minus_row(X, centred), np.where(scale > 0, scale, np.inf)))
