"""Any scikit-learn classifier as a learner of one label."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from sklearn.base import clone

from setwise.contract import FREE, Array, Floats, Matrix
from setwise.learning.trees.flat.conversion import flatten
from setwise.learning.trees.flat.tree_classifier import TreeClassifier


def logit(p: Floats) -> Floats:
    """Compute the logits of probabilities; 0 and 1 become infinite, which distributions allow."""
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(p) - np.log1p(-p))


def fit_weighted(learner: Any, X: Matrix, y: Array, weights: Floats | None) -> Any:
    """Fit a clone of a scikit-learn classifier, with ``sample_weight`` only if there are weights.

    A model of trees becomes a :class:`~setwise.learning.trees.flat.TreeClassifier`.
    """
    return flatten(clone(learner).fit(X, y, **({} if weights is None else {"sample_weight": weights})))


def check_learner(learner: Any) -> bool:
    """Check whether the learner is the built-in logistic one; any other name raises a ValueError."""
    if isinstance(learner, str) and learner != "logistic":
        raise ValueError(f"learner is {learner!r}; expected 'logistic' or a scikit-learn classifier")
    return isinstance(learner, str)


@dataclass(frozen=True)
class LabelClassifier:
    """A fitted classifier of one label, or the smoothed logit of a label that was constant in training.

    Without ``predict_proba`` (support vector machines) the decision function serves as the logit: its sign is the
    prediction, but its size is not calibrated.
    """

    classifier: Any
    constant: float

    @classmethod
    def fit(cls, learner: Any, X: Matrix, y: Array, weights: Floats | None = None) -> Self:
        """Fit a clone of ``learner`` to X (n, d) and y (n,) of 0 and 1; rows with y FREE do not count."""
        known = y != FREE
        if not known.all():
            X, y, weights = X[known], y[known], None if weights is None else weights[known]
        w = np.ones(len(y)) if weights is None else weights
        positive = float(w @ y)
        constant = float(np.log(positive + 0.5) - np.log(w.sum() - positive + 0.5))
        return cls(None if len(np.unique(y)) < 2 else fit_weighted(learner, X, y, weights), constant)

    def logits(self, X: Matrix) -> Floats:
        """Compute the logit (n,) of the label in each row."""
        if self.classifier is None:
            return np.full(X.shape[0], self.constant)
        if isinstance(self.classifier, TreeClassifier) and self.classifier.link == "logistic":
            return self.classifier.logits(X)
        if hasattr(self.classifier, "predict_proba"):
            return logit(np.asarray(self.classifier.predict_proba(X)[:, 1], dtype=np.float64))
        return np.asarray(self.classifier.decision_function(X), dtype=np.float64)
