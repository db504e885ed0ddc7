"""ML-kNN: how many neighbours have a label tells whether the row has it."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from setwise.contract import Floats, Labels, Matrix
from setwise.decisions import Decision
from setwise.distributions import ForestMixture
from setwise.estimators.base.set_classifier import SetClassifier
from setwise.learning.counting.neighbours import NeighbourVotes, directions_pay, vote_log_odds


class MLkNN(SetClassifier):
    """Multi-label k nearest neighbours [1]_: each label by Bayes' rule from the neighbours' votes for it.

    P(y_l | c) is proportional to P(y_l) P(c | y_l), where c of the k nearest training rows have label l; both are
    smoothed frequencies over the training rows, each judged by its neighbours without itself.

    Parameters
    ----------
    k : int
        Neighbours.
    smoothing : float
        Rows added to every count.
    metric : str or callable
        Distance of two rows by its name, such as "euclidean", "cosine" or "manhattan", or a function of them.
    scale_features : bool
        Whether each feature is divided by its range in training, as the authors' software does.
    unit_rows : "auto" or bool
        Whether rows are divided by their length instead, so that their directions are compared; ``"auto"`` tries it on
        rows mostly zero, such as words and counts, and does it if the neighbours' votes then tell training rows better;
        with Euclidean distances only.
    decision : {"subset", "hamming", "f1", "jaccard"}, rule or callable
        The loss that ``predict`` answers for.
    min_labels : "auto" or int
        The smallest set that ``predict`` answers; ``"auto"`` forbids the empty set unless it occurs in training.

    Attributes
    ----------
    log_odds_ : ndarray of shape (k + 1, n_labels)
        Logit of each label after 0..k votes for it.

    Notes
    -----
    Weights of rows count in the frequencies, not among the neighbours.

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
    >>> MLkNN(k=3).fit(X, Y).predict([[0.0], [11.0]])
    array([[0, 1],
           [1, 0]])
    """

    def __init__(
        self,
        k: int = 10,
        *,
        smoothing: float = 1.0,
        metric: Any = "minkowski",
        scale_features: bool = True,
        unit_rows: bool | Literal["auto"] = "auto",
        decision: Decision = "subset",
        min_labels: int | Literal["auto"] = "auto",
    ) -> None:
        self.k = k
        self.smoothing = smoothing
        self.metric = metric
        self.scale_features = scale_features
        self.unit_rows = unit_rows
        self.decision = decision
        self.min_labels = min_labels

    def _fit(self, X: Matrix, Y: Labels, weights: Floats | None) -> None:
        if not self.smoothing > 0:
            raise ValueError(f"smoothing is {self.smoothing!r}; expected a positive number")
        neighbours = NeighbourVotes(X, Y, self.k, self.metric, self.scale_features and not self.unit_rows_)
        weights = np.ones(len(Y)) if weights is None else weights
        self.log_odds_ = vote_log_odds(neighbours.training(), Y, weights, neighbours.k, self.smoothing)
        self.neighbours_ = neighbours

    def _unit_rows_pay(self, X: Matrix, Y: Labels, weights: Floats | None) -> bool:
        return directions_pay(X, Y, weights, self.k, self.metric, self.scale_features)

    def _distribution(self, X: Matrix) -> ForestMixture:
        votes = self.neighbours_(X).astype(np.int64)
        return ForestMixture.independent(self.log_odds_[votes, np.arange(self.n_labels_)])
