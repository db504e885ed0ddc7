"""Experts by any scikit-learn classifier that takes row weights: one a label and component, refitted each M-step."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from setwise.contract import Array, Floats, Matrix
from setwise.learning.labels.classifiers import LabelClassifier
from setwise.learning.mixtures.rows import Rows
from setwise.learning.progress.checkpoint import State

LIMIT = 20.0
"""Logits are kept within this: a forest that is sure of a label would otherwise rule out every other set."""


@dataclass(frozen=True)
class ClassifierScores:
    """Logits of fitted classifiers, flat in (component, label)."""

    labels: list[LabelClassifier]

    def __call__(self, X: Matrix) -> Floats:
        """The logits (n, K * L) of the rows of ``X``."""
        return np.clip(np.stack([label.logits(X) for label in self.labels], axis=1), -LIMIT, LIMIT)


class ClassifierExperts:
    """K components of L independent labels, each by a clone of a classifier.

    Parameters
    ----------
    rows : Rows
    logits : ndarray of shape (K, L)
        The constants to start from.
    learner : scikit-learn classifier
    negligible : float
        Rows of a smaller responsibility do not enter a component's fits.
    """

    def __init__(self, rows: Rows, logits: Floats, learner: Any, negligible: float) -> None:
        self.rows, self.learner, self.negligible = rows, learner, negligible
        self.n_labels = logits.shape[1]
        self.labels = [LabelClassifier(None, float(value)) for value in logits.ravel()]

    @property
    def parents(self) -> Array:
        """No label has a parent, (K, L)."""
        return np.full((len(self.labels) // self.n_labels, self.n_labels), -1, dtype=np.int32)

    def log_values(self, rows: Rows | None = None) -> Floats:
        """Log-probability (n, K) of each row's labels in each component."""
        rows = self.rows if rows is None else rows
        logits = self.scores()(rows.X).reshape(len(rows), -1, self.n_labels)
        Y = rows.Y[:, None, :]
        signed = np.select([Y == 1, Y == 0], [logits, -logits], np.inf)
        return np.asarray(-np.logaddexp(0.0, -signed).sum(axis=2))

    def update(self, responsibilities: Floats) -> int:
        """Refit every classifier on the rows that matter to its component."""
        for k, weights in enumerate(responsibilities.T):
            rows = np.flatnonzero(weights > self.negligible * self.rows.weights)
            X, w = self.rows.X[rows], weights[rows]
            for label in range(self.n_labels if len(rows) else 0):
                fitted = LabelClassifier.fit(self.learner, X, self.rows.Y[rows, label], w)
                self.labels[k * self.n_labels + label] = fitted
        return 1

    def penalty(self) -> float:
        """Unknown to us, and left out of the bound."""
        return 0.0

    def drop(self, keep: Array) -> None:
        """Keep some components."""
        kept = np.flatnonzero(np.repeat(keep, self.n_labels))
        self.labels = [self.labels[i] for i in kept]

    def state(self) -> State:
        """Not arrays; a fit with a classifier of the user's has no checkpoint."""
        return {}

    def restore(self, state: State) -> None:
        """Nothing to restore."""

    def scores(self) -> ClassifierScores:
        """Logits, flat in (K, L)."""
        return ClassifierScores(self.labels)
