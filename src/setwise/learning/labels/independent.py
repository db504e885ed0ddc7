"""Labels that are independent given the features: one classifier each, logistic ones all at once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import expit

from setwise.contract import Array, Floats, Labels, Matrix
from setwise.kernels.matrices import append_columns
from setwise.learning.by_content.folds import row_folds
from setwise.learning.labels.classifiers import LabelClassifier, check_learner
from setwise.learning.labels.label_weights import LabelWeights, label_problems
from setwise.learning.linear.design import Design
from setwise.learning.linear.penalties import fit_tuned
from setwise.learning.linear.scores import LinearScores
from setwise.learning.progress.monitor import current_monitor


@dataclass(frozen=True)
class LinearLabels:
    """Logistic regressions of all labels, and their penalties ``l2`` (L,)."""

    scores: LinearScores
    l2: Floats

    def logits(self, X: Matrix, extra: Array | None = None) -> Floats:
        """Compute the logits (n, L) of the labels from X (n, d) and the ``extra`` columns (n, m) of the fit."""
        logits = self.scores(X)
        return logits if extra is None else logits + extra @ self.scores.labels


@dataclass(frozen=True)
class ClassifierLabels:
    """One scikit-learn classifier per label."""

    labels: list[LabelClassifier]

    def logits(self, X: Matrix, extra: Array | None = None) -> Floats:
        """Compute the logits (n, L) of the labels from X (n, d) and the ``extra`` columns (n, m) of the fit."""
        X = X if extra is None else append_columns(X, extra)
        return np.stack([label.logits(X) for label in self.labels], axis=1)


@dataclass(frozen=True)
class Learner:
    """How each label is learned: ``"logistic"`` with its settings, or any scikit-learn classifier."""

    learner: Any = "logistic"
    l2: float | str = "auto"
    standardize: bool = True
    tol: float = 1e-8

    def fit(
        self,
        X: Matrix,
        Y: Labels,
        weights: Floats | None,
        extra: Array | None = None,
        label_weights: LabelWeights | None = None,
    ) -> LinearLabels | ClassifierLabels:
        """Fit all columns of Y (n, L) to X (n, d) and ``extra`` columns (n, m).

        The logistic learner scales extra columns as it scales labels: each may weigh as much as all features.

        Parameters
        ----------
        X : array or CSR of shape (n, d)
        Y : ndarray of shape (n, L)
        weights : ndarray of shape (n,) or None
        extra : ndarray of shape (n, m), optional
        label_weights : LabelWeights, optional
            Of the logistic learner only.

        Returns
        -------
        LinearLabels or ClassifierLabels
        """
        if check_learner(self.learner):
            return self.fit_linear(X, Y, weights, extra, label_weights=label_weights)
        X = X if extra is None else append_columns(X, extra)
        labels = current_monitor().steps("labels", Y.T)
        return ClassifierLabels([LabelClassifier.fit(self.learner, X, y, weights) for y in labels])

    def fit_linear(
        self,
        X: Matrix,
        Y: Labels,
        weights: Floats | None,
        extra: Array | None = None,
        rows: Matrix | None = None,
        label_weights: LabelWeights | None = None,
    ) -> LinearLabels:
        """Fit all labels at once by logistic regression; see :meth:`fit`.

        The rows' folds follow from the content of ``rows`` (n, any), X by default.
        """
        design = Design(X, extra, weights=weights, standardize=self.standardize)
        problems = label_problems(Y, weights, label_weights)
        fit, l2 = fit_tuned(design, problems, X if rows is None else rows, l2=self.l2, tol=self.tol)
        return LinearLabels(design.to_features(fit.coef), l2)

    def out_of_fold(self, X: Matrix, Y: Labels, weights: Floats | None, n_folds: int) -> Floats:
        """Predict the probabilities (n, L) of each row by learners that have not seen it, nor a copy of it.

        If there are too few different rows for ``n_folds``, learners of all rows predict them.
        """
        fold = row_folds(X, n_folds, outer=True)
        if fold is None:
            return np.asarray(expit(self.fit(X, Y, weights).logits(X)))
        probabilities = np.empty(Y.shape)
        for f in current_monitor().steps("folds", range(n_folds)):
            rows, others = np.flatnonzero(fold == f), np.flatnonzero(fold != f)
            learned = self.fit(X[others], Y[others], None if weights is None else weights[others])
            probabilities[rows] = expit(learned.logits(X[rows]))
        return probabilities
