"""Samples of rows by content: the rows whose hash is below a threshold."""

from __future__ import annotations

import numpy as np

from setwise.contract import Array, Floats, Matrix
from setwise.kernels.matrices import row_keys
from setwise.random_bits import uniforms


def sample_rows(X: Matrix, n_wanted: int) -> Array:
    """Select about ``n_wanted`` rows, or all if there are fewer: those whose hash is below ``n_wanted / n``.

    Equal rows are taken together, whatever their order or storage, and a smaller sample is part of a larger one.
    If copies of few rows leave the sample less than half full, the threshold rises until it is full.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.arange(10_000.0)[:, None]
    >>> sample_rows(X, 500).size, sample_rows(X[:300], 500).size
    (504, 300)
    """
    n = X.shape[0]
    if n <= n_wanted:
        return np.arange(n)
    numbers = row_numbers(X)
    rows = np.flatnonzero(numbers < n_wanted / n)
    if 2 * len(rows) >= n_wanted:
        return rows
    return np.flatnonzero(numbers <= np.partition(numbers, n_wanted - 1)[n_wanted - 1])


def sample_cells(X: Matrix, which: Array, limit: int) -> Array:
    """Select rows (m,) so that their number times their distinct classes ``which`` (n,) is at most ``limit``.

    The folds of a path over thousands of classes would take hours. The threshold is halved until the sample fits.
    Fewer rows per class need a somewhat stronger penalty.

    Examples
    --------
    >>> import numpy as np
    >>> sample_cells(np.arange(64.0)[:, None], np.arange(64), 1024).size
    19
    """
    rows, share = np.arange(len(which)), 1.0
    numbers = row_numbers(X) if len(rows) * len(np.unique(which)) > limit else np.empty(0)
    while len(rows) * len(np.unique(which[rows])) > limit:
        share *= 0.5
        fewer = np.flatnonzero(numbers < share)
        if not len(fewer):
            break
        rows = fewer
    return rows


def row_numbers(X: Matrix) -> Floats:
    """Hash each row to a number (n,) between 0 and 1; another hash than that of the folds, which stay even."""
    return np.asarray(uniforms(row_keys(X), 1)[:, 0])
