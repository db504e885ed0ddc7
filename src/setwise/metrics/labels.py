"""Scores of each label's column, pooled (micro) or averaged (macro); scikit-learn computes them.

A label that neither occurs nor is predicted counts as 0 in the macro means, as in the papers
and by default in scikit-learn; Mulan counts it as 1.
"""

from __future__ import annotations

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
    return float(f1_score(*check_pair(Y_true, Y_pred), average="micro", zero_division=0))


def macro_f1(Y_true: Any, Y_pred: Any) -> float:
    """Mean of the labels' F1, the usual macro-F1.

    Examples
    --------
    >>> macro_f1([[1, 1], [1, 0]], [[1, 0], [1, 1]])
    0.5
    """
    return float(f1_score(*check_pair(Y_true, Y_pred), average="macro", zero_division=0))


def macro_f1_of_means(Y_true: Any, Y_pred: Any) -> float:
    """Harmonic mean of macro precision and macro recall: the macro-F1 in the tables of MC and ML-ME.

    It differs from :func:`macro_f1`, the mean of harmonic means, and is mostly higher.

    Examples
    --------
    >>> Y_true, Y_pred = [[1, 0], [1, 0], [0, 1]], [[1, 1], [0, 0], [0, 1]]
    >>> round(macro_f1(Y_true, Y_pred), 4), round(macro_f1_of_means(Y_true, Y_pred), 4)
    (0.6667, 0.75)
    """
    pair = check_pair(Y_true, Y_pred)
    precision = float(precision_score(*pair, average="macro", zero_division=0))
    recall = float(recall_score(*pair, average="macro", zero_division=0))
    return 2 * precision * recall / (precision + recall) if precision + recall > 0 else 0.0
