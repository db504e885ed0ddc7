"""RankSVM: a large-margin ranking of the labels, cut at a predicted threshold."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from setwise.contract import Array, Floats, Labels, Matrix
from setwise.decisions import Decision
from setwise.distributions import ForestMixture
from setwise.estimators.base.about import About
from setwise.estimators.base.kinds.linear import LinearInFeatures
from setwise.estimators.base.set_classifier import SetClassifier
from setwise.learning.by_content.folds import row_folds
from setwise.learning.labels.slope import fit_slope
from setwise.learning.linear.design import Design
from setwise.learning.linear.ranking import (
    GRID,
    best_thresholds,
    fit_ranking,
    held_out_scores,
    ranking_loss,
)
from setwise.learning.linear.scores import LinearScores
from setwise.learning.progress.monitor import current_monitor


class RankSVM(LinearInFeatures, SetClassifier):
    """Rank the labels with a large margin, and cut the ranking at a threshold learned from the scores (RankSVM).

    Linear scores put the labels of a row before all others. The size of the set comes from a second model: the best
    threshold of each training row is regressed on its scores. ``predict`` answers the labels above the threshold. The
    method defines no joint: for probabilities, the distance from the threshold times one fitted number serves as the
    logit of a label, and labels are independent.

    Parameters
    ----------
    C : "auto" or float, default="auto"
        Weight of the ranking errors against the L2 penalty, on standardized rows of mean squared length one.
        ``"auto"`` chooses by cross-validated ranking loss.
    {standardize}
    {decision}
    {min_labels}
    {random_state_unused}
    {verbose}

    Attributes
    ----------
    coef_ : ndarray of shape (n_labels, n_features)
        Coefficients of the ranking scores.
    intercept_ : ndarray of shape (n_labels,)
        Intercepts of the ranking scores.
    threshold_coef_ : ndarray of shape (n_labels,)
        Coefficients of the scores in the threshold.
    threshold_intercept_ : float
        Intercept of the threshold.
    slope_ : float
        Logit for a distance of one from the threshold.
    C_ : float
        Value of ``C`` in use.
    {label_attributes}

    References
    ----------
    A. Elisseeff and J. Weston, "A kernel method for multi-labelled classification", NIPS 2001; as in section 5 of
    Y. Guo and S. Gu, "Multi-label classification using conditional dependency networks", IJCAI 2011. The loss is the
    squared hinge instead of the hinge, and kernels are left out.

    Examples
    --------
    >>> import numpy as np
    >>> from setwise import RankSVM
    >>> X = np.random.default_rng(0).normal(size=(200, 2))
    >>> Y = np.column_stack([X[:, 0] > 0, X[:, 0] <= 0, X[:, 1] > 0]).astype(int)
    >>> RankSVM(C=10.0).fit(X, Y).predict([[2.0, 2.0], [-2.0, -2.0]])
    array([[1, 0, 1],
           [0, 1, 0]])
    """

    about = About(
        short="ranksvm",
        suits="the order of the labels matters more than the set",
        joint="independent labels",
        cost=20,
    )

    def __init__(
        self,
        C: float | Literal["auto"] = "auto",
        *,
        standardize: bool = True,
        decision: Decision = "subset",
        min_labels: int | Literal["auto"] = "auto",
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        self.C = C
        self.standardize = standardize
        self.decision = decision
        self.min_labels = min_labels
        self.random_state = random_state
        self.verbose = verbose

    def _fit(self, X: Matrix, Y: Labels, weights: Floats | None) -> None:
        design = Design(X, weights=weights, standardize=self.standardize)
        own, fold = np.ones(len(Y)) if weights is None else weights, row_folds(X)
        self.C_ = self._choose_C(design, Y, own, fold)
        coef = fit_ranking(design, Y, own, self.C_)
        self.scores_ = design.to_features(coef)
        scores = np.asarray(design.scores(coef), dtype=np.float64)
        self.threshold_coef_, self.threshold_intercept_ = _fit_threshold(scores, Y, own)
        unseen = scores if fold is None else held_out_scores(design, Y, own, fold, self.C_)
        self.slope_ = fit_slope(self._margins(unseen), Y, own)

    def _choose_C(self, design: Design, Y: Labels, weights: Floats, fold: Array | None) -> float:
        if self.C != "auto":
            return float(self.C)
        if fold is None:
            return 1.0
        losses = {
            C: ranking_loss(held_out_scores(design, Y, weights, fold, C), Y, weights)
            for C in current_monitor().steps("values of C", GRID)
        }
        return min(losses, key=lambda C: losses[C])

    def _margins(self, scores: Floats) -> Floats:
        """Distances (n, L) of the scores from the predicted threshold."""
        return scores - (scores @ self.threshold_coef_ + self.threshold_intercept_)[:, None]

    def _label_scores(self) -> LinearScores:
        return self.scores_

    def _distribution(self, X: Matrix) -> ForestMixture:
        return ForestMixture.independent(self.slope_ * self._margins(np.asarray(self.scores_(X), np.float64)))


def _fit_threshold(scores: Floats, Y: Labels, weights: Floats) -> tuple[Floats, float]:
    """Regress the best threshold of each row on its scores, by least squares of the smallest norm."""
    root = np.sqrt(weights)
    columns = np.column_stack([scores, np.ones(len(scores))]) * root[:, None]
    found = np.linalg.lstsq(columns, root * best_thresholds(scores, Y), rcond=1e-10)[0]
    return found[:-1], float(found[-1])
