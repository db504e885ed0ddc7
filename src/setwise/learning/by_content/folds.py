"""Folds by content: the fold of a row is a hash of its features."""

from __future__ import annotations

import numpy as np

from setwise.contract import Array, Matrix
from setwise.kernels.matrices import row_keys
from setwise.random_bits import keys as hashed

N_FOLDS = 3


def row_folds(X: Matrix, n_folds: int = N_FOLDS, *, outer: bool = False) -> Array | None:
    """Assign each row to a fold by a hash of its content.

    A model does not change if rows are shuffled, repeated instead of weighted, or stored as CSR, and no copy of a
    training row is ever validated on. A row keeps its fold when others come or go, except in small data: if chance
    leaves some fold less than half of its even share of the distinct rows, they are dealt in turn, in the order of
    their hashes.

    Parameters
    ----------
    X : array or CSR of shape (n, d)
    n_folds : int, default=3
    outer : bool, default=False
        Whether the learners fitted to all folds but one choose folds themselves. That needs another hash: by the
        same one, one of their folds would be empty.

    Returns
    -------
    ndarray of shape (n,) or None
        None if a fold would have fewer than two distinct rows.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.random.default_rng(0).normal(size=(300, 2))
    >>> fold = row_folds(X)
    >>> np.bincount(fold)
    array([101, 103,  96])
    >>> bool((row_folds(X[::-1]) == fold[::-1]).all())
    True
    """
    distinct, group = np.unique(row_keys(X), return_inverse=True)
    if len(distinct) < 2 * n_folds:
        return None
    fold = (hashed(distinct, 2 * n_folds + outer) % np.uint64(n_folds)).astype(np.intp)
    if np.bincount(fold, minlength=n_folds).min() < max(2.0, 0.5 * len(distinct) / n_folds):
        fold = np.arange(len(distinct)) % n_folds
    return np.asarray(fold[group])
