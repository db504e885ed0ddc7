"""Label sets as classes: one multi-class classifier over the sets seen in training."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import log_softmax

from setwise.contract import Array, Floats, Labels, Matrix
from setwise.learning.by_content.folds import row_folds
from setwise.learning.by_content.sample import sample_cells
from setwise.learning.labels.classifiers import fit_weighted
from setwise.learning.linear.design import Design
from setwise.learning.linear.penalties import TRIAL_CELLS
from setwise.learning.linear.scores import LinearScores
from setwise.learning.linear.softmax import choose_softmax_l2, fit_softmaxes

MAX_BITS = 62
"""Up to this many labels a set is counted as one integer."""


@dataclass(frozen=True)
class SetCounts:
    """The distinct sets (m, L) of training rows, the number of each row's set (n,), and their weights (m,)."""

    sets: Labels
    which: Array
    counts: Floats

    @classmethod
    def of(cls, Y: Labels, weights: Floats | None) -> SetCounts:
        """Count the rows of Y (n, L)."""
        if Y.shape[1] > MAX_BITS:
            sets, which = np.unique(Y, axis=0, return_inverse=True)
        else:
            numbers = Y.astype(np.int64) @ (1 << np.arange(Y.shape[1], dtype=np.int64)[::-1])
            _, examples, which = np.unique(numbers, return_index=True, return_inverse=True)
            sets = Y[examples]
        which = which.ravel()
        return cls(sets, which, np.bincount(which, weights, minlength=len(sets)).astype(np.float64))


@dataclass(frozen=True)
class LinearSets:
    """Softmax regression over sets, with its penalty ``l2``."""

    scores: LinearScores
    l2: float

    def log_probs(self, X: Matrix) -> Floats:
        """Compute the log-probability (n, m) of each set in each row."""
        return np.asarray(log_softmax(self.scores(X), axis=1))


@dataclass(frozen=True)
class ClassifierSets:
    """Any multi-class classifier over the m sets; None if there is a single set, which is certain."""

    classifier: Any

    def log_probs(self, X: Matrix) -> Floats:
        """Compute the log-probability (n, m) of each set; without ``predict_proba``, by softmax of the decisions."""
        if self.classifier is None:
            return np.zeros((X.shape[0], 1))
        if hasattr(self.classifier, "predict_proba"):
            p = np.asarray(self.classifier.predict_proba(X), dtype=np.float64)
            with np.errstate(divide="ignore"):
                return np.asarray(np.log(p / p.sum(axis=1, keepdims=True)))
        decisions = np.asarray(self.classifier.decision_function(X), dtype=np.float64)
        if decisions.ndim == 1:
            decisions = np.stack([np.zeros(len(decisions)), decisions], axis=1)
        return np.asarray(log_softmax(decisions, axis=1))


def fit_classifier_sets(learner: Any, X: Matrix, counts: SetCounts, weights: Floats | None) -> ClassifierSets:
    """Fit a clone of a multi-class ``learner`` to the sets' numbers."""
    single = len(counts.sets) == 1
    return ClassifierSets(None if single else fit_weighted(learner, X, counts.which, weights))


def fit_linear_sets(
    design: Design,
    X: Matrix,
    counts: Sequence[SetCounts],
    weights: Floats | None,
    l2: float | str,
    tol: float,
) -> list[LinearSets]:
    """Fit a softmax regression to the sets' numbers for each of the counts, all at once.

    Parameters
    ----------
    design : Design
    X : array or CSR of shape (n, d)
    counts : sequence of SetCounts
    weights : ndarray of shape (n,) or None
    l2 : float or "auto"
        "auto" chooses the penalty by the held-out loss of the first regression, for all; data with very many sets are
        sampled for that.
    tol : float

    Returns
    -------
    list of LinearSets
    """
    targets = [_targets(count, weights) for count in counts]
    starts: list[Floats | None] = [None] * len(targets)
    if l2 == "auto":
        penalty, starts[0] = _choose_l2(design, X, counts[0], targets[0])
    else:
        penalty = float(l2)
    fits = fit_softmaxes(design, targets, starts, l2=penalty, tol=tol)
    return [LinearSets(design.to_features(fit.coef), penalty) for fit in fits]


def _choose_l2(design: Design, X: Matrix, counts: SetCounts, targets: Floats) -> tuple[float, Floats | None]:
    """Choose the penalty; also return coefficients to start the final fit from."""
    rows = sample_cells(X, counts.which, TRIAL_CELLS)
    if len(rows) == len(targets):
        choice = choose_softmax_l2(design, targets, row_folds(X))
        return float(choice.l2[0]), choice.start
    present = np.unique(counts.which[rows])
    choice = choose_softmax_l2(design.take(rows), targets[np.ix_(rows, present)], row_folds(X[rows]))
    return float(choice.l2[0]), None


def _targets(counts: SetCounts, weights: Floats | None) -> Floats:
    targets = np.zeros((len(counts.which), len(counts.sets)))
    targets[np.arange(len(targets)), counts.which] = 1.0 if weights is None else weights
    return targets
