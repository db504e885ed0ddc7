r"""Scores of one row's predicted set against its true set, and their means over rows.

With T the true set and P the predicted one: precision :math:`|T \cap P| / |P|`, recall
:math:`|T \cap P| / |T|`, F1 :math:`2 |T \cap P| / (|T| + |P|)` and the Jaccard index (the field's "accuracy")
:math:`|T \cap P| / |T \cup P|`.

**Empty sets.** Where exactly one of the two is empty all four are 0. Where both are empty all four are
``both_empty``: 1 by default, as in Mulan's example-based measures. MEKA says 1 for the Jaccard index but 0
for precision, recall and F1. scikit-learn's ``average="samples"`` is ``both_empty=zero_division`` when
``zero_division=0``; with ``zero_division=1`` it also calls an empty answer to a non-empty truth precise.

``sample_weight`` (n,) makes weighted means of the means over rows.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from sklearn.metrics import accuracy_score, hamming_loss

from setwise.contract import Floats
from setwise.metrics.label_sets import check_label_sets, check_pair, mean_of_rows


class InstanceScores(NamedTuple):
    """Four scores of every row, each (n,)."""

    precision: Floats
    recall: Floats
    f1: Floats
    jaccard: Floats


def instance_scores(Y_true: Any, Y_pred: Any, *, both_empty: float = 1.0) -> InstanceScores:
    """Precision, recall, F1 and Jaccard index of every row.

    Parameters
    ----------
    Y_true, Y_pred : label sets of shape (n, L), dense or sparse
    both_empty : float
        All four scores of a row whose true and predicted sets are both empty.

    Examples
    --------
    >>> scores = instance_scores([[1, 1, 0], [0, 0, 0]], [[1, 0, 0], [0, 0, 0]])
    >>> scores.recall
    array([0.5, 1. ])
    """
    truth, prediction = check_pair(Y_true, Y_pred)
    both = np.asarray((truth * prediction).sum(axis=1), dtype=np.float64)
    n_true = np.asarray(truth.sum(axis=1), dtype=np.float64)
    n_pred = np.asarray(prediction.sum(axis=1), dtype=np.float64)
    neither = n_true + n_pred == 0

    def ratio(numerator: Floats, denominator: Floats) -> Floats:
        quotient = np.divide(numerator, denominator, out=np.zeros_like(both), where=denominator > 0)
        return np.where(neither, both_empty, quotient)

    return InstanceScores(
        precision=ratio(both, n_pred),
        recall=ratio(both, n_true),
        f1=ratio(2 * both, n_true + n_pred),
        jaccard=ratio(both, n_true + n_pred - both),
    )


def instance_precision(
    Y_true: Any, Y_pred: Any, *, both_empty: float = 1.0, sample_weight: npt.ArrayLike | None = None
) -> float:
    """Mean over rows of the share of the predicted set that is true.

    Examples
    --------
    >>> instance_precision([[1, 1, 0], [1, 0, 0]], [[1, 0, 0], [1, 1, 0]])
    0.75
    """
    return mean_of_rows(instance_scores(Y_true, Y_pred, both_empty=both_empty).precision, sample_weight)


def instance_recall(
    Y_true: Any, Y_pred: Any, *, both_empty: float = 1.0, sample_weight: npt.ArrayLike | None = None
) -> float:
    """Mean over rows of the share of the true set that was predicted.

    Examples
    --------
    >>> instance_recall([[1, 1, 0], [1, 0, 0]], [[1, 0, 0], [1, 1, 0]])
    0.75
    """
    return mean_of_rows(instance_scores(Y_true, Y_pred, both_empty=both_empty).recall, sample_weight)


def instance_f1(
    Y_true: Any, Y_pred: Any, *, both_empty: float = 1.0, sample_weight: npt.ArrayLike | None = None
) -> float:
    """Mean over rows of the F1 of the predicted set.

    Examples
    --------
    >>> round(instance_f1([[1, 1, 0], [1, 0, 0]], [[1, 0, 0], [1, 1, 0]]), 4)
    0.6667
    """
    return mean_of_rows(instance_scores(Y_true, Y_pred, both_empty=both_empty).f1, sample_weight)


def instance_jaccard(
    Y_true: Any, Y_pred: Any, *, both_empty: float = 1.0, sample_weight: npt.ArrayLike | None = None
) -> float:
    """Mean over rows of the Jaccard index, which the multi-label literature calls accuracy.

    Examples
    --------
    >>> instance_jaccard([[1, 1, 0], [1, 0, 0]], [[1, 0, 0], [1, 1, 0]])
    0.5
    """
    return mean_of_rows(instance_scores(Y_true, Y_pred, both_empty=both_empty).jaccard, sample_weight)


def exact_match(Y_true: Any, Y_pred: Any, *, sample_weight: npt.ArrayLike | None = None) -> float:
    """Share of rows whose whole set was predicted: one minus the 0/1 loss.

    Examples
    --------
    >>> exact_match([[1, 1], [1, 0]], [[1, 1], [0, 0]])
    0.5
    """
    return float(accuracy_score(*check_pair(Y_true, Y_pred), sample_weight=sample_weight))


def hamming_score(Y_true: Any, Y_pred: Any, *, sample_weight: npt.ArrayLike | None = None) -> float:
    """Share of single labels predicted rightly: one minus the Hamming loss.

    Examples
    --------
    >>> hamming_score([[1, 1], [1, 0]], [[1, 1], [0, 0]])
    0.75
    """
    return 1.0 - float(hamming_loss(*check_pair(Y_true, Y_pred), sample_weight=sample_weight))


def cardinality(Y: Any) -> float:
    """Mean number of labels of a row.

    Examples
    --------
    >>> cardinality([[1, 1], [1, 0]])
    1.5
    """
    Y = check_label_sets(Y, "Y")
    return float(Y.sum() / Y.shape[0])
