"""Full conditionals of the labels by any classifier: one per label, of the features and the other labels."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.linear_model import LogisticRegression

from setwise.contract import Array, Floats, Labels, Matrix
from setwise.inference.networks.gibbs import LinearConditionals
from setwise.kernels.matrices import append_columns, matmul
from setwise.learning.labels.classifiers import fit_weighted
from setwise.learning.linear.scores import LinearScores
from setwise.learning.progress.monitor import current_monitor

CERTAIN = 700.0
"""Logit of a classifier that is certain: finite, so that a sampler never receives an impossible state."""


@dataclass(frozen=True)
class ClassifierConditionals:
    """Conditionals of rows ``X`` by fitted ``learners``; a number, the logit, for a label that was constant."""

    X: Matrix
    learners: list[Any]

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return int(self.X.shape[0])

    @property
    def n_labels(self) -> int:
        """Number of labels."""
        return len(self.learners)

    def logits(self, label: int, state: Labels) -> Floats:
        """Compute the logits (n,), or margins if the classifier gives no probabilities."""
        learner = self.learners[label]
        if isinstance(learner, float):
            return np.full(self.n_rows, learner)
        return _logits(learner, with_others(self.X, state, label))

    def take(self, rows: Any) -> Self:
        """Select rows."""
        return type(self)(self.X[rows], self.learners)


NetworkConditionals = ClassifierConditionals | LinearConditionals
"""Conditionals of a dependency network by any classifiers, or by linear ones."""


def _logits(learner: Any, inputs: Matrix) -> Floats:
    if hasattr(learner, "predict_proba"):
        with np.errstate(divide="ignore"):
            p = learner.predict_proba(inputs)
            return np.asarray(np.clip(np.log(p[:, 1]) - np.log(p[:, 0]), -CERTAIN, CERTAIN))
    if hasattr(learner, "decision_function"):
        return np.asarray(learner.decision_function(inputs))
    return np.asarray(2.0 * learner.predict(inputs) - 1.0)


def with_others(X: Matrix, state: Labels, label: int) -> Matrix:
    """Append the other labels as -1/+1 to X; the column of the label itself is zero."""
    others = 2.0 * state - 1.0
    others[:, label] = 0.0
    return append_columns(X, others)


def fit_learners(
    X: Matrix, Y: Labels, weights: Floats | None, learner: BaseEstimator, *, alone: bool = False
) -> list[Any]:
    """Fit a clone of ``learner`` for each label, or compute the logit of its smoothed share if it is constant.

    With ``alone`` the inputs are the features only, without the other labels.
    """
    return [
        _fit_learner(X if alone else with_others(X, Y, label), Y[:, label], weights, learner)
        for label in current_monitor().steps("labels", range(Y.shape[1]))
    ]


def labels_alone(X: Matrix, learners: list[Any]) -> Labels:
    """Predict rows ``X`` by learners that were fitted ``alone``, (n, L)."""
    predicted = [np.full(X.shape[0], a > 0) if isinstance(a, float) else _logits(a, X) > 0 for a in learners]
    return np.stack(predicted, axis=1).astype(np.int8)


def _fit_learner(inputs: Matrix, y: Array, weights: Floats | None, learner: BaseEstimator) -> Any:
    if y.min() == y.max():
        total = float(len(y) if weights is None else weights.sum())
        return float(np.log(2.0 * total + 1.0) * (1.0 if y[0] else -1.0))
    return fit_weighted(learner, inputs, y, weights)


def linear_conditionals(X: Matrix, scores: LinearScores, coupling: Floats) -> LinearConditionals:
    """Make the conditionals of rows ``X`` from linear functions of the features and couplings (L, L) of the labels."""
    return LinearConditionals(scores(X).astype(np.float64, copy=False), coupling)


def conditionals_of(X: Matrix, learners: list[Any]) -> NetworkConditionals:
    """Make the conditionals of rows ``X``. If every learner is linear, so are they, and they run compiled."""
    if not all(isinstance(learner, float) or _is_linear(learner) for learner in learners):
        return ClassifierConditionals(X, learners)
    d, L = X.shape[1], len(learners)
    coef, intercept = np.zeros((d + L, L)), np.zeros(L)
    for label, learner in enumerate(learners):
        if isinstance(learner, float):
            intercept[label] = learner
        else:
            coef[:, label], intercept[label] = learner.coef_[0], float(np.ravel(learner.intercept_)[0])
    np.fill_diagonal(coef[d:], 0.0)
    return LinearConditionals(_scores(X, coef[:d], intercept), coef[d:])


def _is_linear(learner: Any) -> bool:
    """Check whether the logit or the margin of a binary classifier is linear in its inputs."""
    linear = isinstance(learner, LogisticRegression) or not hasattr(learner, "predict_proba")
    return linear and len(getattr(learner, "coef_", ())) == 1


def _scores(X: Matrix, coef: Array, intercept: Floats) -> Floats:
    return np.asarray(matmul(X, coef.astype(X.dtype)) + intercept, dtype=np.float64)
