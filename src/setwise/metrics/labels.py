"""Scores of the labels' columns, pooled (micro) or averaged (macro), computed by scikit-learn.

With rare labels the value of 0/0 matters. A label that neither occurs nor is predicted has F1 0 in :func:`macro_f1`, as
by default in scikit-learn (Mulan uses 1). :func:`macro_f1_of_means` uses 1, as its authors do.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy.typing as npt
from sklearn.metrics import f1_score, precision_score, recall_score

from setwise.metrics.label_sets import check_pair


def micro_f1(Y_true: Any, Y_pred: Any, *, sample_weight: npt.ArrayLike | None = None) -> float:
    """F1 of all (row, label) cells pooled.

    Parameters
    ----------
    Y_true, Y_pred : label sets of shape (n, L), dense or sparse
        The columns of two DataFrames are matched by name. True labels of -1 or NaN are unknown and do not count.
    sample_weight : array of shape (n,), optional
        Weights of the rows.

    Returns
    -------
    float

    Examples
    --------
    >>> round(micro_f1([[1, 1], [1, 0]], [[1, 0], [1, 1]]), 4)
    0.6667
    """
    return _averaged(f1_score, Y_true, Y_pred, "micro", sample_weight)


def macro_f1(Y_true: Any, Y_pred: Any, *, sample_weight: npt.ArrayLike | None = None) -> float:
    """Mean of the F1 of each label, the usual macro-F1.

    Parameters
    ----------
    Y_true, Y_pred : label sets of shape (n, L), dense or sparse
        The columns of two DataFrames are matched by name. True labels of -1 or NaN are unknown and do not count.
    sample_weight : array of shape (n,), optional
        Weights of the rows.

    Returns
    -------
    float

    Examples
    --------
    >>> macro_f1([[1, 1], [1, 0]], [[1, 0], [1, 1]])
    0.5
    """
    return _averaged(f1_score, Y_true, Y_pred, "macro", sample_weight)


def macro_f1_of_means(Y_true: Any, Y_pred: Any, *, sample_weight: npt.ArrayLike | None = None) -> float:
    """Harmonic mean of macro precision and macro recall, the macro-F1 in the tables of MC and ML-ME.

    A label that is never predicted has precision 1, and one that never occurs has recall 1, as in the evaluation code
    that the authors published with CTBN. Never predicting rare labels therefore raises this score. It is usually higher
    than :func:`macro_f1`, the mean of harmonic means; use it only to compare with those tables.

    Parameters
    ----------
    Y_true, Y_pred : label sets of shape (n, L), dense or sparse
        The columns of two DataFrames are matched by name. True labels of -1 or NaN are unknown and do not count.
    sample_weight : array of shape (n,), optional
        Weights of the rows.

    Returns
    -------
    float

    Examples
    --------
    >>> Y_true, Y_pred = [[1, 0], [1, 0], [0, 1]], [[1, 1], [0, 0], [0, 1]]
    >>> round(macro_f1(Y_true, Y_pred), 4), round(macro_f1_of_means(Y_true, Y_pred), 4)
    (0.6667, 0.75)
    """
    precision = _averaged(precision_score, Y_true, Y_pred, "macro", sample_weight, undefined=1.0)
    recall = _averaged(recall_score, Y_true, Y_pred, "macro", sample_weight, undefined=1.0)
    return 2 * precision * recall / (precision + recall) if precision + recall > 0 else 0.0


def _averaged(
    score: Callable[..., float],
    Y_true: Any,
    Y_pred: Any,
    average: str,
    sample_weight: npt.ArrayLike | None,
    undefined: float = 0.0,
) -> float:
    truth, prediction, _ = check_pair(Y_true, Y_pred)
    if truth.shape[1] == 1:  # scikit-learn would average over the two values of the only label
        average = "binary"
    return float(
        score(truth, prediction, average=average, zero_division=undefined, sample_weight=sample_weight)
    )
