"""AdaBoost.MH: boosted stumps that vote on all labels at once."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from setwise.contract import Floats, Labels, Matrix
from setwise.decisions import Decision
from setwise.distributions import ForestMixture
from setwise.estimators.base.about import About
from setwise.estimators.base.set_classifier import SetClassifier
from setwise.learning.by_content.folds import row_folds
from setwise.learning.trees.stumps import Stumps, boost_stumps

MOST_ROUNDS = 300
"""Largest number of rounds that "auto" tries."""


class AdaBoostMH(SetClassifier):
    """Boosted stumps: each splits the rows at a value of one feature and votes for or against every label [1]_.

    The sum of the votes is half the log-odds of a label [2]_; given the features, labels are independent. Only the
    order of a feature's values matters.

    Parameters
    ----------
    n_rounds : "auto" or int, default="auto"
        Number of stumps. ``"auto"`` takes at most 300, as many as give a third of the rows, held out, the largest
        likelihood.
    {decision}
    {min_labels}
    {random_state_unused}
    {verbose}

    Attributes
    ----------
    n_rounds_ : int
        Number of stumps.
    stumps_ : Stumps
        Features, thresholds and votes.
    {label_attributes}

    References
    ----------
    .. [1] R. Schapire and Y. Singer, "BoosTexter: a boosting-based system for text categorization", Machine Learning
       39, 2000.
    .. [2] J. Friedman, T. Hastie and R. Tibshirani, "Additive logistic regression: a statistical view of boosting",
       Annals of Statistics 28, 2000.

    Examples
    --------
    >>> import numpy as np
    >>> from setwise import AdaBoostMH
    >>> X = np.random.default_rng(0).normal(size=(200, 2))
    >>> Y = np.column_stack([X[:, 0] > 0, X[:, 0] <= 0, X[:, 1] > 0]).astype(int)
    >>> AdaBoostMH(20).fit(X, Y).predict([[2.0, 2.0], [-2.0, -2.0]])
    array([[1, 0, 1],
           [0, 1, 0]])
    """

    about = About(
        short="adaboost",
        suits="features whose order matters, not their scale",
        joint="independent labels",
        cost=20,
    )

    def __init__(
        self,
        n_rounds: int | Literal["auto"] = "auto",
        *,
        decision: Decision = "subset",
        min_labels: int | Literal["auto"] = "auto",
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        self.n_rounds = n_rounds
        self.decision = decision
        self.min_labels = min_labels
        self.random_state = random_state
        self.verbose = verbose

    def _fit(self, X: Matrix, Y: Labels, weights: Floats | None) -> None:
        own = np.ones(len(Y)) if weights is None else weights
        n_rounds = _best_rounds(X, Y, own) if self.n_rounds == "auto" else int(self.n_rounds)
        self.stumps_ = boost_stumps(X, Y, own, n_rounds)

    @property
    def n_rounds_(self) -> int:
        """Number of stumps."""
        return len(self.stumps_.feature)

    def _distribution(self, X: Matrix) -> ForestMixture:
        return ForestMixture.independent(2.0 * self.stumps_.scores(X))


def _best_rounds(X: Matrix, Y: Labels, weights: Floats) -> int:
    """Find the number of rounds with the smallest log-loss of the rows of one fold."""
    fold = row_folds(X)
    if fold is None:
        return MOST_ROUNDS // 10
    inside, outside = np.flatnonzero(fold != 0), np.flatnonzero(fold == 0)
    stumps = boost_stumps(X[inside], Y[inside], weights[inside], MOST_ROUNDS)
    return _least_loss(stumps, X[outside], Y[outside], weights[outside])


def _least_loss(stumps: Stumps, X: Matrix, Y: Labels, weights: Floats) -> int:
    scores, losses = np.zeros(Y.shape), []
    for stump in zip(stumps.feature[:, None], stumps.threshold[:, None], stumps.values[:, None]):
        scores += Stumps(*stump).scores(X)
        losses.append(weights @ np.logaddexp(0.0, np.where(Y == 1, -2.0, 2.0) * scores).sum(axis=1))
    return int(np.argmin(losses)) + 1
