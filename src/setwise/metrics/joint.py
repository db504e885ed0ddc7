"""Metrics of the joint distribution: how much probability a model gives to the true label sets."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from setwise.contract import FREE, Floats
from setwise.kernels.matrices import to_dense
from setwise.metrics.label_sets import check_known, mean_of_rows


def joint_log_loss(log_prob: npt.ArrayLike, *, sample_weight: npt.ArrayLike | None = None) -> float:
    """Mean negative log-probability of the true label sets, in nats.

    Parameters
    ----------
    log_prob : array of shape (n,)
        ``estimator.log_prob(X, Y)``. A true set of probability zero (``-inf``) makes the loss infinite;
        :func:`impossible_share` is the share of such rows.
    sample_weight : array of shape (n,), optional
        Weights of the rows.

    Returns
    -------
    float

    Examples
    --------
    >>> import numpy as np
    >>> round(joint_log_loss(np.log([0.5, 0.25])), 4)
    1.0397
    """
    return mean_of_rows(-_checked(log_prob), sample_weight)


def joint_log_loss_sum(log_prob: npt.ArrayLike) -> float:
    """Sum of the negative log-probabilities of the true label sets, the papers' CLL-loss.

    It grows with the number of rows of a test fold. The papers' tables show its mean over folds.

    Parameters
    ----------
    log_prob : array of shape (n,)
        ``estimator.log_prob(X, Y)``.

    Returns
    -------
    float

    Examples
    --------
    >>> import numpy as np
    >>> round(joint_log_loss_sum(np.log([0.5, 0.25])), 4)
    2.0794
    """
    return float(-_checked(log_prob).sum())


def impossible_share(log_prob: npt.ArrayLike) -> float:
    """Share of rows whose true label set has probability zero under the model.

    Parameters
    ----------
    log_prob : array of shape (n,)
        ``estimator.log_prob(X, Y)``.

    Returns
    -------
    float

    Examples
    --------
    >>> import numpy as np
    >>> impossible_share([-1.0, -np.inf])
    0.5
    """
    return float(np.isneginf(_checked(log_prob)).mean())


def top_k_coverage(Y_true: Any, top_sets: npt.ArrayLike) -> Floats:
    """Share of rows whose true set is among the first 1, 2, ..., k answers.

    Parameters
    ----------
    Y_true : label sets of shape (n, L)
        Where a label is unknown (-1 or NaN), a set need only agree with the known ones. Rows without any do not count.
    top_sets : array of shape (n, k, L)
        The sets of each row, best first. If there are fewer than k, the rest is -1.

    Returns
    -------
    array of shape (k,)
        Non-decreasing. The first entry is the exact match of the best set.

    Examples
    --------
    >>> top_k_coverage([[1, 0], [0, 1]], [[[1, 0], [1, 1]], [[0, 0], [0, 1]]])
    array([0.5, 1. ])
    """
    truth, known = check_known(Y_true, "Y_true")
    truth = to_dense(truth)
    sets = np.asarray(top_sets)
    if sets.ndim != 3 or (sets.shape[0], sets.shape[2]) != truth.shape:
        n, labels = truth.shape
        raise ValueError(f"top_sets has shape {sets.shape}; expected ({n}, k, {labels})")
    if not np.isin(sets, (0, 1, FREE)).all():
        raise ValueError(f"top_sets has values other than 0, 1 and {FREE}")
    right = sets == truth[:, None, :]
    if known is not None:
        some = known.any(axis=1)
        right, sets = (right | ~known[:, None])[some], sets[some]
    hits = right.all(axis=2) & (sets != FREE).all(axis=2)
    return np.asarray(np.maximum.accumulate(hits, axis=1).mean(axis=0), dtype=np.float64)


def _checked(log_prob: npt.ArrayLike) -> Floats:
    values = np.asarray(log_prob, dtype=np.float64)
    if values.ndim != 1 or values.size == 0:
        raise ValueError(f"log_prob has shape {values.shape}; expected one value for each of n > 0 rows")
    bad = np.flatnonzero(np.isnan(values) | (values > 1e-6))
    if bad.size:
        raise ValueError(f"log_prob[{bad[0]}] is {values[bad[0]]}; a log-probability is at most 0")
    return values
