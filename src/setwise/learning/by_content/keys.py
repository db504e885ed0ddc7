"""Keys of the content of rows: hashes of their features and labels."""

from __future__ import annotations

import numpy as np

from setwise.contract import Array, Floats, Labels, Matrix
from setwise.kernels.matrices import row_keys
from setwise.random_bits import GOLDEN, keys, mixed


def example_keys(X: Matrix, Y: Labels) -> Array:
    """Hash the features and labels of each row to 64 bits (n,); equal rows share a key.

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


def shuffle_by_key(rows: Array, seed: int, weights: Floats | None = None) -> Array:
    """Order rows with keys ``rows`` (n,) at random, depending only on their content and the seed.

    Copies of a row are numbered and get different places. Copies with different ``weights`` are distinguished by them.

    Examples
    --------
    >>> import numpy as np
    >>> rows = np.array([3, 5, 5, 9], np.uint64)
    >>> rows[shuffle_by_key(rows, 0)].tolist() == rows[::-1][shuffle_by_key(rows[::-1], 0)].tolist()
    True
    """
    by_key = np.argsort(rows, kind="stable") if weights is None else np.lexsort((weights, rows))
    ordered = rows[by_key]
    copy = np.arange(len(rows)) - np.searchsorted(ordered, ordered)
    with np.errstate(over="ignore"):
        numbered = mixed(ordered + copy.astype(np.uint64) * GOLDEN)
    return np.asarray(by_key[np.argsort(keys(numbered, seed), kind="stable")])
