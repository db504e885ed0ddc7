"""NaiBX_TrueM of the NaiBX paper: predictions for test rows whose number of labels is given."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, clone

from setwise.contract import Array


class OfTrueSizes(BaseEstimator):
    """An upper bound for a study, not for use: it knows the number of labels of each row's true set.

    It defines no joint, because a log-probability given the size cannot be compared with that of other methods.

    Parameters
    ----------
    estimator : estimator
        Unfitted; its ``predict`` takes ``sizes``.

    Examples
    --------
    >>> import numpy as np
    >>> from setwise import NaiBX
    >>> X, Y = np.array([[0.0], [0.1], [0.9], [1.0]]), np.array([[1, 0], [1, 1], [0, 1], [0, 1]])
    >>> OfTrueSizes(NaiBX()).fit(X, Y).predict_given(X, Y).sum(axis=1)
    array([1, 2, 1, 1])
    """

    def __init__(self, estimator: Any) -> None:
        self.estimator = estimator

    def fit(self, X: Any, y: Any) -> Self:
        """Fit a clone of the estimator."""
        self.estimator_ = clone(self.estimator).fit(X, y)
        return self

    def predict_given(self, X: Any, Y: Any) -> Array:
        """Predict label sets (n, L) with the sizes of the true sets ``Y`` (n, L)."""
        sizes = np.asarray((Y == 1).sum(axis=1)).ravel()
        return np.asarray(self.estimator_.predict(X, sizes=sizes))
