"""Joint log-probabilities of scikit-learn's multi-label classifiers, which do not offer them."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.multiclass import OneVsRestClassifier
from sklearn.multioutput import ClassifierChain

from setwise.contract import Floats, NotTractable
from setwise.kernels.matrices import append_columns, as_matrix, to_dense
from setwise.metrics.scorers import log_prob_of
from setwise.nesting import opened


def joint_log_prob(estimator: Any, X: Any, Y: Any) -> Floats | None:
    """Compute the log-probability of label sets, or return None if the method defines no joint.

    One-vs-rest is a product of label probabilities. A classifier chain is a product of conditionals given the
    *true* earlier labels.

    Parameters
    ----------
    estimator : fitted estimator
        One of setwise or scikit-learn, also inside a pipeline or search.
    X : array-like of shape (n, d)
        Rows.
    Y : array-like of shape (n, L)
        Label sets.

    Returns
    -------
    ndarray of shape (n,) or None
        Log-probabilities.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.linear_model import LogisticRegression
    >>> X, Y = np.array([[0.0], [1.0], [2.0], [3.0]]), np.array([[0, 1], [0, 0], [1, 1], [1, 0]])
    >>> chain = ClassifierChain(LogisticRegression()).fit(X, Y)
    >>> every_set = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])
    >>> round(float(np.exp(joint_log_prob(chain, X[[0, 0, 0, 0]], every_set)).sum()), 9)
    1.0
    """
    estimator, X = opened(estimator, X)
    if hasattr(estimator, "log_prob"):
        try:
            return log_prob_of(estimator, X, Y)
        except NotTractable:
            return None
    Y = to_dense(Y)
    if isinstance(estimator, OneVsRestClassifier):
        return _bernoulli(np.asarray(estimator.predict_proba(X)), Y)
    if isinstance(estimator, ClassifierChain):
        return _chain(estimator, X, Y)
    return None


def _chain(chain: ClassifierChain, X: Any, Y: Any) -> Floats:
    X, total = as_matrix(X), np.zeros(Y.shape[0])
    for step, (label, link) in enumerate(zip(chain.order_, chain.estimators_)):
        features = append_columns(X, Y[:, chain.order_[:step]])
        columns = np.flatnonzero(link.classes_ == 1)
        p = link.predict_proba(features)[:, columns]
        total += _bernoulli(p if columns.size else np.zeros((Y.shape[0], 1)), Y[:, [label]])
    return total


def _bernoulli(p: Floats, Y: Any) -> Floats:
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(np.where(Y == 1, p, 1.0 - p)).sum(axis=1))
