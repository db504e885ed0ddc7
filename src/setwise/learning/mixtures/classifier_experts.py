"""Experts that are scikit-learn classifiers with row weights: one per label and component, refitted each M-step."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from setwise.arrays import Array, Floats, Matrix
from setwise.learning.labels.classifiers import LabelClassifier
from setwise.learning.mixtures.em import MOST_STEPS
from setwise.learning.mixtures.independent_labels import log_bernoulli, no_parents
from setwise.learning.mixtures.training_rows import TrainingRows
from setwise.learning.progress.checkpoint import State

LIMIT = 20.0
"""Largest size of a logit: a forest that is certain of a label would otherwise make every other set impossible."""


@dataclass(frozen=True)
class ClassifierScores:
    """Logits of fitted classifiers, flat in (component, label)."""

    labels: list[LabelClassifier]

    def __call__(self, X: Matrix) -> Floats:
        """Compute the logits (n, K * L) of the rows of ``X``."""
        return np.clip(np.stack([label.logits(X) for label in self.labels], axis=1), -LIMIT, LIMIT)


class ClassifierExperts:
    """K components of L independent labels, each by a clone of a classifier.

    Parameters
    ----------
    rows : TrainingRows
    logits : ndarray of shape (K, L)
        Constants to start from.
    learner : scikit-learn classifier
    negligible : float
        Rows with a smaller responsibility are left out of a component's fits.
    """

    def __init__(self, rows: TrainingRows, logits: Floats, learner: Any, negligible: float) -> None:
        self.rows, self.learner, self.negligible = rows, learner, negligible
        self.n_labels = logits.shape[1]
        self.labels = [LabelClassifier(None, float(value)) for value in logits.ravel()]

    @property
    def parents(self) -> Array:
        """Parents (K, L) of the labels: none."""
        return no_parents(len(self.labels) // self.n_labels, self.n_labels)

    def log_values(self, rows: TrainingRows | None = None) -> Floats:
        """Compute the log-probability (n, K) of each row's labels in each component."""
        rows = self.rows if rows is None else rows
        logits = self.scores()(rows.X).reshape(len(rows), -1, self.n_labels)
        return np.asarray(log_bernoulli(rows.Y[:, None, :], logits).sum(axis=2))

    def update(self, responsibilities: Floats, steps: int = MOST_STEPS) -> int:
        """Refit every classifier to the rows that matter to its component."""
        for k, weights in enumerate(responsibilities.T):
            rows = np.flatnonzero(weights > self.negligible * self.rows.weights)
            X, w = self.rows.X[rows], weights[rows]
            for label in range(self.n_labels if len(rows) else 0):
                fitted = LabelClassifier.fit(self.learner, X, self.rows.Y[rows, label], w)
                self.labels[k * self.n_labels + label] = fitted
        return 1

    def penalty(self) -> float:
        """Return zero: the penalty of a classifier is unknown and left out of the bound."""
        return 0.0

    def drop(self, keep: Array) -> None:
        """Keep some components, given as a mask (K,)."""
        kept = np.flatnonzero(np.repeat(keep, self.n_labels))
        self.labels = [self.labels[i] for i in kept]

    def state(self) -> State:
        """Return no arrays: a fit with a classifier has no checkpoint."""
        return {}

    def restore(self, state: State) -> None:
        """Do nothing; see :meth:`state`."""

    def scores(self) -> ClassifierScores:
        """Return the logits, flat in (K, L)."""
        return ClassifierScores(self.labels)
