r"""Scores of one row's predicted set against its true set, and their means over rows.

With T the true set and P the predicted one: precision :math:`|T \cap P| / |P|`, recall
:math:`|T \cap P| / |T|`, F1 :math:`2 |T \cap P| / (|T| + |P|)` and the Jaccard index (the field's "accuracy")
:math:`|T \cap P| / |T \cup P|`.

**Empty sets.** If exactly one of the two is empty, all four scores are 0. If both are empty, all four are
``both_empty``: 1 by default, as in Mulan's example-based measures. MEKA uses 1 for the Jaccard index but 0 for
precision, recall and F1. scikit-learn's ``average="samples"`` with ``zero_division=0`` is ``both_empty=0``; with
``zero_division=1`` it also gives an empty prediction for a non-empty true set a precision of 1.

**Unknown labels.** True labels of -1 or NaN are unknown. They are left out of the true and of the predicted set. Rows
without a known label do not count.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from sklearn.metrics import accuracy_score, hamming_loss

from setwise.contract import Floats
from setwise.metrics.label_sets import check_known, check_pair, mean_of_rows


class InstanceScores(NamedTuple):
    """Four scores of every row.

    Parameters
    ----------
    precision, recall, f1, jaccard : array of shape (n,)

    Examples
    --------
    >>> instance_scores([[1, 1, 0]], [[1, 0, 0]]).precision
    array([1.])
    """

    precision: Floats
    recall: Floats
    f1: Floats
    jaccard: Floats


def instance_scores(Y_true: Any, Y_pred: Any, *, both_empty: float = 1.0) -> InstanceScores:
    """Precision, recall, F1 and Jaccard index of every row.

    Parameters
    ----------
    Y_true, Y_pred : label sets of shape (n, L), dense or sparse
        The columns of two DataFrames are matched by name. True labels of -1 or NaN are unknown and do not count.
    both_empty : float, default=1.0
        All four scores of a row whose true and predicted sets are both empty.

    Returns
    -------
    InstanceScores

    Examples
    --------
    >>> scores = instance_scores([[1, 1, 0], [0, 0, 0]], [[1, 0, 0], [0, 0, 0]])
    >>> scores.recall
    array([0.5, 1. ])
    """
    pair = check_pair(Y_true, Y_pred)
    truth, prediction, _ = pair
    both = np.asarray((truth * prediction).sum(axis=1), dtype=np.float64)
    n_true = np.asarray(truth.sum(axis=1), dtype=np.float64)
    n_pred = np.asarray(prediction.sum(axis=1), dtype=np.float64)
    neither, unknown = n_true + n_pred == 0, pair.unknown_rows()

    def ratio(numerator: Floats, denominator: Floats) -> Floats:
        quotient = np.divide(numerator, denominator, out=np.zeros_like(both), where=denominator > 0)
        scores = np.where(neither, both_empty, quotient)
        return scores if unknown is None else np.where(unknown, np.nan, scores)

    return InstanceScores(
        precision=ratio(both, n_pred),
        recall=ratio(both, n_true),
        f1=ratio(2 * both, n_true + n_pred),
        jaccard=ratio(both, n_true + n_pred - both),
    )


def instance_precision(
    Y_true: Any, Y_pred: Any, *, both_empty: float = 1.0, sample_weight: npt.ArrayLike | None = None
) -> float:
    """Mean over rows of the share of predicted labels that are true.

    Parameters
    ----------
    Y_true, Y_pred : label sets of shape (n, L), dense or sparse
        The columns of two DataFrames are matched by name. True labels of -1 or NaN are unknown and do not count.
    both_empty : float, default=1.0
        Score of a row whose true and predicted sets are both empty.
    sample_weight : array of shape (n,), optional
        Weights of the rows.

    Returns
    -------
    float

    Examples
    --------
    >>> instance_precision([[1, 1, 0], [1, 0, 0]], [[1, 0, 0], [1, 1, 0]])
    0.75
    """
    return mean_of_rows(instance_scores(Y_true, Y_pred, both_empty=both_empty).precision, sample_weight)


def instance_recall(
    Y_true: Any, Y_pred: Any, *, both_empty: float = 1.0, sample_weight: npt.ArrayLike | None = None
) -> float:
    """Mean over rows of the share of true labels that are predicted.

    Parameters
    ----------
    Y_true, Y_pred : label sets of shape (n, L), dense or sparse
        The columns of two DataFrames are matched by name. True labels of -1 or NaN are unknown and do not count.
    both_empty : float, default=1.0
        Score of a row whose true and predicted sets are both empty.
    sample_weight : array of shape (n,), optional
        Weights of the rows.

    Returns
    -------
    float

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

    Parameters
    ----------
    Y_true, Y_pred : label sets of shape (n, L), dense or sparse
        The columns of two DataFrames are matched by name. True labels of -1 or NaN are unknown and do not count.
    both_empty : float, default=1.0
        Score of a row whose true and predicted sets are both empty.
    sample_weight : array of shape (n,), optional
        Weights of the rows.

    Returns
    -------
    float

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

    Parameters
    ----------
    Y_true, Y_pred : label sets of shape (n, L), dense or sparse
        The columns of two DataFrames are matched by name. True labels of -1 or NaN are unknown and do not count.
    both_empty : float, default=1.0
        Score of a row whose true and predicted sets are both empty.
    sample_weight : array of shape (n,), optional
        Weights of the rows.

    Returns
    -------
    float

    Examples
    --------
    >>> instance_jaccard([[1, 1, 0], [1, 0, 0]], [[1, 0, 0], [1, 1, 0]])
    0.5
    """
    return mean_of_rows(instance_scores(Y_true, Y_pred, both_empty=both_empty).jaccard, sample_weight)


def exact_match(Y_true: Any, Y_pred: Any, *, sample_weight: npt.ArrayLike | None = None) -> float:
    """Share of rows whose label set is predicted exactly: one minus the subset 0/1 loss.

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
    >>> exact_match([[1, 1], [1, 0]], [[1, 1], [0, 0]])
    0.5
    """
    pair = check_pair(Y_true, Y_pred)
    if pair.known is None:
        return float(accuracy_score(*pair[:2], sample_weight=sample_weight))
    right = (pair.truth == pair.prediction).all(axis=1)
    return mean_of_rows(np.where(pair.known.any(axis=1), right, np.nan), sample_weight)


def hamming_score(Y_true: Any, Y_pred: Any, *, sample_weight: npt.ArrayLike | None = None) -> float:
    """Share of labels that are predicted correctly: one minus the Hamming loss.

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
    >>> hamming_score([[1, 1], [1, 0]], [[1, 1], [0, 0]])
    0.75
    """
    pair = check_pair(Y_true, Y_pred)
    if pair.known is None:
        return 1.0 - float(hamming_loss(*pair[:2], sample_weight=sample_weight))
    count = pair.known.sum(axis=1)
    right = np.divide(
        ((pair.truth == pair.prediction) & pair.known).sum(axis=1),
        count,
        out=np.full(len(count), np.nan),
        where=count > 0,
    )
    weight = np.ones(len(count)) if sample_weight is None else np.asarray(sample_weight, dtype=np.float64)
    return mean_of_rows(right, weight * count)


def cardinality(Y: Any) -> float:
    """Mean number of labels per row.

    Parameters
    ----------
    Y : label sets of shape (n, L), dense or sparse
        If labels are unknown (-1 or NaN), the sum over labels of their share among the rows that are known.

    Returns
    -------
    float

    Examples
    --------
    >>> cardinality([[1, 1], [1, 0]])
    1.5
    """
    truth, known = check_known(Y, "Y")
    if known is None:
        return float(truth.sum() / truth.shape[0])
    return float((truth.sum(axis=0) / np.maximum(known.sum(axis=0), 1)).sum())
