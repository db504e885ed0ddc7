"""Folds of estimators that fit others: rows that are predicted by models of the other rows."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from sklearn.model_selection import check_cv

from setwise.contract import Array, Labels, Matrix
from setwise.learning.by_content.folds import row_folds


def held_out_folds(cv: Any, X: Matrix, Y: Labels) -> Iterator[tuple[Array, Array]]:
    """Yield training and test rows.

    Parameters
    ----------
    cv : int or splitter
        A number of folds assigns rows to folds by their content.
    X : array or CSR of shape (n, d)
    Y : ndarray of shape (n, L)

    Yields
    ------
    tuple of two int arrays
        Nothing if there are too few distinct rows.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.arange(30.0)[:, None]
    >>> [len(train) + len(test) for train, test in held_out_folds(3, X, X > 15)]
    [30, 30, 30]
    """
    if not isinstance(cv, (int, np.integer)):
        yield from check_cv(cv).split(X, Y)
        return
    if cv < 2:
        raise ValueError(f"cv is {cv}; expected at least 2 folds, or a splitter")
    fold = row_folds(X, int(cv), outer=True)
    if fold is not None:
        for number in range(int(cv)):
            yield np.flatnonzero(fold != number), np.flatnonzero(fold == number)
