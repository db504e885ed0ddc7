"""The labels of nearest neighbours.

Features are measured in units of their ranges, as in the authors' software, or, for counts, by the direction of a row
alone. Which is better depends on the data (exact match of ML-kNN on two folds of 4000 rows, by ranges and by
directions: .084 and .170 on bibtex, .213 and .347 on yahoo_arts, .286 and .232 on slashdot), so the neighbours' votes
for training rows decide.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from setwise.blocks import row_slices
from setwise.contract import Array, Floats, Labels, Matrix
from setwise.kernels.matrices import column_extremes, divide_columns, sorted_rows, unit_rows
from setwise.kernels.nearest import EUCLIDEAN, check_metric, nearest_rows
from setwise.learning.by_content.keys import example_keys
from setwise.learning.by_content.sample import sample_rows
from setwise.learning.linear.row_normalization import TRIAL_ROWS, mostly_zero

HUGE = 1e15
"""Features beyond this are scaled, or their squares would overflow."""


class NeighbourVotes:
    """Counts of the k nearest training rows that have each label.

    Parameters
    ----------
    X : array or CSR of shape (n, d)
    Y : ndarray of shape (n, L)
    k : int
        Number of neighbours, at most the number of other rows.
    metric : str or callable
        A distance by its name (``METRICS``), or a function of two rows.
    scale : bool
        Whether each feature is divided by its range first.
    """

    def __init__(self, X: Matrix, Y: Labels, k: int, metric: Any, scale: bool) -> None:
        self.k = min(k, max(1, X.shape[0] - 1))
        # The first of equally near rows are taken; their order follows from their content.
        self.order = np.argsort(example_keys(X, Y), kind="stable")
        self.Y = Y[self.order]
        self.divisors = _ranges(X) if scale else _overflow_guard(X)
        check_metric(metric)
        self.metric, self.rows = metric, sorted_rows(self._scale(X[self.order]))

    def training(self) -> Floats:
        """Count the votes (n, L) of each training row's neighbours without itself."""
        if len(self.Y) == 1:
            return np.zeros(self.Y.shape)
        votes = np.empty(self.Y.shape)
        votes[self.order] = self._count(nearest_rows(self.rows, self.rows, self.k, self.metric, others=True))
        return votes

    def __call__(self, X: Matrix) -> Floats:
        """Count the votes (n, L) of the neighbours of new rows."""
        return self._count(nearest_rows(self._scale(X), self.rows, self.k, self.metric))

    def _scale(self, X: Matrix) -> Matrix:
        return divide_columns(X, self.divisors)

    def _count(self, neighbours: Array) -> Floats:
        votes = np.empty((len(neighbours), self.Y.shape[1]))
        for rows in row_slices(len(votes), self.k * self.Y.shape[1], cell_bytes=self.Y.itemsize):
            votes[rows] = self.Y[neighbours[rows]].sum(axis=1)
        return votes


def vote_log_odds(votes: Floats, Y: Labels, weights: Floats, k: int, smoothing: float) -> Floats:
    """Estimate the logit (k + 1, L) of each label after 0..k votes for it, by smoothed frequencies."""
    seen = np.zeros((2, k + 1, Y.shape[1]))
    np.add.at(seen, (Y.astype(np.int64), votes.astype(np.int64), np.arange(Y.shape[1])), weights[:, None])
    total = seen.sum(axis=1)
    prior = np.log(smoothing + total)
    likelihood = np.log(smoothing + seen) - np.log(smoothing * (k + 1) + total)[:, None]
    return np.asarray((prior[1] - prior[0]) + likelihood[1] - likelihood[0])


def directions_help(X: Matrix, Y: Labels, weights: Floats | None, k: int, metric: Any, scale: bool) -> bool:
    """Check whether neighbours of rows of unit length predict labels better than those that ``scale`` asks for.

    Only counts are tried, by Euclidean distance. The votes for a row come from other rows, as for new rows.

    Parameters
    ----------
    X : array or CSR of shape (n, d)
    Y : ndarray of shape (n, L)
    weights : ndarray of shape (n,) or None
    k : int
    metric : str or callable
    scale : bool

    Returns
    -------
    bool

    Examples
    --------
    >>> import numpy as np
    >>> lengths, words = np.arange(1.0, 31.0)[:, None], np.tile([[3.0, 2, 0, 0, 0], [2, 3, 0, 0, 0]], (15, 1))
    >>> directions_help(lengths * words, (words[:, :2] == 3).astype(np.int8), None, 3, "minkowski", True)
    True
    """
    if metric not in EUCLIDEAN or not mostly_zero(X):
        return False
    rows = sample_rows(X, TRIAL_ROWS)
    X, Y, weights = X[rows], Y[rows], np.ones(len(rows)) if weights is None else weights[rows]
    tried = NeighbourVotes(X, Y, k, metric, scale), NeighbourVotes(unit_rows(X), Y, k, metric, False)
    plain, direction = (_log_loss(neighbours, Y, weights) for neighbours in tried)
    return direction < plain


def _log_loss(neighbours: NeighbourVotes, Y: Labels, weights: Floats) -> float:
    """Compute the weighted log-loss of the training labels after the votes of the other rows."""
    votes = neighbours.training()
    log_odds = vote_log_odds(votes, Y, weights, neighbours.k, 1.0)
    logits = log_odds[votes.astype(np.int64), np.arange(Y.shape[1])]
    return float(weights @ np.logaddexp(0.0, np.where(Y == 1, -logits, logits)).sum(axis=1))


def _ranges(X: Matrix) -> Floats:
    """Compute the range (d,) of each column; one for a constant column."""
    low, high = column_extremes(X)
    with np.errstate(over="ignore"):
        ranges = np.minimum(high - low, np.finfo(X.dtype).max)
    return np.where(ranges > 0, ranges, 1.0)


def _overflow_guard(X: Matrix) -> Floats:
    """Return ones, or one common divisor (d,) if the squares of the features would overflow."""
    low, high = column_extremes(X)
    largest = float(np.maximum(np.abs(low), np.abs(high)).max(initial=0.0))
    return np.full(X.shape[1], largest if largest > HUGE else 1.0)
