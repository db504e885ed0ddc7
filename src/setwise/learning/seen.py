"""The share of a joint's probability that belongs to the label sets of its training rows, by rows held out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from scipy.optimize import brentq
from scipy.special import logsumexp

from setwise.contract import FREE, Bools, Floats, Labels

UNSEEN = 0.5
"""Held-out rows with a set never seen that are added: without any, all other sets would become impossible."""


class Lift(NamedTuple):
    """What held-out rows gain where all probability goes to the seen sets.

    ``factor`` (n,) is P(y | seen) / P(y): 1 / P(seen) for a seen set, else 0; ``weights`` (n,) are the rows'.
    """

    factor: Floats
    weights: Floats


def distinct_sets(Y: Labels) -> Labels:
    """The different sets (m, L) among the rows of ``Y`` (n, L) whose labels are all known."""
    return np.unique(Y[(Y != FREE).all(axis=1)], axis=0)


def is_among(Y: Labels, sets: Labels) -> Bools:
    """Whether each row of ``Y`` (n, L) is one of the ``sets`` (m, L).

    Examples
    --------
    >>> import numpy as np
    >>> is_among(np.array([[0, 1], [1, 1]], dtype=np.int8), np.array([[1, 1]], dtype=np.int8))
    array([False,  True])
    """
    known = {y.tobytes() for y in sets}
    return np.array([y.tobytes() in known for y in Y], dtype=np.bool_)


def lift(log_probs: Floats, sets: Labels, Y: Labels, weights: Floats) -> Lift:
    """The lift of held-out rows with labels ``Y`` (n, L), from the log-probabilities (n, m) of the seen ``sets``."""
    factor = np.exp(-np.asarray(logsumexp(log_probs, axis=1)))
    return Lift(np.where(is_among(Y, sets), factor, 0.0), weights)


def best_share(lifts: Sequence[Lift]) -> float:
    """The share a of the seen sets that makes held-out rows most probable: the maximum of sum w log(1 - a + a factor).

    Examples
    --------
    Sets seen in training are two of ten by the model, yet eight rows of ten have one:

    >>> import numpy as np
    >>> factor = np.repeat([5.0, 0.0], [80, 20])
    >>> round(best_share([Lift(factor, np.ones(100))]), 2)
    0.75
    """
    if not lifts:
        return 0.0
    excess = np.concatenate([part.factor for part in lifts]) - 1.0
    weights = np.concatenate([part.weights for part in lifts])

    def slope(share: float) -> float:
        return float(weights @ (excess / (1.0 + share * excess))) - UNSEEN / (1.0 - share)

    return 0.0 if slope(0.0) <= 0 else float(brentq(slope, 0.0, 1.0 - 1e-9))
