"""The linear pool: weights of joints that maximize the held-out log-likelihood of their mixture."""

from __future__ import annotations

import numpy as np
from scipy.special import logsumexp

from setwise.arrays import Floats

MAX_STEPS = 1000
TOLERANCE = 1e-9
ROUGH = 1e-6
"""Tolerance of the weights that only decide which joints are kept."""
PSEUDO_ROWS = 0.5
"""Rows that each joint is given beforehand, so that one which held-out rows never needed stays possible."""


def pool_weights(
    log_probs: Floats,
    weights: Floats | None = None,
    pseudo_rows: float = PSEUDO_ROWS,
    tolerance: float = TOLERANCE,
) -> Floats:
    """Find the weights v (K,) that maximize sum_i w_i log sum_k v_k p_ik, by EM.

    The problem is concave, so every start inside the simplex leads to the optimum. Rows that all joints rule out do
    not count.

    Parameters
    ----------
    log_probs : ndarray of shape (n, K)
        Held-out log-probability of each row's labels under each joint.
    weights : ndarray of shape (n,), optional
    pseudo_rows : float
        Rows that each joint is given beforehand.
    tolerance : float
        Gain per row of a step at which EM ends.

    Returns
    -------
    ndarray of shape (K,)

    Examples
    --------
    >>> import numpy as np
    >>> pool_weights(np.log([[0.9, 0.1], [0.8, 0.2], [0.1, 0.6]]), pseudo_rows=0.0).round(2)
    array([0.73, 0.27])
    """
    n, n_joints = log_probs.shape
    possible = np.isfinite(log_probs).any(axis=1)
    w = (np.ones(n) if weights is None else weights)[possible]
    ratios = np.exp(log_probs[possible] - log_probs[possible].max(axis=1, keepdims=True))
    shares, bound = np.full(n_joints, 1.0 / n_joints), -np.inf
    for _ in range(MAX_STEPS):
        mixed = ratios @ shares
        shares = shares * ((w / mixed) @ ratios) + pseudo_rows
        shares /= shares.sum()
        if (now := float(w @ np.log(mixed))) - bound < tolerance * max(1.0, w.sum()):
            break
        bound = now
    return shares


def pooled_log_prob(log_probs: Floats, shares: Floats) -> Floats:
    """Compute the log-probability (n,) of each row under the pool from those (n, K) of its joints.

    Examples
    --------
    >>> import numpy as np
    >>> np.exp(pooled_log_prob(np.log([[0.9, 0.1]]), np.array([0.5, 0.5])))
    array([0.5])
    """
    with np.errstate(divide="ignore"):
        return np.asarray(logsumexp(log_probs + np.log(shares), axis=1))


def drop_useless(log_probs: Floats, weights: Floats | None = None, tolerance: float = 5e-4) -> list[int]:
    """Choose joints such that dropping any other would lower the held-out log-likelihood by little.

    Parameters
    ----------
    log_probs : ndarray of shape (n, K)
        Held-out log-probability of each row's labels under each joint.
    weights : ndarray of shape (n,), optional
    tolerance : float
        Largest mean loss, relative to that of the pool, for which the joint of smallest weight is dropped.

    Returns
    -------
    list of int
        The joints that are kept, at least one.

    Examples
    --------
    >>> import numpy as np
    >>> p = np.array([[0.9, 0.1, 0.5], [0.8, 0.2, 0.5], [0.1, 0.6, 0.1]])
    >>> drop_useless(np.log(p))
    [0, 1]
    """
    kept = list(range(log_probs.shape[1]))

    def pooled(joints: list[int]) -> tuple[float, Floats]:
        part = log_probs[:, joints]
        shares = pool_weights(part, weights, tolerance=ROUGH)
        return -float(np.average(pooled_log_prob(part, shares), weights=weights)), shares

    now, shares = pooled(kept)
    while len(kept) > 1:
        fewer = [joint for place, joint in enumerate(kept) if place != shares.argmin()]
        without, others = pooled(fewer)
        if not without - now <= tolerance * max(1.0, abs(now)):
            break
        kept, now, shares = fewer, without, others
    return kept
