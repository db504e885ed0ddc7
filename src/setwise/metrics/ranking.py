"""Scores of a ranking of the labels, such as that of ``predict_proba``.

Equal scores keep the order of the labels, except in :func:`label_ranking_average_precision`. Labels whose true value is
unknown are left out of the ranking. k is at most the number of labels whose true value is known.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.stats import rankdata
from sklearn.metrics import average_precision_score

from setwise.contract import Array, Floats, column_names, in_order
from setwise.kernels.matrices import to_dense
from setwise.metrics.label_sets import check_known, mean_of_rows
from setwise.printable import plain_repr


def precision_at_k(Y_true: Any, scores: Any, k: int, *, sample_weight: npt.ArrayLike | None = None) -> float:
    """Mean share of the k labels with the highest scores that are true.

    Parameters
    ----------
    Y_true : label sets of shape (n, L), dense or sparse
        -1 or NaN marks an unknown label.
    scores : array or DataFrame of shape (n, L)
        For example ``predict_proba(X)``.
    k : int
    sample_weight : array of shape (n,), optional
        Weights of the rows.

    Returns
    -------
    float

    Examples
    --------
    >>> precision_at_k([[1, 0, 1], [0, 1, 0]], [[0.9, 0.5, 0.1], [0.2, 0.7, 0.1]], k=2)
    0.5
    """
    ranked = _ranked(Y_true, scores, k)
    return mean_of_rows(ranked.hits.sum(axis=1) / ranked.depth, sample_weight)


def ndcg_at_k(Y_true: Any, scores: Any, k: int, *, sample_weight: npt.ArrayLike | None = None) -> float:
    """Normalized discounted cumulative gain of the k labels with the highest scores.

    A true label at place r counts 1 / log2(r + 1). The sum is divided by that of the best ranking; a row without a true
    label has 0, as in scikit-learn.

    Parameters
    ----------
    Y_true : label sets of shape (n, L), dense or sparse
        -1 or NaN marks an unknown label.
    scores : array or DataFrame of shape (n, L)
        For example ``predict_proba(X)``.
    k : int
    sample_weight : array of shape (n,), optional
        Weights of the rows.

    Returns
    -------
    float

    Examples
    --------
    >>> round(ndcg_at_k([[1, 0, 1], [0, 1, 0]], [[0.9, 0.5, 0.1], [0.2, 0.7, 0.1]], k=2), 4)
    0.8066
    """
    ranked = _ranked(Y_true, scores, k)
    gain, best = (cells @ _discounts(cells) for cells in (ranked.hits, ranked.best))
    return mean_of_rows(
        np.divide(gain, best, out=np.where(np.isnan(ranked.depth), np.nan, 0.0), where=best > 0),
        sample_weight,
    )


def propensity_scored_precision_at_k(
    Y_true: Any,
    scores: Any,
    k: int,
    propensities: npt.ArrayLike,
    *,
    sample_weight: npt.ArrayLike | None = None,
) -> float:
    """Precision at k in which a true label counts one over its propensity, as a share of the best attainable [1]_.

    Parameters
    ----------
    Y_true : label sets of shape (n, L), dense or sparse
        -1 or NaN marks an unknown label.
    scores : array or DataFrame of shape (n, L)
    k : int
    propensities : array of shape (L,)
        See :func:`propensities`.
    sample_weight : array of shape (n,), optional
        Weights of the rows.

    Returns
    -------
    float

    References
    ----------
    .. [1] H. Jain, Y. Prabhu and M. Varma, "Extreme multi-label loss functions for recommendation, tagging, ranking &
       other missing label applications", KDD 2016.

    Examples
    --------
    >>> Y, scores = [[1, 0, 1], [0, 1, 0]], [[0.9, 0.5, 0.1], [0.2, 0.7, 0.1]]
    >>> round(propensity_scored_precision_at_k(Y, scores, 1, [0.8, 0.5, 0.2]), 4)
    0.4643
    """
    ranked = _ranked(Y_true, scores, k, propensities)
    means = [mean_of_rows(cells.sum(axis=1) / ranked.depth, sample_weight) for cells in ranked[:2]]
    return _share(*means)


def propensity_scored_ndcg_at_k(
    Y_true: Any,
    scores: Any,
    k: int,
    propensities: npt.ArrayLike,
    *,
    sample_weight: npt.ArrayLike | None = None,
) -> float:
    """Discounted gain at k in which a true label counts one over its propensity, as a share of the best attainable.

    Parameters
    ----------
    Y_true : label sets of shape (n, L), dense or sparse
        -1 or NaN marks an unknown label.
    scores : array or DataFrame of shape (n, L)
    k : int
    propensities : array of shape (L,)
        See :func:`propensities`.
    sample_weight : array of shape (n,), optional
        Weights of the rows.

    Returns
    -------
    float

    Examples
    --------
    >>> Y, scores = [[1, 0, 1], [0, 1, 0]], [[0.9, 0.5, 0.1], [0.2, 0.7, 0.1]]
    >>> round(propensity_scored_ndcg_at_k(Y, scores, 2, [0.8, 0.5, 0.2]), 4)
    0.4173
    """
    ranked = _ranked(Y_true, scores, k, propensities)
    known = np.where(np.isnan(ranked.depth), np.nan, 1.0)
    return _share(*(mean_of_rows(known * (cells @ _discounts(cells)), sample_weight) for cells in ranked[:2]))


def label_ranking_average_precision(
    Y_true: Any, scores: Any, *, sample_weight: npt.ArrayLike | None = None
) -> float:
    """Mean over rows and their true labels of the share of true labels among those ranked at least as high.

    Rows in which no label or every label is true have 1, as in scikit-learn.

    Parameters
    ----------
    Y_true : label sets of shape (n, L), dense or sparse
        -1 or NaN marks an unknown label.
    scores : array or DataFrame of shape (n, L)
        For example ``predict_proba(X)``.
    sample_weight : array of shape (n,), optional
        Weights of the rows.

    Returns
    -------
    float

    Examples
    --------
    >>> round(label_ranking_average_precision([[1, 0, 0], [0, 0, 1]], [[0.75, 0.5, 1], [1, 0.2, 0.1]]), 4)
    0.4167
    """
    truth, known, values = _checked(Y_true, scores)
    among_all = rankdata(np.where(known, -values, np.inf), method="max", axis=1)
    among_true = rankdata(np.where(truth, -values, np.inf), method="max", axis=1)
    count = truth.sum(axis=1)
    total = np.where(truth, among_true / among_all, 0.0).sum(axis=1)
    rows = np.where(count > 0, total / np.maximum(count, 1), 1.0)
    return mean_of_rows(np.where(known.any(axis=1), rows, np.nan), sample_weight)


def mean_average_precision(Y_true: Any, scores: Any, *, sample_weight: npt.ArrayLike | None = None) -> float:
    """Mean over labels of the average precision of their rows (macro average precision).

    Labels that no row is known to have are left out. NaN if that leaves no label.

    Parameters
    ----------
    Y_true : label sets of shape (n, L), dense or sparse
        -1 or NaN marks an unknown label.
    scores : array or DataFrame of shape (n, L)
        For example ``predict_proba(X)``.
    sample_weight : array of shape (n,), optional
        Weights of the rows.

    Returns
    -------
    float

    Examples
    --------
    >>> round(mean_average_precision([[1, 0], [0, 1], [1, 1]], [[0.9, 0.5], [0.6, 0.7], [0.4, 0.1]]), 4)
    0.8333
    """
    truth, known, values = _checked(Y_true, scores)
    weight = np.ones(len(truth)) if sample_weight is None else np.asarray(sample_weight, dtype=np.float64)
    labels = np.flatnonzero((truth * weight[:, None]).sum(axis=0) > 0)
    if not len(labels):
        return float("nan")
    each = [
        average_precision_score(truth[rows, j], values[rows, j], sample_weight=weight[rows])
        for j, rows in ((j, known[:, j]) for j in labels)
    ]
    return float(np.mean(each))


class _Ranked(NamedTuple):
    """Values (n, k) of the labels with the highest scores and of the best labels, zero if false, and k of each row.

    ``depth`` (n,) is smaller if fewer labels are known, NaN if none is.
    """

    hits: Floats
    best: Floats
    depth: Floats


def _ranked(Y_true: Any, scores: Any, k: int, propensities: npt.ArrayLike | None = None) -> _Ranked:
    if not isinstance(k, (int, np.integer)) or k < 1:
        raise ValueError(f"k is {plain_repr(k)}; expected a whole number of at least 1")
    truth, known, values = _checked(Y_true, scores)
    order = np.argsort(np.where(known, -values, np.inf), axis=1, kind="stable")[:, :k]
    value = truth * _values(propensities, truth.shape[1])
    best = -np.sort(-value, axis=1)[:, :k]
    depth = np.minimum(known.sum(axis=1), k).astype(np.float64)
    depth[depth == 0] = np.nan
    return _Ranked(np.take_along_axis(value, order, axis=1), best, depth)


def _values(propensities: npt.ArrayLike | None, n_labels: int) -> Floats:
    """What each true label counts."""
    given = np.ones(n_labels) if propensities is None else np.asarray(propensities, dtype=np.float64)
    if given.shape != (n_labels,) or not ((given > 0) & (given <= 1)).all():
        raise ValueError(
            f"propensities is {plain_repr(propensities)}; expected a number above 0 and at most 1 for each of the "
            f"{n_labels} labels"
        )
    return np.asarray(1.0 / given)


def _discounts(cells: Floats) -> Floats:
    """What the places (k,) of the ranked cells (n, k) count."""
    return np.asarray(1.0 / np.log2(np.arange(2, cells.shape[1] + 2)))


def _share(part: float, whole: float) -> float:
    return part / whole if whole > 0 else 0.0


def _checked(Y_true: Any, scores: Any) -> tuple[Array, Array, Floats]:
    """True labels and which of them are known, bool (n, L), and the scores (n, L)."""
    scores = in_order(scores, column_names(Y_true), "scores")
    truth, known = check_known(Y_true, "Y_true")
    truth, values = to_dense(truth), np.asarray(scores, dtype=np.float64)
    if values.shape != truth.shape:
        raise ValueError(f"Y_true has shape {truth.shape} but scores has shape {values.shape}")
    wrong = np.argwhere(np.isnan(values))
    if len(wrong):
        row, label = wrong[0]
        raise ValueError(f"scores[{row}, {label}] is NaN; expected a number")
    return truth, np.ones(truth.shape, dtype=np.bool_) if known is None else known, values
