"""The share of a joint's probability for the label sets seen in training, chosen by held-out rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from scipy.optimize import brentq
from scipy.special import logsumexp

from setwise.contract import FREE, Floats, Labels
from setwise.inference.sets.listed import log_evidence

UNSEEN = 0.5
"""Pseudo-rows with an unseen set: without any unseen set among the held-out rows, all others would be impossible."""
MAX_SHARE = 1.0 - 1e-9
MAX_LOG_LIFT = 300.0
"""Larger lifts would overflow; they would not change the share."""


class Lift(NamedTuple):
    """The gain of held-out rows if all probability goes to the seen sets.

    ``factor`` (n,) is P(y | seen) / P(y) of the known labels: 1 / P(seen) for a complete set that was seen, 0 if no
    seen set agrees; ``weights`` (n,) are those of the rows.
    """

    factor: Floats
    weights: Floats


def distinct_sets(Y: Labels) -> Labels:
    """List the different sets (m, L) among the completely known rows of ``Y`` (n, L)."""
    return np.unique(Y[(Y != FREE).all(axis=1)], axis=0)


def lift(log_probs: Floats, sets: Labels, log_prob: Floats, Y: Labels, weights: Floats) -> Lift:
    """Compute the lift of held-out rows.

    Parameters
    ----------
    log_probs : ndarray of shape (n, m)
        Log-probabilities of the seen sets.
    sets : ndarray of shape (m, L)
    log_prob : ndarray of shape (n,)
        Log-probability of each row's labels.
    Y : ndarray of shape (n, L)
        Labels, FREE if unknown.
    weights : ndarray of shape (n,)

    Returns
    -------
    Lift
    """
    log_probs = log_probs - logsumexp(log_probs, axis=1, keepdims=True)
    given = log_evidence(log_probs, sets, Y)
    return Lift(np.exp(np.minimum(given - log_prob, MAX_LOG_LIFT)), weights)


def best_share(lifts: Sequence[Lift]) -> float:
    """Find the share a of the seen sets that maximizes the held-out log-likelihood sum w log(1 - a + a factor).

    Parameters
    ----------
    lifts : sequence of Lift

    Returns
    -------
    float
        Zero without lifts.

    Examples
    --------
    The model gives the seen sets a probability of 0.2, but eight rows of ten have one:

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
