"""The metrics as named scorers for ``cross_validate`` and ``GridSearchCV``; greater is better.

A pipeline has no ``log_prob``, so the scorers of the joint transform X by its steps and call its last estimator.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from sklearn.metrics._scorer import _BaseScorer

from setwise.contract import Floats, Labels
from setwise.metrics import instances, labels, ranking
from setwise.metrics.calibration import Calibration, set_calibration
from setwise.metrics.joint import joint_log_loss, top_k_coverage
from setwise.nesting import in_label_order, opened

Scorer = Callable[..., float]


def scorer(name: str, *, propensities: Any = None) -> Scorer:
    """Get a scorer by name, to pass as ``scoring``.

    Parameters
    ----------
    name : str
        A key of :data:`SCORERS`, or ``propensity_scored_precision_at_k`` or ``propensity_scored_ndcg_at_k`` with 1, 3
        or 5 instead of k.
    propensities : array of shape (L,), optional
        Of the labels, for the propensity-scored metrics; see :func:`propensities`.

    Returns
    -------
    callable
        ``scorer(estimator, X, Y)``, a new copy whose metadata requests you can set.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.dummy import DummyClassifier
    >>> from sklearn.model_selection import cross_val_score
    >>> X, Y = np.zeros((6, 1)), np.tile([[1, 0]], (6, 1))
    >>> cross_val_score(DummyClassifier(), X, Y, scoring=scorer("exact_match"), cv=3)
    array([1., 1., 1.])
    """
    if propensities is not None:
        return _by_propensity(name, propensities)
    if name not in SCORERS:
        raise ValueError(f"unknown scorer {name!r}; known: {', '.join(SCORERS)}")
    return copy.deepcopy(SCORERS[name])


def _by_propensity(name: str, propensities: Any) -> Scorer:
    known = {f"{start}_{k}": (metric, k) for start, metric in _BY_PROPENSITY.items() for k in _DEPTHS}
    if name not in known:
        raise ValueError(f"unknown propensity-scored scorer {name!r}; known: {', '.join(known)}")
    metric, k = known[name]
    return _Scorer(partial(metric, k=k, propensities=propensities), 1, _marginals)


def scorers(*names: str) -> dict[str, Scorer]:
    """Get several scorers, to pass as ``scoring`` to ``cross_validate``.

    Parameters
    ----------
    *names : str
        Keys of :data:`SCORERS`; all of them if none is given.

    Returns
    -------
    dict from names to scorers

    Examples
    --------
    >>> list(scorers("exact_match", "instance_f1"))
    ['exact_match', 'instance_f1']
    """
    return {name: scorer(name) for name in names or SCORERS}


def log_prob_of(estimator: Any, X: Any, Y: Any) -> Floats:
    """Log-probability (n,) of the label sets ``Y`` under an estimator, or a pipeline whose last step is one."""
    last, X = opened(estimator, X)
    if not hasattr(last, "log_prob"):
        raise TypeError(
            f"{type(last).__name__} has no method log_prob(X, Y); this scorer needs an estimator of setwise"
        )
    return np.asarray(last.log_prob(X, Y), dtype=np.float64)


class _Scorer(_BaseScorer):
    """The score ``sign * metric(Y, ask(estimator, X, Y))``, with scikit-learn's metadata routing.

    The columns of a DataFrame Y are matched with the estimator's labels by name.
    """

    def __init__(self, metric: Callable[..., float], sign: int, ask: Callable[[Any, Any, Any], Any]) -> None:
        super().__init__(metric, sign, {}, response_method="predict")
        self._ask = ask

    def _score(self, method_caller: Any, estimator: Any, X: Any, y_true: Any, **kwargs: Any) -> float:
        Y = in_label_order(estimator, y_true, "y")
        score: float = self._score_func(Y, self._ask(estimator, X, Y), **kwargs)
        return self._sign * score


def _predicted(estimator: Any, X: Any, Y: Any) -> Any:
    return estimator.predict(X)


def _log_loss(y_true: Any, y_pred: Floats, sample_weight: Any = None) -> float:
    return joint_log_loss(y_pred, sample_weight=sample_weight)


def _calibration_of(estimator: Any, X: Any, Y: Any) -> Calibration:
    predicted = estimator.predict(X)
    match = instances.instance_scores(Y, predicted).jaccard
    known = ~np.isnan(match)
    return set_calibration(np.exp(log_prob_of(estimator, X, predicted))[known], match[known] == 1.0)


def _brier(y_true: Any, y_pred: Calibration) -> float:
    return y_pred.brier


def _calibration_error(y_true: Any, y_pred: Calibration) -> float:
    return y_pred.error


def _top_sets(estimator: Any, X: Any, Y: Any, k: int) -> Labels:
    last, X = opened(estimator, X)
    sets: Labels = last.predict_top_k(X, k)[0]
    return sets


def _marginals(estimator: Any, X: Any, Y: Any) -> Floats:
    """Probabilities (n, L), also of a classifier of scikit-learn that returns a list with one array per label."""
    probs = estimator.predict_proba(X)
    if isinstance(probs, list):
        return np.column_stack(
            [
                own[:, list(values).index(1)] if 1 in values else np.zeros(len(own))
                for own, values in zip(probs, estimator.classes_, strict=True)
            ]
        )
    return np.asarray(probs, dtype=np.float64)


def _coverage(y_true: Any, y_pred: Labels) -> float:
    return float(top_k_coverage(y_true, y_pred)[-1])


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

_OF_RANKINGS = {
    "precision_at": ranking.precision_at_k,
    "ndcg_at": ranking.ndcg_at_k,
}
_BY_PROPENSITY = {
    "propensity_scored_precision_at": ranking.propensity_scored_precision_at_k,
    "propensity_scored_ndcg_at": ranking.propensity_scored_ndcg_at_k,
}
_DEPTHS = (1, 3, 5)

SCORERS: dict[str, Scorer] = {
    **{metric.__name__: _Scorer(metric, 1, _predicted) for metric in _OF_PREDICTIONS},
    **{
        f"{name}_{k}": _Scorer(partial(metric, k=k), 1, _marginals)
        for name, metric in _OF_RANKINGS.items()
        for k in _DEPTHS
    },
    "label_ranking_average_precision": _Scorer(ranking.label_ranking_average_precision, 1, _marginals),
    "mean_average_precision": _Scorer(ranking.mean_average_precision, 1, _marginals),
    "neg_joint_log_loss": _Scorer(_log_loss, -1, log_prob_of),
    "neg_set_brier": _Scorer(_brier, -1, _calibration_of),
    "neg_set_calibration_error": _Scorer(_calibration_error, -1, _calibration_of),
    **{f"top_{k}_coverage": _Scorer(_coverage, 1, partial(_top_sets, k=k)) for k in (3, 5, 10)},
}
"""All scorers by name."""
