"""Bounds on what the labels that a prefix leaves open can still multiply its probability by."""

from __future__ import annotations

import numpy as np
from scipy.special import log_expit

from setwise.contract import FREE, Floats, Labels
from setwise.inference.chains.conditionals import Conditionals, Linear


def largest_factors(conditionals: Conditionals, evidence: Labels) -> Floats:
    """Bound the log-probability of the positions from j on, whatever the earlier labels are.

    The logit of a linear position lies between its offset plus all negative couplings of earlier positions and its
    offset plus all positive ones. Other conditionals have no such range; for them the bound is zero.

    Parameters
    ----------
    conditionals : Conditionals
    evidence : ndarray of shape (n, L)
        In chain order; labels that are 0 or 1 are known.

    Returns
    -------
    ndarray of shape (n, L + 1)
        The last column is zero.

    Examples
    --------
    >>> import numpy as np
    >>> chain = Linear(np.array([[0.0, -1.0]]), np.array([[0.0, 1.0], [0.0, 0.0]]))
    >>> largest_factors(chain, np.full((1, 2), -1, dtype=np.int8)).round(3)
    array([[-1.006, -0.313,  0.   ]])
    """
    n, L = conditionals.shape
    factors = np.zeros((n, L + 1))
    if not isinstance(conditionals, Linear):
        return factors
    low, high = _ranges(np.triu(conditionals.coupling, 1), evidence)
    on, off = conditionals.offsets + high, -(conditionals.offsets + low)
    best = np.where(evidence == FREE, np.maximum(on, off), np.where(evidence == 1, on, off))
    factors[:, :L] = np.cumsum(log_expit(best)[:, ::-1], axis=1)[:, ::-1]
    return factors


def _ranges(coupling: Floats, evidence: Labels) -> tuple[Floats, Floats]:
    """The least and the most (n, L) that earlier labels add to each logit; one row for all if nothing is known."""
    free = evidence == FREE
    if free.all():
        return np.minimum(coupling, 0.0).sum(axis=0)[None], np.maximum(coupling, 0.0).sum(axis=0)[None]
    known = (evidence == 1) @ coupling
    return known + free @ np.minimum(coupling, 0.0), known + free @ np.maximum(coupling, 0.0)
