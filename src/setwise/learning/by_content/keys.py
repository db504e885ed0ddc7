"""A key for what a row holds: its features alone, or its features and its labels."""

from __future__ import annotations

import numpy as np

from setwise.contract import Array, Floats, Labels, Matrix
from setwise.kernels.matrices import row_keys
from setwise.random_bits import GOLDEN, keys, mixed


def example_keys(X: Matrix, Y: Labels) -> Array:
    """A 64-bit key (n,) of the features and the labels of each row; equal rows share it.

    Examples
    --------
    >>> import numpy as np
    >>> X, Y = np.array([[1.0], [1.0], [1.0]]), np.array([[0], [1], [1]], np.int8)
    >>> a, b, c = example_keys(X, Y).tolist()
    >>> a == b, b == c
    (False, True)
    """
    with np.errstate(over="ignore"):
        return np.asarray(mixed(row_keys(X) + row_keys(Y) * GOLDEN))


def shuffled(rows: Array, seed: int, weights: Floats | None = None) -> Array:
    """An order (n,) of rows with keys ``rows`` that looks random but follows from their content and the seed.

    Copies of a row stand anywhere: the first copy, the second and so on have their own keys. Copies of different
    ``weights`` are told apart by them.

    Examples
    --------
    >>> import numpy as np
    >>> rows = np.array([3, 5, 5, 9], np.uint64)
    >>> rows[shuffled(rows, 0)].tolist() == rows[::-1][shuffled(rows[::-1], 0)].tolist()
    True
    """
    by_key = np.argsort(rows, kind="stable") if weights is None else np.lexsort((weights, rows))
    ordered = rows[by_key]
    copy = np.arange(len(rows)) - np.searchsorted(ordered, ordered)
    with np.errstate(over="ignore"):
        numbered = mixed(ordered + copy.astype(np.uint64) * GOLDEN)
    return np.asarray(by_key[np.argsort(keys(numbered, seed), kind="stable")])
