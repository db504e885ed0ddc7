"""Label powerset: every label set of the training rows is a class."""

from __future__ import annotations

from typing import Any, Literal

from sklearn.base import BaseEstimator

from setwise.contract import Floats, Labels, Matrix
from setwise.decisions import Decision
from setwise.distributions import LabelDistribution, Table
from setwise.estimators.base.about import About, Trial
from setwise.estimators.base.kinds.backoff import Backoff
from setwise.estimators.base.kinds.linear import LearnerClassifier
from setwise.explanations.scored import Scored
from setwise.explanations.sets import SetScores
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


class LabelPowerset(Backoff, LearnerClassifier):
    """One multi-class classifier over the label sets seen in training (LP, PowSet).

    A set that was never seen would be impossible. Therefore a share ``backoff`` of the probability goes to independent
    labels, so that every set has a finite log-probability.

    Parameters
    ----------
    learner : "logistic" or classifier, default="logistic"
        ``"logistic"`` is softmax regression. A multi-class classifier of scikit-learn is cloned.
    min_count : int, default=1
        Smallest number of training rows of a set. Rows with rarer sets are ignored, unless all sets are rarer.
    {backoff}
    l2 : "auto" or float, default="auto"
        Strength of the L2 penalty of the logistic learner, on standardized features. ``"auto"`` chooses by
        cross-validated log-loss, on some of the rows if there are very many distinct sets.
    {standardize}
    {unit_rows}
    {tol}
    {decision}
    {min_labels}
    {random_state_of_learner}
    {verbose}

    Attributes
    ----------
    sets_ : ndarray of shape (n_sets, n_labels)
        Label sets that are classes.
    {backoff_}
    l2_ : float
        Penalty of the logistic learner.
    {unit_rows_}
    {label_attributes}

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

    about = About(
        short="powerset",
        suits="few distinct label sets, many rows of each",
        joint="the seen sets, with a share for others",
        cost=28,
        trials=(Trial(3),),
    )

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
        random_state: Any = None,
        verbose: int = 0,
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
        self.random_state = random_state
        self.verbose = verbose

    def _fit(self, X: Matrix, Y: Labels, weights: Floats | None) -> None:
        counts = SetCounts.of(Y, weights)
        learner = self._learner() if hasattr(self.learner, "predict_proba") else "logistic"
        independent = Learner(learner, self.l2, self.standardize, self.tol)
        self._fit_backoff(independent, X, Y, weights, [counts])
        frequent = (counts.counts >= self.min_count)[counts.which]
        if frequent.any() and not frequent.all():
            X, Y = X[frequent], Y[frequent]
            weights = None if weights is None else weights[frequent]
            counts = SetCounts.of(Y, weights)
        self.sets_ = counts.sets
        self.model_ = self._fit_sets(X, counts, weights)

    def _fit_sets(self, X: Matrix, counts: SetCounts, weights: Floats | None) -> LinearSets | ClassifierSets:
        if not check_learner(self.learner):
            return fit_classifier_sets(self._learner(), X, counts, weights)
        design = Design(X, weights=weights, standardize=self.standardize)
        model = fit_linear_sets(design, X, [counts], weights, self.l2, self.tol)[0]
        self.l2_ = model.l2
        return model

    def _scored(self) -> Scored | None:
        source = self._source(self.model_.scores) if isinstance(self.model_, LinearSets) else None
        return None if source is None else self._scored_with_backoff(SetScores(source, self.sets_))

    def _distribution(self, X: Matrix) -> LabelDistribution:
        return self._backed_off(Table(self.sets_, self.model_.log_probs(X)), X)

    def _cells_per_row(self) -> int:
        return len(self.sets_) + self.n_labels_
