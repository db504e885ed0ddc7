"""Keys of the content of rows: hashes of their features and labels, whatever the order of either."""

from __future__ import annotations

import numpy as np

from setwise.contract import Array, Floats, Labels, Matrix
from setwise.kernels.matrices import row_keys
from setwise.random_bits import GOLDEN, keys, mixed


def example_keys(X: Matrix, Y: Labels) -> Array:
    """Hash the features and labels of each row to 64 bits (n,); equal rows share a key.

    The order of the labels does not matter: they are known by the rows that have them.

    Examples
    --------
    >>> import numpy as np
    >>> X, Y = np.array([[1.0], [1.0], [1.0]]), np.array([[0, 1], [1, 1], [1, 1]], np.int8)
    >>> a, b, c = example_keys(X, Y).tolist()
    >>> a == b, b == c
    (False, True)
    >>> example_keys(X, Y[:, ::-1]).tolist() == [a, b, c]
    True
    """
    features = row_keys(X)
    with np.errstate(over="ignore"):
        rows = mixed(features + (Y == 1).sum(axis=1, dtype=np.uint64) * GOLDEN)
        _, distinct = np.unique(features + row_keys(Y) * GOLDEN, return_index=True)
        for y, key in zip(Y.T, _label_keys(rows[distinct], Y[distinct])):
            rows = rows + np.choose(y % 3, (np.uint64(0), key, mixed(key)))  # off, on, unknown
        return np.asarray(mixed(rows))


def _label_keys(rows: Array, Y: Labels) -> Array:
    """Hash each label to the sum of the keys of the rows that have it (L,); labels that share one are numbered."""
    total = np.array([rows.sum(where=y == 1) for y in Y.T], np.uint64)
    order = np.argsort(total, kind="stable")
    copy = np.empty(len(total), np.uint64)
    copy[order] = np.arange(len(total)) - np.searchsorted(total[order], total[order])
    return np.asarray(mixed(total + copy * GOLDEN))


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
