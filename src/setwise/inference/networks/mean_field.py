"""Mean-field approximation of pairwise fields: the closest distribution of independent labels.

For log P(y) = sum_l u_l y_l + 1/2 y' J y + const with a zero diagonal of J, the marginals q of the independent labels
with the smallest Kullback-Leibler divergence satisfy q_l = 1 / (1 + exp(-(u_l + sum_m J_lm q_m))). All labels are
updated together, half of the way, so that their order does not matter.
"""

from __future__ import annotations

import numpy as np
from scipy.special import expit

from setwise.arrays import Array, Floats

SWEEPS = 500
TOL = 1e-9


def mean_field(unary: Floats, coupling: Floats) -> Floats:
    """Find the logits (n, L) of independent labels that approximate a field.

    Parameters
    ----------
    unary : ndarray of shape (n, L)
        Potentials of the labels.
    coupling : ndarray of shape (L, L)
        Symmetric potentials of the pairs, the same for all rows; the diagonal is ignored.

    Returns
    -------
    ndarray of shape (n, L)

    Examples
    --------
    >>> import numpy as np
    >>> logits = mean_field(np.array([[1.0, -0.5]]), np.array([[0.0, 2.0], [2.0, 0.0]]))
    >>> (logits > 0).astype(int)
    array([[1, 1]])
    """
    J = coupling - np.diag(np.diag(coupling))
    logits, moving = np.array(unary, dtype=np.float64), np.arange(len(unary))
    for _ in range(SWEEPS):
        changed = _sweep(logits, unary, J, moving)
        # Each row stops by itself, so that its answer does not depend on the others.
        moving = moving[changed >= TOL]
        if not len(moving):
            break
    return logits


def _sweep(logits: Floats, unary: Floats, J: Floats, rows: Array) -> Floats:
    """Move some rows half of the way to their updates, in place; return the largest change (r,) of a logit."""
    now = logits[rows]
    move = 0.5 * (unary[rows] + (expit(now)[:, None, :] * J).sum(axis=2) - now)
    logits[rows] = now + move
    return np.asarray(np.abs(move).max(axis=1))
