"""Binary relevance: every label by itself."""

from __future__ import annotations

from typing import Literal

from sklearn.base import BaseEstimator

from setwise.contract import Floats, Labels, Matrix
from setwise.decisions import Decision
from setwise.distributions import ForestMixture
from setwise.estimators.base.linear import LearnerClassifier
from setwise.learning.labels.independent import Learner, LinearLabels


class BinaryRelevance(LearnerClassifier):
    """One classifier per label; the labels are independent given the features.

    P(y | x) = prod_j P(y_j | x): the forest without edges, and the baseline of all five papers.
    A label that is not known in some rows of training (-1 or NaN) is learned from the others.

    Parameters
    ----------
    learner : {"logistic"} or scikit-learn classifier
        ``"logistic"`` fits all labels at once; any classifier is cloned per label (without ``predict_proba``
        its decision function stands for the logit).
    l2 : "auto" or float
        Weight of the L2 penalty of the logistic learner, on standardised features; ``"auto"`` chooses one
        per label by cross-validated log-loss.
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
    coef_ : ndarray of shape (n_features, n_labels)
        With the logistic learner: coefficients of the features as they came.
    intercept_ : ndarray of shape (n_labels,)
    l2_ : ndarray of shape (n_labels,)
        The penalties in use.
    learners_ : list of classifiers
        With a scikit-learn learner: the fitted clones; None where a label was constant.

    References
    ----------
    M. R. Boutell, J. Luo, X. Shen and C. M. Brown, "Learning multi-label scene classification", Pattern Recognition
    37, 2004; as in section 1 of C. Li, B. Wang, V. Pavlu and J. Aslam, "Conditional Bernoulli mixtures for
    multi-label classification", ICML 2016, whose mixtures are this where they have one component (section 2).

    Examples
    --------
    >>> import numpy as np
    >>> from setwise import BinaryRelevance
    >>> X = np.array([[0.0], [1.0], [2.0], [3.0], [4.0], [5.0]])
    >>> Y = np.array([[0, 1], [0, 1], [0, 1], [1, 0], [1, 0], [1, 1]])
    >>> model = BinaryRelevance(l2=1.0).fit(X, Y)
    >>> model.predict([[0.0], [4.5]])
    array([[0, 1],
           [1, 1]])
    """

    takes_missing_labels = True

    def __init__(
        self,
        learner: Literal["logistic"] | BaseEstimator = "logistic",
        *,
        l2: float | Literal["auto"] = "auto",
        standardize: bool = True,
        unit_rows: bool | Literal["auto"] = "auto",
        tol: float = 1e-8,
        decision: Decision = "subset",
        min_labels: int | Literal["auto"] = "auto",
    ) -> None:
        self.learner = learner
        self.l2 = l2
        self.standardize = standardize
        self.unit_rows = unit_rows
        self.tol = tol
        self.decision = decision
        self.min_labels = min_labels

    def _fit(self, X: Matrix, Y: Labels, weights: Floats | None) -> None:
        self.model_ = Learner(self.learner, self.l2, self.standardize, self.tol).fit(X, Y, weights)
        if isinstance(self.model_, LinearLabels):
            self.coef_, self.intercept_ = self.model_.scores.coef, self.model_.scores.intercept
            self.l2_ = self.model_.l2
        else:
            self.learners_ = [label.classifier for label in self.model_.labels]

    def _distribution(self, X: Matrix) -> ForestMixture:
        return ForestMixture.independent(self.model_.logits(X))
