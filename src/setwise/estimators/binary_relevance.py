"""Binary relevance: every label by itself."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from sklearn.base import BaseEstimator, clone

from setwise.contract import Array, Floats, Labels, Matrix
from setwise.decisions import Decision
from setwise.distributions import ForestMixture
from setwise.estimators.face import SetClassifier
from setwise.kernels.design import Design
from setwise.learning.logistic import LogisticProblems
from setwise.learning.tuning import fit_tuned


class BinaryRelevance(SetClassifier):
    """One classifier per label; the labels are independent given the features.

    P(y | x) = prod_j P(y_j | x): the forest without edges, and the baseline of all five papers.

    Parameters
    ----------
    learner : {"logistic"} or scikit-learn classifier
        ``"logistic"`` fits all labels at once; any classifier with ``predict_proba`` is cloned per label.
    l2 : "auto" or float
        Weight of the L2 penalty of the logistic learner, on standardised features; ``"auto"`` chooses one
        per label by cross-validated log-loss.
    standardize : bool
        Whether the logistic learner divides features by their scale.
    tol : float
        Relative accuracy of the logistic learner's objective.
    decision : {"subset", "hamming"} or callable
        The loss that ``predict`` answers for.
    min_labels : "auto" or int
        The smallest set that ``predict`` answers; ``"auto"`` forbids the empty set unless it occurs in training.

    Attributes
    ----------
    coef_ : ndarray of shape (n_features, n_labels)
        With the logistic learner: coefficients of the features as they came.
    intercept_ : ndarray of shape (n_labels,)
    l2_ : ndarray of shape (n_labels,)
        The penalties in use.
    learners_ : list of classifiers
        With a scikit-learn learner: the fitted clones; None where a label was constant.

    Examples
    --------
    >>> import numpy as np
    >>> from setwise import BinaryRelevance
    >>> X = np.array([[0.0], [1.0], [2.0], [3.0], [4.0], [5.0]])
    >>> Y = np.array([[0, 1], [0, 1], [0, 1], [1, 0], [1, 0], [1, 1]])
    >>> model = BinaryRelevance(l2=1.0).fit(X, Y)
    >>> model.predict([[0.0], [4.5]])
    array([[0, 1],
           [1, 0]], dtype=int8)
    """

    def __init__(
        self,
        learner: Literal["logistic"] | BaseEstimator = "logistic",
        *,
        l2: float | Literal["auto"] = "auto",
        standardize: bool = True,
        tol: float = 1e-8,
        decision: Decision = "subset",
        min_labels: int | Literal["auto"] = "auto",
    ) -> None:
        self.learner = learner
        self.l2 = l2
        self.standardize = standardize
        self.tol = tol
        self.decision = decision
        self.min_labels = min_labels

    def _fit(self, X: Matrix, Y: Labels, weights: Floats | None) -> None:
        if isinstance(self.learner, str):
            if self.learner != "logistic":
                raise ValueError(
                    f"learner {self.learner!r} is not known; use 'logistic' or a scikit-learn classifier"
                )
            self._fit_logistic(X, Y, weights)
        else:
            self.learners_ = [self._fit_label(X, y, weights) for y in Y.T]
            self.constant_ = _smoothed_logits(Y, weights)

    def _fit_logistic(self, X: Matrix, Y: Labels, weights: Floats | None) -> None:
        design = Design(X, weights=weights, standardize=self.standardize)
        problems = LogisticProblems.of(Y, weights=None if weights is None else weights[:, None])
        fit, self.l2_ = fit_tuned(design, problems, X, l2=self.l2, tol=self.tol)
        self.scores_ = design.to_features(fit.coef)
        self.coef_, self.intercept_ = self.scores_.coef, self.scores_.intercept
        self.n_iter_ = fit.n_iter

    def _fit_label(self, X: Matrix, y: Array, weights: Floats | None) -> Any:
        if y.min() == y.max():
            return None
        return clone(self.learner).fit(X, y, **({} if weights is None else {"sample_weight": weights}))

    def _distribution(self, X: Matrix) -> ForestMixture:
        if isinstance(self.learner, str):
            return ForestMixture.independent(self.scores_(X))
        logits = np.repeat(self.constant_[None], X.shape[0], axis=0)
        for j, learner in enumerate(self.learners_):
            if learner is not None:
                logits[:, j] = _logit(learner.predict_proba(X)[:, 1])
        return ForestMixture.independent(logits)


def _logit(p: Floats) -> Floats:
    """Logits of probabilities; 0 and 1 become infinite, which distributions allow."""
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(p) - np.log1p(-p))


def _smoothed_logits(Y: Labels, weights: Floats | None) -> Floats:
    """Logits of each label's share, smoothed by half a row on each side."""
    w = np.ones(len(Y)) if weights is None else weights
    positive = w @ Y
    return np.asarray(np.log(positive + 0.5) - np.log(w.sum() - positive + 0.5))
