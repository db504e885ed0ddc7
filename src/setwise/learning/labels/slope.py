"""How sharp the margins of labels are as logits: one number, fitted to rows that the scores have not seen."""

from __future__ import annotations

import numpy as np
from scipy.optimize import minimize_scalar

from setwise.arrays import Floats, Labels

LOG_SLOPES = (-7.0, 7.0)
"""Smallest and largest log of a slope."""


def fit_slope(margins: Floats, Y: Labels, weights: Floats) -> float:
    """Find the slope a that makes P(y_l = 1) = 1 / (1 + exp(-a margin)) most likely.

    The answer to each label, the sign of its margin, does not depend on it.

    Parameters
    ----------
    margins : ndarray of shape (n, L)
    Y : ndarray of shape (n, L)
    weights : ndarray of shape (n,)

    Returns
    -------
    float

    Examples
    --------
    >>> import numpy as np
    >>> margins, Y = np.ones((4, 1)), np.array([[1], [1], [1], [0]])
    >>> bool(round(fit_slope(margins, Y, np.ones(4)), 2) == round(np.log(3), 2))
    True
    """
    right = np.where(Y == 1, margins, -margins)

    def loss(log_slope: float) -> float:
        return float(weights @ np.logaddexp(0.0, -np.exp(log_slope) * right).sum(axis=1))

    return float(np.exp(minimize_scalar(loss, bounds=LOG_SLOPES, method="bounded").x))
