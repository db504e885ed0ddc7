"""Scores of each label's column, pooled (micro) or averaged (macro); scikit-learn computes them.

A label that neither occurs nor is predicted counts as 0 in the macro means, as in the papers
and by default in scikit-learn; Mulan counts it as 1.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sklearn.metrics import f1_score, precision_score, recall_score

from setwise.metrics.label_sets import check_pair


def micro_f1(Y_true: Any, Y_pred: Any) -> float:
    """F1 of all (row, label) cells together.

    Examples
    --------
    >>> round(micro_f1([[1, 1], [1, 0]], [[1, 0], [1, 1]]), 4)
    0.6667
    """
    return _averaged(f1_score, Y_true, Y_pred, "micro")


def macro_f1(Y_true: Any, Y_pred: Any) -> float:
    """Mean of the labels' F1, the usual macro-F1.

    Examples
    --------
    >>> macro_f1([[1, 1], [1, 0]], [[1, 0], [1, 1]])
    0.5
    """
    return _averaged(f1_score, Y_true, Y_pred, "macro")


def macro_f1_of_means(Y_true: Any, Y_pred: Any) -> float:
    """Harmonic mean of macro precision and macro recall: the macro-F1 in the tables of MC and ML-ME.

    It differs from :func:`macro_f1`, the mean of harmonic means, and is mostly higher.

    Examples
    --------
    >>> Y_true, Y_pred = [[1, 0], [1, 0], [0, 1]], [[1, 1], [0, 0], [0, 1]]
    >>> round(macro_f1(Y_true, Y_pred), 4), round(macro_f1_of_means(Y_true, Y_pred), 4)
    (0.6667, 0.75)
    """
    precision = _averaged(precision_score, Y_true, Y_pred, "macro")
    recall = _averaged(recall_score, Y_true, Y_pred, "macro")
    return 2 * precision * recall / (precision + recall) if precision + recall > 0 else 0.0


def _averaged(score: Callable[..., float], Y_true: Any, Y_pred: Any, average: str) -> float:
    truth, prediction = check_pair(Y_true, Y_pred)
    if truth.shape[1] == 1:  # scikit-learn would average over the two values of the only label
        average = "binary"
    return float(score(truth, prediction, average=average, zero_division=0))
