"""Binary relevance: one classifier per label."""

from __future__ import annotations

from collections.abc import Mapping
from copy import copy
from dataclasses import replace
from typing import Any, Literal, Self

from sklearn.base import BaseEstimator

from setwise.contract import Floats, Labels, Matrix
from setwise.decisions import Decision
from setwise.distributions import ForestMixture
from setwise.estimators.base.about import About, Trial
from setwise.estimators.base.kinds.label_weighted import LabelWeighted
from setwise.estimators.base.kinds.linear import LearnerClassifier, LinearInFeatures
from setwise.explanations.scored import Scored
from setwise.learning.labels.independent import Learner, LinearLabels
from setwise.learning.linear.scores import LinearScores


class BinaryRelevance(LabelWeighted, LinearInFeatures, LearnerClassifier):
    """One classifier per label, with labels independent given the features.

    P(y | x) = prod_j P(y_j | x): the forest without edges, and the baseline of all five papers. A label that is
    missing in some training rows (-1 or NaN) is learned from the other rows.

    Parameters
    ----------
    learner : "logistic" or classifier, default="logistic"
        ``"logistic"`` fits all labels at once. A scikit-learn classifier is cloned for each label; without
        ``predict_proba``, its decision function serves as the logit.
    {l2}
    {class_weight}
    {standardize}
    {unit_rows}
    {tol}
    {decision}
    {min_labels}
    {random_state_of_learner}
    {verbose}

    Attributes
    ----------
    coef_ : ndarray of shape (n_labels, n_features)
        Coefficients of the logistic learner, in the units of the features (of normalized rows if ``unit_rows_``).
    intercept_ : ndarray of shape (n_labels,)
        Intercepts of the logistic learner.
    l2_ : ndarray of shape (n_labels,)
        Penalties of the logistic learner.
    learners_ : list of classifiers
        Fitted clones of a scikit-learn learner; None for a label that was constant.
    {weight_shift_}
    {unit_rows_}
    {label_attributes}

    References
    ----------
    M. R. Boutell, J. Luo, X. Shen and C. M. Brown, "Learning multi-label scene classification", Pattern Recognition
    37, 2004; as in section 1 of C. Li, B. Wang, V. Pavlu and J. Aslam, "Conditional Bernoulli mixtures for
    multi-label classification", ICML 2016, whose mixtures of one component are this model (section 2).

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
    about = About(
        short="br",
        suits="a baseline; labels that hardly depend on each other given x",
        joint="independent labels",
        cost=1,
        trials=(Trial(1),),
    )

    def __init__(
        self,
        learner: Literal["logistic"] | BaseEstimator = "logistic",
        *,
        l2: float | Literal["auto"] = "auto",
        class_weight: Literal["balanced"] | Mapping[Any, Any] | None = None,
        standardize: bool = True,
        unit_rows: bool | Literal["auto"] = "auto",
        tol: float = 1e-8,
        decision: Decision = "subset",
        min_labels: int | Literal["auto"] = "auto",
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        self.learner = learner
        self.l2 = l2
        self.class_weight = class_weight
        self.standardize = standardize
        self.unit_rows = unit_rows
        self.tol = tol
        self.decision = decision
        self.min_labels = min_labels
        self.random_state = random_state
        self.verbose = verbose

    def _fit(self, X: Matrix, Y: Labels, weights: Floats | None) -> None:
        learner = Learner(self._learner(), self.l2, self.standardize, self.tol)
        self.model_ = learner.fit(X, Y, weights, label_weights=self._label_weights(Y, weights))
        if isinstance(self.model_, LinearLabels):
            self.l2_ = self.model_.l2
        else:
            self.learners_ = [label.classifier for label in self.model_.labels]

    def _label_scores(self) -> LinearScores:
        if not isinstance(self.model_, LinearLabels):
            raise AttributeError("coef_ and intercept_ need learner='logistic'")
        return self.model_.scores

    def _without_shift(self, shift: Floats) -> Self:
        model = copy(self)
        assert isinstance(self.model_, LinearLabels)
        model.model_ = replace(self.model_, scores=self.model_.scores.minus(shift))
        return model

    def _scored(self) -> Scored | None:
        return self._independent_scored(self.model_)

    def _distribution(self, X: Matrix) -> ForestMixture:
        return ForestMixture.independent(self.model_.logits(X))
