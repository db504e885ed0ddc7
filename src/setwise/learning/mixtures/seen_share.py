"""The share of a joint's probability that belongs to the label sets of its training rows, by rows held out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from scipy.optimize import brentq
from scipy.special import logsumexp

from setwise.contract import FREE, Floats, Labels
from setwise.distributions import Table

UNSEEN = 0.5
"""Held-out rows with a set never seen that are added: without any, all other sets would become impossible."""

MAX_SHARE = 1.0 - 1e-9
MAX_LOG_LIFT = 300.0
"""Far beyond what a share could still change; larger ones would overflow."""


class Lift(NamedTuple):
    """What held-out rows gain where all probability goes to the seen sets.

    ``factor`` (n,) is P(y | seen) / P(y) of the labels that are known: 1 / P(seen) for a whole set that was seen, 0
    where no seen set agrees; ``weights`` (n,) are the rows'.
    """

    factor: Floats
    weights: Floats


def distinct_sets(Y: Labels) -> Labels:
    """The different sets (m, L) among the rows of ``Y`` (n, L) whose labels are all known."""
    return np.unique(Y[(Y != FREE).all(axis=1)], axis=0)


def lift(log_probs: Floats, sets: Labels, log_prob: Floats, Y: Labels, weights: Floats) -> Lift:
    """The lift of held-out rows with labels ``Y`` (n, L), FREE where not known, that the joint gives ``log_prob`` (n,).

    ``log_probs`` (n, m) are those of the seen ``sets`` (m, L).
    """
    seen = Table(sets, log_probs - logsumexp(log_probs, axis=1, keepdims=True))
    return Lift(np.exp(np.minimum(seen.log_prob(Y) - log_prob, MAX_LOG_LIFT)), weights)


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

    if slope(0.0) <= 0:
        return 0.0
    return MAX_SHARE if slope(MAX_SHARE) >= 0 else float(brentq(slope, 0.0, MAX_SHARE))
