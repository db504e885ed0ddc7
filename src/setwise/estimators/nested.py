"""The joint distribution of an estimator inside a pipeline or a search."""

from __future__ import annotations

from typing import Any

from setwise.contract import LabelDistribution
from setwise.nesting import opened


def distribution_of(estimator: Any, X: Any) -> LabelDistribution:
    """P(y | x) of each row of X from a fitted estimator, also as the last step of a Pipeline or inside a search.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import StandardScaler
    >>> from setwise import BinaryRelevance, distribution_of
    >>> X, Y = np.arange(6.0)[:, None], np.array([[0, 1], [0, 1], [0, 1], [1, 0], [1, 0], [1, 1]])
    >>> pipeline = make_pipeline(StandardScaler(), BinaryRelevance(l2=1.0)).fit(X, Y)
    >>> distribution_of(pipeline, X).mode().labels[0]
    array([0, 1], dtype=int8)
    """
    model, X = opened(estimator, X)
    if not hasattr(model, "distribution"):
        raise TypeError(
            f"{type(model).__name__} has no joint distribution; use an estimator of setwise, alone or as "
            "the last step of a Pipeline"
        )
    joint: LabelDistribution = model.distribution(X)
    return joint
