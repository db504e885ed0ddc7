"""Gradient boosting of scikit-learn on exact splits."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.dummy import DummyClassifier

from setwise.learning.trees.flat.forests import cart_nodes
from setwise.learning.trees.flat.nodes import Layout
from setwise.learning.trees.flat.tree_classifier import TreeClassifier


def flatten_boosted(fitted: Any) -> TreeClassifier | None:
    """Convert a fitted ``GradientBoostingClassifier``; None if it starts from a model or has the exponential loss."""
    if fitted.loss != "log_loss" or not (isinstance(fitted.init_, DummyClassifier) or fitted.init_ == "zero"):
        return None
    layout, rate = Layout(fitted.n_features_in_), fitted.learning_rate
    scores = fitted.estimators_.shape[1]
    for stage in fitted.estimators_:
        for number, member in enumerate(stage):
            values = np.zeros((member.tree_.node_count, 1))
            values[:, 0] = rate * member.tree_.value[:, 0, 0]
            layout.add(cart_nodes(member.tree_), values)
            layout.score[-1] = number
    start = fitted._raw_predict_init(np.zeros((1, fitted.n_features_in_)))[0]
    return TreeClassifier(
        classes_=np.asarray(fitted.classes_),
        n_features_in_=int(fitted.n_features_in_),
        link="logistic" if scores == 1 else "softmax",
        n_members=1,
        single=True,
        scale=1.0,
        columns=layout.columns(),
        scores=layout.scores(start),
    )
