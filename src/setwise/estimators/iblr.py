"""Instance-based logistic regression: the neighbours' votes for all labels are features (IBLR-ML)."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from setwise.contract import Floats, Labels, Matrix
from setwise.decisions import Decision
from setwise.distributions import ForestMixture
from setwise.estimators.base.set_classifier import SetClassifier
from setwise.learning.counting.neighbours import NeighbourVotes, directions_pay
from setwise.learning.labels.independent import Learner
from setwise.learning.linear.row_normalization import unit_rows_pay


class IBLR(SetClassifier):
    """Logistic regression of each label on its neighbours' labels, all of them (IBLR-ML [1]_).

    Training rows are described by their neighbours without themselves, as in the paper.

    Parameters
    ----------
    k : int
        Neighbours.
    metric : str or callable
        Distance of two rows by its name, such as "euclidean", "cosine" or "manhattan", or a function of them.
    scale_features : bool
        Whether each feature is divided by its range in training for the search, as the authors' software does.
    unit_rows : "auto" or bool
        Whether rows are divided by their length instead, so that their directions are compared; ``"auto"`` tries it on
        rows mostly zero, such as words and counts, and does it if the neighbours' votes then tell training rows better;
        with Euclidean distances only, and ``with_features`` only if unit rows suit the regressions too.
    with_features : bool
        Whether the regressions see the features too (IBLR-ML+); each neighbours' vote may then say as much as all
        features together.
    l2 : "auto" or float
        Weight of the L2 penalty; ``"auto"`` chooses one per label by cross-validated log-loss.
    tol : float
        Relative accuracy of the objective.
    decision : {"subset", "hamming", "f1", "jaccard"}, rule or callable
        The loss that ``predict`` answers for.
    min_labels : "auto" or int
        The smallest set that ``predict`` answers; ``"auto"`` forbids the empty set unless it occurs in training.

    Attributes
    ----------
    coef_ : ndarray of shape (n_labels, n_labels) or (n_features + n_labels, n_labels)
        Weight of the share of neighbours with label i (rows) for label j; after those of the features, if any.
    intercept_ : ndarray of shape (n_labels,)
    l2_ : ndarray of shape (n_labels,)

    Notes
    -----
    Weights of rows count in the regressions, not among the neighbours.

    References
    ----------
    .. [1] W. Cheng and E. Huellermeier, "Combining instance-based learning and logistic regression for multilabel
       classification", Machine Learning 76, 2009; k = 10 as in section 6.1 of C. Hong, I. Batal and M. Hauskrecht,
       "A mixtures-of-trees framework for multi-label classification", CIKM 2014.

    Examples
    --------
    >>> import numpy as np
    >>> from setwise import IBLR
    >>> X = np.arange(12.0)[:, None]
    >>> Y = np.column_stack([X[:, 0] > 5, X[:, 0] <= 5]).astype(int)
    >>> IBLR(k=3, l2=1.0).fit(X, Y).predict([[0.0], [11.0]])
    array([[0, 1],
           [1, 0]])
    """

    def __init__(
        self,
        k: int = 10,
        *,
        metric: Any = "minkowski",
        scale_features: bool = True,
        unit_rows: bool | Literal["auto"] = "auto",
        with_features: bool = False,
        l2: float | Literal["auto"] = "auto",
        tol: float = 1e-8,
        decision: Decision = "subset",
        min_labels: int | Literal["auto"] = "auto",
    ) -> None:
        self.k = k
        self.metric = metric
        self.scale_features = scale_features
        self.unit_rows = unit_rows
        self.with_features = with_features
        self.l2 = l2
        self.tol = tol
        self.decision = decision
        self.min_labels = min_labels

    def _fit(self, X: Matrix, Y: Labels, weights: Floats | None) -> None:
        scale = self.scale_features and not self.unit_rows_
        self.neighbours_ = NeighbourVotes(X, Y, self.k, self.metric, scale)
        shares = self.neighbours_.training() / self.neighbours_.k
        learner = Learner(l2=self.l2, tol=self.tol)
        if self.with_features:
            self.model_ = learner.fit_linear(X, Y, weights, extra=shares)
        else:
            self.model_ = learner.fit_linear(shares, Y, weights, rows=X)
        self.coef_ = np.vstack([self.model_.scores.coef, self.model_.scores.labels])
        self.intercept_, self.l2_ = self.model_.scores.intercept, self.model_.l2

    def _unit_rows_pay(self, X: Matrix, Y: Labels, weights: Floats | None) -> bool:
        pay = directions_pay(X, Y, weights, self.k, self.metric, self.scale_features)
        return pay and (not self.with_features or unit_rows_pay(X, Y, weights, standardize=True))

    def _distribution(self, X: Matrix) -> ForestMixture:
        shares = self.neighbours_(X) / self.neighbours_.k
        logits = self.model_.logits(X, shares) if self.with_features else self.model_.logits(shares)
        return ForestMixture.independent(logits)
