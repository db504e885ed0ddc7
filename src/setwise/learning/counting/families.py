"""Which distribution each column has: present or absent, counts, or numbers."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from setwise.arrays import Array, Matrix
from setwise.kernels.matrices import cross, stored_values, with_values
from setwise.learning.counting.features import FAMILIES

RARE = 0.5
"""Columns without negative values that are filled in a smaller share of the rows are amounts, such as word counts."""


def choose_families(features: str | Sequence[str] | Array, X: Matrix) -> Array:
    """Find the family (d,) of each column: one name for all, one for each, or ``"auto"``, which guesses.

    Examples
    --------
    >>> import numpy as np
    >>> choose_families("gaussian", np.zeros((1, 2))).tolist()
    ['gaussian', 'gaussian']
    """
    n_features = X.shape[1]
    if isinstance(features, str) and features == "auto":
        return guess_families(X)
    families = np.full(n_features, features) if isinstance(features, str) else np.asarray(features)
    if families.shape != (n_features,):
        raise ValueError(
            f"features has {families.size} names but X has {n_features} columns; pass one name, or one for each column"
        )
    unknown = ~np.isin(families, list(FAMILIES))
    if unknown.any():
        raise ValueError(
            f"features has {str(families[unknown][0])!r} for column {int(unknown.argmax())}; "
            f"expected one of {', '.join(map(repr, FAMILIES))}"
        )
    return families


def guess_families(X: Matrix) -> Array:
    """Choose the family (d,) of each column of ``X`` (n, d) by its values; missing ones do not count.

    Columns of 0 and 1 are ``"bernoulli"``; other columns that are mostly zero and never negative are
    ``"multinomial"``; the rest is ``"gaussian"``.

    Examples
    --------
    >>> import numpy as np
    >>> guess_families(np.array([[0, 0.0, 1.5], [1, 3.0, -2.0], [0, 0.0, 0.1]]))
    array(['bernoulli', 'multinomial', 'gaussian'], dtype='<U11')
    """
    values = stored_values(X)
    known = ~np.isnan(values)
    other = _any(X, known & (values != 0) & (values != 1))
    negative = _any(X, known & (values < 0))
    rare = _share(X, known & (values != 0)) < RARE
    return np.where(~other, "bernoulli", np.where(rare & ~negative, "multinomial", "gaussian"))


def _share(X: Matrix, marked: Array) -> Array:
    """Share (d,) of the rows whose stored value is marked."""
    counts = cross(np.ones((X.shape[0], 1)), with_values(X, marked.astype(np.float64)))
    return np.asarray(counts).ravel() / max(X.shape[0], 1)


def _any(X: Matrix, marked: Array) -> Array:
    return _share(X, marked) > 0
