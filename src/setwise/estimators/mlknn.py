"""ML-kNN: labels by how many of the nearest neighbours have them."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from setwise.contract import Floats, Labels, Matrix
from setwise.decisions import Decision
from setwise.distributions import ForestMixture
from setwise.estimators.base.about import About, Trial
from setwise.estimators.base.kinds.unit_rows import UnitRows
from setwise.learning.counting.neighbours import NeighbourVotes, directions_help, vote_log_odds
from setwise.printable import plain_repr


class MLkNN(UnitRows):
    """Multi-label k nearest neighbours: Bayes' rule on how many neighbours have a label [1]_.

    P(y_l | c) is proportional to P(y_l) P(c | y_l), if c of the nearest training rows have label l. Both are smoothed
    frequencies over the training rows, each counted by its neighbours without itself.

    Parameters
    ----------
    n_neighbors : int, default=10
        Number of neighbours.
    smoothing : float, default=1.0
        Number of rows added to every count.
    {metric}
    {scale_features}
    unit_rows : "auto" or bool, default="auto"
        Whether to L2-normalize rows instead, so that only their directions count. ``"auto"`` tries it with Euclidean
        distances on rows that are mostly zero, such as words and counts, and keeps it if the neighbours' votes then
        fit the training labels better.
    {decision}
    {min_labels}
    {random_state_unused}
    {verbose}

    Attributes
    ----------
    log_odds_ : ndarray of shape (n_neighbors + 1, n_labels)
        Logit of each label if 0, 1, .. neighbours have it.
    {unit_rows_}
    {label_attributes}

    Notes
    -----
    Sample weights count in the frequencies, not among the neighbours.

    References
    ----------
    .. [1] M.-L. Zhang and Z.-H. Zhou, "ML-KNN: a lazy learning approach to multi-label learning", Pattern
       Recognition 40, 2007; k = 10 as in section 6.1 of C. Hong, I. Batal and M. Hauskrecht, "A mixtures-of-trees
       framework for multi-label classification", CIKM 2014.

    Examples
    --------
    >>> import numpy as np
    >>> from setwise import MLkNN
    >>> X = np.arange(12.0)[:, None]
    >>> Y = np.column_stack([X[:, 0] > 5, X[:, 0] <= 5]).astype(int)
    >>> MLkNN(n_neighbors=3).fit(X, Y).predict([[0.0], [11.0]])
    array([[0, 1],
           [1, 0]])
    """

    about = About(
        short="mlknn",
        suits="similar rows have similar labels: few, meaningful features, or text",
        joint="independent labels",
        cost=0.9,
        trials=(Trial(1),),
    )

    def __init__(
        self,
        n_neighbors: int = 10,
        *,
        smoothing: float = 1.0,
        metric: Any = "minkowski",
        scale_features: bool = True,
        unit_rows: bool | Literal["auto"] = "auto",
        decision: Decision = "subset",
        min_labels: int | Literal["auto"] = "auto",
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        self.n_neighbors = n_neighbors
        self.smoothing = smoothing
        self.metric = metric
        self.scale_features = scale_features
        self.unit_rows = unit_rows
        self.decision = decision
        self.min_labels = min_labels
        self.random_state = random_state
        self.verbose = verbose

    def _fit(self, X: Matrix, Y: Labels, weights: Floats | None) -> None:
        if not self.smoothing > 0:
            raise ValueError(f"smoothing is {plain_repr(self.smoothing)}; expected a positive number")
        neighbours = NeighbourVotes(
            X, Y, self.n_neighbors, self.metric, self.scale_features and not self.unit_rows_
        )
        weights = np.ones(len(Y)) if weights is None else weights
        self.log_odds_ = vote_log_odds(neighbours.training(), Y, weights, neighbours.k, self.smoothing)
        self.neighbours_ = neighbours

    def _prefers_unit_rows(self, X: Matrix, Y: Labels, weights: Floats | None) -> bool:
        return directions_help(X, Y, weights, self.n_neighbors, self.metric, self.scale_features)

    def _distribution(self, X: Matrix) -> ForestMixture:
        votes = self.neighbours_(X).astype(np.int64)
        return ForestMixture.independent(self.log_odds_[votes, np.arange(self.n_labels_)])
