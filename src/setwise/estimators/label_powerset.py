"""Label powerset: every label set of the training rows is a class."""

from __future__ import annotations

from typing import Literal

import numpy as np
from sklearn.base import BaseEstimator

from setwise.contract import Floats, Labels, Matrix
from setwise.decisions import Decision
from setwise.distributions import ForestMixture, LabelDistribution, Mixture, Table
from setwise.estimators.base.linear import LearnerClassifier
from setwise.learning.labels.classifiers import check_learner
from setwise.learning.labels.independent import Learner
from setwise.learning.labels.powerset import (
    ClassifierSets,
    LinearSets,
    SetCounts,
    fit_classifier_sets,
    fit_linear_sets,
)
from setwise.learning.linear.design import Design


class LabelPowerset(LearnerClassifier):
    """One multi-class classifier over the label sets seen in training (LP, PowSet).

    A set that was never seen would be impossible; a share ``backoff`` of the probability therefore goes to
    independent labels, so that every set has a finite log-probability.

    Parameters
    ----------
    learner : {"logistic"} or scikit-learn classifier
        ``"logistic"`` is softmax regression; any multi-class classifier is cloned.
    min_count : int
        Sets of fewer training rows are pruned, and their rows left out; nothing is pruned if none would stay.
    backoff : "auto" or float
        Probability of independent labels; ``"auto"`` is the share of training rows whose set occurs once, which
        estimates how often a new row's set was never seen (Good and Turing). 0 leaves unseen sets impossible.
    l2 : "auto" or float
        Weight of the L2 penalty of the logistic learner; ``"auto"`` chooses it by cross-validated log-loss,
        of some of the rows where there are very many distinct sets.
    standardize : bool
        Whether the logistic learner divides features by their scale.
    unit_rows : "auto" or bool
        Whether rows are first divided by their length; ``"auto"`` tries it on rows of counts, mostly zero, where
        ``l2`` is chosen too, and does it if held-out rows are told better.
    tol : float
        Relative accuracy of the logistic learner's objective.
    decision : {"subset", "hamming", "f1", "jaccard"}, rule or callable
        The loss that ``predict`` answers for.
    min_labels : "auto" or int
        The smallest set that ``predict`` answers; ``"auto"`` forbids the empty set unless it occurs in training.

    Attributes
    ----------
    sets_ : ndarray of shape (n_sets, n_labels)
    backoff_ : float
    l2_ : float
        With the logistic learner: the penalty in use.

    References
    ----------
    .. [1] G. Tsoumakas and I. Katakis, "Multi-label classification: an overview", International Journal of Data
       Warehousing and Mining 3, 2007; as in section 1 of C. Li, B. Wang, V. Pavlu and J. Aslam, "Conditional
       Bernoulli mixtures for multi-label classification", ICML 2016.
    .. [2] J. Read, B. Pfahringer and G. Holmes, "Multi-label classification using ensembles of pruned sets",
       ICDM 2008.

    Examples
    --------
    >>> import numpy as np
    >>> from setwise import LabelPowerset
    >>> X = np.array([[0.0], [1.0], [2.0], [3.0], [4.0], [5.0]])
    >>> Y = np.array([[0, 1], [0, 1], [0, 1], [1, 0], [1, 0], [1, 0]])
    >>> model = LabelPowerset(l2=1.0).fit(X, Y)
    >>> model.predict([[0.0], [5.0]])
    array([[0, 1],
           [1, 0]])
    >>> bool(np.isfinite(model.log_prob([[0.0]], [[1, 1]]))[0])
    True
    """

    def __init__(
        self,
        learner: Literal["logistic"] | BaseEstimator = "logistic",
        *,
        min_count: int = 1,
        backoff: float | Literal["auto"] = "auto",
        l2: float | Literal["auto"] = "auto",
        standardize: bool = True,
        unit_rows: bool | Literal["auto"] = "auto",
        tol: float = 1e-8,
        decision: Decision = "subset",
        min_labels: int | Literal["auto"] = "auto",
    ) -> None:
        self.learner = learner
        self.min_count = min_count
        self.backoff = backoff
        self.l2 = l2
        self.standardize = standardize
        self.unit_rows = unit_rows
        self.tol = tol
        self.decision = decision
        self.min_labels = min_labels

    def _fit(self, X: Matrix, Y: Labels, weights: Floats | None) -> None:
        counts = SetCounts.of(Y, weights)
        self.backoff_ = self._share_unseen(counts)
        if self.backoff_ > 0:
            learner = self.learner if hasattr(self.learner, "predict_proba") else "logistic"
            independent = Learner(learner, self.l2, self.standardize, self.tol)
            self.independent_ = independent.fit(X, Y, weights)
        frequent = (counts.counts >= self.min_count)[counts.which]
        if frequent.any() and not frequent.all():
            X, Y = X[frequent], Y[frequent]
            weights = None if weights is None else weights[frequent]
            counts = SetCounts.of(Y, weights)
        self.sets_ = counts.sets
        self.model_ = self._fit_sets(X, counts, weights)

    def _fit_sets(self, X: Matrix, counts: SetCounts, weights: Floats | None) -> LinearSets | ClassifierSets:
        if not check_learner(self.learner):
            return fit_classifier_sets(self.learner, X, counts, weights)
        design = Design(X, weights=weights, standardize=self.standardize)
        model = fit_linear_sets(design, X, [counts], weights, self.l2, self.tol)[0]
        self.l2_ = model.l2
        return model

    def _share_unseen(self, counts: SetCounts) -> float:
        if self.backoff != "auto":
            return float(self.backoff)
        total = counts.counts.sum()
        once = counts.counts[counts.counts <= 1].sum()
        return float(np.clip((once + 0.5) / (total + 1.0), 0.0, 0.5))

    def _distribution(self, X: Matrix) -> LabelDistribution:
        table = Table(self.sets_, self.model_.log_probs(X))
        if not self.backoff_:
            return table
        gate = np.tile(np.log([1.0 - self.backoff_, self.backoff_]), (X.shape[0], 1))
        return Mixture(gate, [table, ForestMixture.independent(self.independent_.logits(X))])

    def _cells_per_row(self) -> int:
        return len(self.sets_) + self.n_labels_
