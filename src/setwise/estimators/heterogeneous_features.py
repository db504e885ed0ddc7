"""Classification with heterogeneous features: the probabilities of all labels are features (CHF, SVM-HF)."""

from __future__ import annotations

from typing import Any, Literal

from scipy.special import expit
from sklearn.base import BaseEstimator

from setwise.contract import Floats, Labels, Matrix
from setwise.decisions import Decision
from setwise.distributions import ForestMixture
from setwise.estimators.base.about import About
from setwise.estimators.base.kinds.linear import LearnerClassifier
from setwise.learning.labels.independent import Learner


class HeterogeneousFeatures(LearnerClassifier):
    """Two layers of binary relevance: the second layer also sees the first layer's probabilities (CHF, SVM-HF).

    With logistic learners this is CHF, with support vector machines SVM-HF [1]_. The second layer is trained on
    out-of-fold probabilities, as those of rows that the first layer has seen would be too good. A label that is
    missing in some training rows (-1 or NaN) is learned from the other rows, in both layers.

    Parameters
    ----------
    learner : "logistic" or classifier, default="logistic"
        Learner of both layers, as in :class:`BinaryRelevance`.
    n_folds : int, default=5
        Number of folds of the first layer's probabilities.
    {l2}
    {standardize}
    {unit_rows}
    {tol}
    {decision}
    {min_labels}
    {random_state_of_learner}
    {verbose}

    Attributes
    ----------
    first_ : layer that sees the features
        ``first_.logits(X)`` has shape (n, n_labels). With the logistic learner, ``first_.l2`` (n_labels,) holds the
        penalties.
    second_ : layer that sees the features and the first layer's probabilities
        As ``first_``, with ``second_.logits(X, probabilities)``.
    {unit_rows_}
    {label_attributes}

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
    about = About(
        short="chf",
        suits="better marginals than BinaryRelevance's, with any classifier",
        joint="independent labels",
        cost=8,
    )

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
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        self.learner = learner
        self.n_folds = n_folds
        self.l2 = l2
        self.standardize = standardize
        self.unit_rows = unit_rows
        self.tol = tol
        self.decision = decision
        self.min_labels = min_labels
        self.random_state = random_state
        self.verbose = verbose

    def _fit(self, X: Matrix, Y: Labels, weights: Floats | None) -> None:
        learner = Learner(self._learner(), self.l2, self.standardize, self.tol)
        self.first_ = learner.fit(X, Y, weights)
        probabilities = learner.out_of_fold(X, Y, weights, self.n_folds)
        self.second_ = learner.fit(X, Y, weights, extra=probabilities)

    def _distribution(self, X: Matrix) -> ForestMixture:
        return ForestMixture.independent(self.second_.logits(X, expit(self.first_.logits(X))))
