"""The joint distribution of an estimator inside a pipeline or a search."""

from __future__ import annotations

from typing import Any

from sklearn.pipeline import Pipeline

from setwise.contract import LabelDistribution


def distribution_of(estimator: Any, X: Any) -> LabelDistribution:
    """P(y | x) of each row of X from a fitted estimator, also as the last step of a Pipeline or inside a search.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import StandardScaler
    >>> from setwise import BinaryRelevance
    >>> X, Y = np.arange(6.0)[:, None], np.array([[0, 1], [0, 1], [0, 1], [1, 0], [1, 0], [1, 1]])
    >>> pipeline = make_pipeline(StandardScaler(), BinaryRelevance(l2=1.0)).fit(X, Y)
    >>> distribution_of(pipeline, X).mode().labels[0]
    array([0, 1], dtype=int8)
    """
    if hasattr(estimator, "best_estimator_"):
        return distribution_of(estimator.best_estimator_, X)
    if isinstance(estimator, Pipeline):
        for _, step in estimator.steps[:-1]:
            X = X if step in (None, "passthrough") else step.transform(X)
        return distribution_of(estimator.steps[-1][1], X)
    if not hasattr(estimator, "distribution"):
        raise TypeError(
            f"{type(estimator).__name__} has no joint distribution; use an estimator of setwise, alone or as "
            "the last step of a Pipeline"
        )
    joint: LabelDistribution = estimator.distribution(X)
    return joint
