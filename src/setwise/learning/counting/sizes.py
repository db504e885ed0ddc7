"""Classifiers of the number of labels of a row."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import StandardScaler

from setwise.arrays import Array, Floats, Matrix
from setwise.contract import Labels
from setwise.kernels.matrices import is_sparse, stored_values
from setwise.learning.labels.classifiers import fit_weighted

PENALTIES = (0.003, 0.03, 0.3)
"""Inverse penalties of the logistic regressions that are tried."""
UNSEEN = -30.0
"""Log-probability at which a true class that was never seen is counted."""


def fit_sizes(X: Matrix, Y: Labels, weights: Floats | None, model: BaseEstimator | float) -> Any:
    """Fit a clone of a classifier of sizes, or a logistic regression with this penalty; one size is itself."""
    sizes = Y.sum(axis=1, dtype=np.intp)
    if sizes.min() == sizes.max():
        return int(sizes[0])
    if isinstance(model, float):
        return _fit_logistic(X, sizes, weights, model)
    return fit_weighted(model, X, sizes, weights)


def _fit_logistic(X: Matrix, sizes: Array, weights: Floats | None, penalty: float) -> LogisticRegression:
    """Fit to columns of unit spread, then put the coefficients back on the columns' own scale."""
    scaler = StandardScaler(with_mean=not is_sparse(X)).fit(X, sample_weight=weights)
    model = LogisticRegression(C=penalty, max_iter=300, tol=1e-3)
    model.fit(scaler.transform(X), sizes, sample_weight=weights)
    model.coef_ = model.coef_ / scaler.scale_
    if scaler.with_mean:
        model.intercept_ = model.intercept_ - model.coef_ @ scaler.mean_
    return model


def best_classifier(
    X: Matrix, sizes: Array, weights: Floats, train: Array, share: Floats, to_beat: float
) -> float | None:
    """Find the logistic regression that gives the sizes of held-out rows the most probability.

    Parameters
    ----------
    X : array or CSR of shape (n, d)
    sizes : ndarray of shape (n,)
    weights : ndarray of shape (n,)
    train : bool ndarray of shape (n,)
        The rows to fit; the others are held out.
    share : ndarray of shape (h, L + 1)
        Weight of the true size of each row held out.
    to_beat : float
        See :func:`score`.

    Returns
    -------
    float or None
        Its inverse penalty; None if none is better than ``to_beat``, or features are missing.
    """
    if np.isnan(stored_values(X)).any() or len(np.unique(sizes[train])) < 2:
        return None
    best = None
    for penalty in PENALTIES:
        model = _fit_logistic(X[train], sizes[train], weights[train], penalty)
        log_p = np.full(share.shape, -np.inf)
        log_p[:, model.classes_] = model.predict_log_proba(X[~train])
        if (found := score(log_p, share)) > to_beat:
            best, to_beat = penalty, found
    return best


def score(log_p: Floats, share: Floats) -> float:
    """Sum the log-probabilities (n, c) of the true classes, weighted by ``share`` (n, c)."""
    return float(np.sum(share * np.where(share > 0, np.maximum(log_p, UNSEEN), 0.0)))
