"""The metrics as scorers for ``cross_validate`` and ``GridSearchCV``, by name; greater is better.

A pipeline has no ``log_prob``: the scorers of the joint pass X through its steps and ask the last one.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from sklearn.metrics import make_scorer

from setwise.contract import Floats
from setwise.metrics import instances, labels
from setwise.metrics.calibration import Calibration, set_calibration
from setwise.metrics.joint import joint_log_loss, top_k_coverage
from setwise.nesting import opened

Scorer = Callable[[Any, Any, Any], float]


def scorer(name: str) -> Scorer:
    """The scorer of that name, to be passed as ``scoring=``.

    Parameters
    ----------
    name : one of :data:`SCORERS`

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.dummy import DummyClassifier
    >>> from sklearn.model_selection import cross_val_score
    >>> X, Y = np.zeros((6, 1)), np.tile([[1, 0]], (6, 1))
    >>> cross_val_score(DummyClassifier(), X, Y, scoring=scorer("exact_match"), cv=3)
    array([1., 1., 1.])
    """
    if name not in SCORERS:
        raise ValueError(f"unknown scorer {name!r}; known: {', '.join(SCORERS)}")
    return SCORERS[name]


def scorers(*names: str) -> dict[str, Scorer]:
    """Several scorers for one ``cross_validate``: all of them when no name is given.

    Examples
    --------
    >>> list(scorers("exact_match", "instance_f1"))
    ['exact_match', 'instance_f1']
    """
    return {name: scorer(name) for name in names or SCORERS}


def log_prob_of(estimator: Any, X: Any, Y: Any) -> Floats:
    """Log-probability (n,) of the label sets ``Y`` under an estimator or a pipeline that ends in one."""
    last, X = opened(estimator, X)
    if not hasattr(last, "log_prob"):
        raise TypeError(
            f"{type(last).__name__} has no log_prob(X, Y); this scorer needs a joint distribution"
        )
    return np.asarray(last.log_prob(X, Y), dtype=np.float64)


def _neg_joint_log_loss(estimator: Any, X: Any, Y: Any, sample_weight: Any = None) -> float:
    return -joint_log_loss(log_prob_of(estimator, X, Y), sample_weight=sample_weight)


def _calibration(estimator: Any, X: Any, Y: Any) -> Calibration:
    predicted = estimator.predict(X)
    right = instances.instance_scores(Y, predicted).jaccard == 1.0
    return set_calibration(np.exp(log_prob_of(estimator, X, predicted)), right)


def _neg_brier(estimator: Any, X: Any, Y: Any) -> float:
    return -_calibration(estimator, X, Y).brier


def _neg_calibration_error(estimator: Any, X: Any, Y: Any) -> float:
    return -_calibration(estimator, X, Y).error


def _coverage(estimator: Any, X: Any, Y: Any, k: int) -> float:
    last, X = opened(estimator, X)
    return float(top_k_coverage(Y, last.predict_top_k(X, k)[0])[-1])


_OF_PREDICTIONS = (
    instances.exact_match,
    instances.hamming_score,
    instances.instance_precision,
    instances.instance_recall,
    instances.instance_f1,
    instances.instance_jaccard,
    labels.micro_f1,
    labels.macro_f1,
    labels.macro_f1_of_means,
)

SCORERS: dict[str, Scorer] = {
    **{metric.__name__: make_scorer(metric) for metric in _OF_PREDICTIONS},
    "neg_joint_log_loss": _neg_joint_log_loss,
    "neg_set_brier": _neg_brier,
    "neg_set_calibration_error": _neg_calibration_error,
    **{f"top_{k}_coverage": partial(_coverage, k=k) for k in (3, 5, 10)},
}
"""Scorer of every name."""
