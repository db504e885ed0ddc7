"""Propensities: how likely it is that a true label was recorded, by the number of rows that have it."""

from __future__ import annotations

from typing import Any

import numpy as np

from setwise.contract import Floats
from setwise.metrics.label_sets import check_known
from setwise.printable import plain_repr


def propensities(Y: Any, *, a: float = 0.55, b: float = 1.5) -> Floats:
    """Estimate the propensity of each label from training rows [1]_.

    Rare labels are missed more often by people who tag. The estimate is 1 / (1 + c (N_l + b)^-a) for a label of N_l
    rows out of N, with c = (log N - 1) (b + 1)^a.

    Parameters
    ----------
    Y : label sets of shape (n, L), dense or sparse
        Of the training rows.
    a, b : float
        Constants of the data set. The authors use 0.5 and 0.4 for Wikipedia, 0.6 and 2.6 for Amazon.

    Returns
    -------
    array of shape (L,)

    References
    ----------
    .. [1] H. Jain, Y. Prabhu and M. Varma, "Extreme multi-label loss functions for recommendation, tagging, ranking &
       other missing label applications", KDD 2016.

    Examples
    --------
    >>> import numpy as np
    >>> Y = np.zeros((100, 2), dtype=int)
    >>> Y[:90, 0] = Y[:2, 1] = 1
    >>> propensities(Y).round(2)
    array([0.67, 0.25])
    """
    if not (a >= 0 and b > 0):
        raise ValueError(
            f"a is {plain_repr(a)} and b is {plain_repr(b)}; expected a of at least 0 and b above 0"
        )
    truth, _ = check_known(Y, "Y")
    n = max(truth.shape[0], 3)  # the formula needs log n > 1
    rows = np.asarray(truth.sum(axis=0), dtype=np.float64).ravel()
    c = (np.log(n) - 1.0) * (b + 1.0) ** a
    return np.asarray(1.0 / (1.0 + c * (rows + b) ** -a))
