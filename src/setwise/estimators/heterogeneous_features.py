"""Classification with heterogeneous features: what other labels look like is a feature (CHF, SVM-HF)."""

from __future__ import annotations

from typing import Literal

from scipy.special import expit
from sklearn.base import BaseEstimator

from setwise.contract import Floats, Labels, Matrix
from setwise.decisions import Decision
from setwise.distributions import ForestMixture
from setwise.estimators.base.linear import LearnerClassifier
from setwise.learning.labels.independent import Learner


class HeterogeneousFeatures(LearnerClassifier):
    """Two layers of binary relevance: the second also sees the first one's probabilities of all labels.

    With logistic learners this is CHF, with support vector machines SVM-HF [1]_. The second layer is trained on
    out-of-fold probabilities: those of rows the first layer was fitted to would be too good.
    A label that is not known in some rows of training (-1 or NaN) is learned from the others, in both layers.

    Parameters
    ----------
    learner : {"logistic"} or scikit-learn classifier
        Of both layers; as in :class:`BinaryRelevance`.
    n_folds : int
        Folds of the first layer's probabilities.
    l2 : "auto" or float
        Weight of the L2 penalty of the logistic learner; ``"auto"`` chooses one per label by cross-validation.
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
    first_ : layer that sees the features
        ``first_.logits(X)`` are logits (n, n_labels); with the logistic learner ``first_.l2`` (n_labels,) are the
        penalties in use.
    second_ : layer that sees the features and the first layer's probabilities
        As ``first_``, with ``second_.logits(X, probabilities)``.

    References
    ----------
    .. [1] S. Godbole and S. Sarawagi, "Discriminative methods for multi-labeled classification", PAKDD 2004; as in
       section 4 of Y. Guo and S. Gu, "Multi-label classification using conditional dependency networks", IJCAI 2011.

    Examples
    --------
    >>> import numpy as np
    >>> from setwise import HeterogeneousFeatures
    >>> X = np.arange(60.0)[:, None]
    >>> Y = np.column_stack([X[:, 0] > 30, X[:, 0] <= 30]).astype(int)
    >>> HeterogeneousFeatures(l2=1.0).fit(X, Y).predict([[0.0], [59.0]])
    array([[0, 1],
           [1, 0]])
    """

    takes_missing_labels = True

    def __init__(
        self,
        learner: Literal["logistic"] | BaseEstimator = "logistic",
        *,
        n_folds: int = 5,
        l2: float | Literal["auto"] = "auto",
        standardize: bool = True,
        unit_rows: bool | Literal["auto"] = "auto",
        tol: float = 1e-8,
        decision: Decision = "subset",
        min_labels: int | Literal["auto"] = "auto",
    ) -> None:
        self.learner = learner
        self.n_folds = n_folds
        self.l2 = l2
        self.standardize = standardize
        self.unit_rows = unit_rows
        self.tol = tol
        self.decision = decision
        self.min_labels = min_labels

    def _fit(self, X: Matrix, Y: Labels, weights: Floats | None) -> None:
        learner = Learner(self.learner, self.l2, self.standardize, self.tol)
        self.first_ = learner.fit(X, Y, weights)
        probabilities = learner.out_of_fold(X, Y, weights, self.n_folds)
        self.second_ = learner.fit(X, Y, weights, extra=probabilities)

    def _distribution(self, X: Matrix) -> ForestMixture:
        return ForestMixture.independent(self.second_.logits(X, expit(self.first_.logits(X))))
