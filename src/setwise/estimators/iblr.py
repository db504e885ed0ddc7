"""Instance-based logistic regression: the neighbours' labels are features (IBLR-ML)."""

from __future__ import annotations

from typing import Any, Literal

from setwise.contract import Floats, Labels, Matrix
from setwise.decisions import Decision
from setwise.distributions import ForestMixture
from setwise.estimators.base.about import About
from setwise.estimators.base.kinds.linear import LinearInFeatures
from setwise.estimators.base.kinds.unit_rows import UnitRows
from setwise.learning.counting.neighbours import NeighbourVotes, directions_help
from setwise.learning.labels.independent import Learner
from setwise.learning.linear.row_normalization import unit_rows_help
from setwise.learning.linear.scores import LinearScores


class IBLR(LinearInFeatures, UnitRows):
    """Logistic regression of each label on the labels of the nearest neighbours (IBLR-ML [1]_).

    The shares of neighbours that have each label are the features of the regressions. Training rows are described by
    their neighbours without themselves, as in the paper.

    Parameters
    ----------
    n_neighbors : int, default=10
        Number of neighbours.
    {metric}
    {scale_features}
    unit_rows : "auto" or bool, default="auto"
        Whether to L2-normalize rows instead, so that only their directions count. ``"auto"`` tries it with Euclidean
        distances on rows that are mostly zero, such as words and counts, and keeps it if the neighbours' votes then
        fit the training labels better. Using ``with_features``, the held-out loss of the regressions must fall too.
    with_features : bool, default=False
        Whether the regressions see the features too (IBLR-ML+).
    l2 : "auto" or float, default="auto"
        Strength of the L2 penalty. ``"auto"`` chooses one per label by cross-validated log-loss.
    {tol}
    {decision}
    {min_labels}
    {random_state_unused}
    {verbose}

    Attributes
    ----------
    vote_coef_ : ndarray of shape (n_labels, n_labels)
        ``vote_coef_[i, j]`` is the weight of the share of neighbours with label j for label i.
    coef_ : ndarray of shape (n_labels, n_features)
        Coefficients of the features, if ``with_features``.
    intercept_ : ndarray of shape (n_labels,)
        Intercepts of the regressions.
    l2_ : ndarray of shape (n_labels,)
        Penalties.
    {unit_rows_}
    {label_attributes}

    Notes
    -----
    Sample weights count in the regressions, not among the neighbours.

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
    >>> IBLR(n_neighbors=3, l2=1.0).fit(X, Y).predict([[0.0], [11.0]])
    array([[0, 1],
           [1, 0]])
    """

    about = About(
        short="iblr",
        suits="as MLkNN, if labels depend on the neighbours' other labels",
        joint="independent labels",
        cost=1.4,
    )

    def __init__(
        self,
        n_neighbors: int = 10,
        *,
        metric: Any = "minkowski",
        scale_features: bool = True,
        unit_rows: bool | Literal["auto"] = "auto",
        with_features: bool = False,
        l2: float | Literal["auto"] = "auto",
        tol: float = 1e-8,
        decision: Decision = "subset",
        min_labels: int | Literal["auto"] = "auto",
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        self.n_neighbors = n_neighbors
        self.metric = metric
        self.scale_features = scale_features
        self.unit_rows = unit_rows
        self.with_features = with_features
        self.l2 = l2
        self.tol = tol
        self.decision = decision
        self.min_labels = min_labels
        self.random_state = random_state
        self.verbose = verbose

    def _fit(self, X: Matrix, Y: Labels, weights: Floats | None) -> None:
        scale = self.scale_features and not self.unit_rows_
        self.neighbours_ = NeighbourVotes(X, Y, self.n_neighbors, self.metric, scale)
        shares = self.neighbours_.training() / self.neighbours_.k
        learner = Learner(l2=self.l2, tol=self.tol)
        if self.with_features:
            self.model_ = learner.fit_linear(X, Y, weights, extra=shares)
        else:
            self.model_ = learner.fit_linear(shares, Y, weights, rows=X)
        self.l2_ = self.model_.l2

    def _label_scores(self) -> LinearScores:
        return self.model_.scores

    @property
    def vote_coef_(self) -> Floats:
        """Weights of the neighbours' labels for each label, of shape (n_labels, n_labels)."""
        scores = self._label_scores()
        return (scores.labels if self.with_features else scores.coef).T

    @property
    def coef_(self) -> Floats:
        """Coefficients of the features for each label, of shape (n_labels, n_features)."""
        if not self.with_features:
            raise AttributeError("coef_ needs with_features=True; vote_coef_ weighs the neighbours' labels")
        return super().coef_

    def _prefers_unit_rows(self, X: Matrix, Y: Labels, weights: Floats | None) -> bool:
        pay = directions_help(X, Y, weights, self.n_neighbors, self.metric, self.scale_features)
        return pay and (not self.with_features or unit_rows_help(X, Y, weights, standardize=True))

    def _distribution(self, X: Matrix) -> ForestMixture:
        shares = self.neighbours_(X) / self.neighbours_.k
        logits = self.model_.logits(X, shares) if self.with_features else self.model_.logits(shares)
        return ForestMixture.independent(logits)
