"""Calibration of the probability of the predicted set: how often is that set right?"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from sklearn.metrics import brier_score_loss

from setwise.contract import Array, Bools, Floats


class Calibration(NamedTuple):
    """Predicted and observed frequency with which the predicted set is right, by bins of the predicted probability.

    Parameters
    ----------
    confidence : array of shape (n_bins,)
        Mean predicted probability in each bin that is not empty.
    accuracy : array of shape (n_bins,)
        Share of the rows of a bin whose predicted set is right.
    n_rows : array of shape (n_bins,)
        Number of rows in each bin.
    error : float
        Expected calibration error: the mean of ``|confidence - accuracy|`` over rows.
    brier : float
        Mean squared error of the probabilities.

    Examples
    --------
    >>> set_calibration([0.9, 0.9, 0.2, 0.2], [True, True, False, True], n_bins=2).n_rows
    array([2, 2])
    """

    confidence: Floats
    accuracy: Floats
    n_rows: Array
    error: float
    brier: float


def set_calibration(
    probability: npt.ArrayLike, correct: npt.ArrayLike, *, n_bins: int = 10, strategy: str = "uniform"
) -> Calibration:
    """Calibration of the probability that a model gives to the label set it predicts.

    Parameters
    ----------
    probability : array of shape (n,)
        Probabilities of the predicted sets, e.g. ``np.exp(estimator.log_prob(X, Y_pred))``.
    correct : bool array of shape (n,)
        Whether each predicted set is right, e.g. ``(Y_pred == Y).all(axis=1)``.
    n_bins : int, default=10
    strategy : {"uniform", "quantile"}, default="uniform"
        Bins of equal width, or of nearly equal numbers of rows.

    Returns
    -------
    Calibration

    Examples
    --------
    >>> result = set_calibration([0.9, 0.9, 0.2, 0.2], [True, True, False, True], n_bins=2)
    >>> result.accuracy
    array([0.5, 1. ])
    >>> round(result.error, 3)
    0.2
    """
    probability, correct = _checked(probability, correct)
    bins = _bins(probability, n_bins, strategy)
    count = np.bincount(bins, minlength=n_bins)
    used = count > 0
    confidence = np.bincount(bins, probability, n_bins)[used] / count[used]
    accuracy = np.bincount(bins, correct, n_bins)[used] / count[used]
    return Calibration(
        confidence=confidence,
        accuracy=accuracy,
        n_rows=count[used],
        error=float(np.average(np.abs(confidence - accuracy), weights=count[used])),
        brier=float(brier_score_loss(correct, probability, pos_label=True)),
    )


def _checked(probability: npt.ArrayLike, correct: npt.ArrayLike) -> tuple[Floats, Bools]:
    p, right = np.asarray(probability, dtype=np.float64), np.asarray(correct)
    if p.ndim != 1 or p.size == 0 or right.shape != p.shape:
        raise ValueError(
            f"probability has shape {p.shape} and correct {right.shape}; expected both (n,), n > 0"
        )
    bad = np.flatnonzero(~((p >= 0) & (p <= 1 + 1e-6)))
    if bad.size:
        raise ValueError(f"probability[{bad[0]}] is {p[bad[0]]}; expected a value in [0, 1]")
    return np.minimum(p, 1.0), right.astype(bool)


def _bins(probability: Floats, n_bins: int, strategy: str) -> Array:
    if n_bins < 1:
        raise ValueError(f"n_bins is {n_bins}; expected at least 1")
    inner = np.linspace(0, 1, n_bins + 1)[1:-1]
    if strategy == "quantile":
        inner = np.quantile(probability, inner)
    elif strategy != "uniform":
        raise ValueError(f"strategy is {strategy!r}; expected 'uniform' or 'quantile'")
    return np.searchsorted(inner, probability)
