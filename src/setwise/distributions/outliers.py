"""Outlier scores: the probability of a given label set compared with that of plausible alternatives."""

from __future__ import annotations

from typing import Literal, get_args

import numpy as np
from scipy.special import logsumexp

from setwise.contract import Floats, Labels
from setwise.distributions.label_distribution import LabelDistribution

Against = Literal["mode", "size", "flips"]


def outlier_scores(distribution: LabelDistribution, Y: Labels, against: Against = "mode") -> Floats:
    """Log-ratio (n,) of the probability of alternative sets to that of the given sets ``Y`` (n, L).

    Parameters
    ----------
    distribution : LabelDistribution of n rows
    Y : array of shape (n, L)
    against : {"mode", "size", "flips"}
        The alternatives: the most probable set, the most probable set of the same size, or the mean over the L
        sets that differ in one label. The last is the likelihood ratio of "exactly one label was recorded wrongly"
        to "all labels are right", so no test ranks such errors better if the model is right.

    Examples
    --------
    >>> import numpy as np
    >>> from setwise.distributions import Table
    >>> sets = Table([[0, 0], [1, 0], [1, 1]], np.log([[0.5, 0.1, 0.4]]))
    >>> outlier_scores(sets, np.array([[1, 0]], dtype=np.int8), "flips").round(2)
    array([1.5])
    """
    if against not in get_args(Against):
        raise ValueError(f"against is {against!r}; expected one of {', '.join(map(repr, get_args(Against)))}")
    given = distribution.log_prob(Y)
    if against == "flips":
        other = np.asarray(logsumexp(distribution.flip_log_probs(Y), axis=1)) - np.log(Y.shape[1])
        return log_ratio(other, given)
    best = distribution.mode().log_prob if against == "mode" else _best_of_same_size(distribution, Y)
    return np.maximum(log_ratio(best, given), 0.0)


def log_ratio(other: Floats, given: Floats) -> Floats:
    """``other - given``; infinite if the given set is impossible."""
    finite = given > -np.inf
    return np.where(finite, other - np.where(finite, given, 0.0), np.inf)


def _best_of_same_size(distribution: LabelDistribution, Y: Labels) -> Floats:
    sizes = Y.sum(axis=1)
    best = np.empty(len(Y))
    for size in np.unique(sizes):
        rows = np.flatnonzero(sizes == size)
        best[rows] = distribution.take(rows).find_mode(least=int(size), most=int(size)).log_prob
    return best
