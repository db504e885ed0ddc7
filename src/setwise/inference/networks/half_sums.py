"""Sums over all label sets of pairwise fields whose couplings are the same in every row.

    P(y | x_i) = exp(sum_l y_l s_il + sum_(l,m) y_l y_m c_lm) / Z_i

Cut the labels into two halves, a and b. Their couplings, exp(c(a, b)), are one matrix for all rows, and
Z_i = u_i' exp(c) v_i with u and v the sums within the halves. This takes 2^(L/2) exponentials per row instead of 2^L,
and matrix products for the rest.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from setwise.contract import Floats
from setwise.inference.sets.enumeration import label_sets

MAX_SPREAD = 600.0
"""Largest spread of the couplings between the halves, in the exponent, that double precision can hold."""


class FieldSums(NamedTuple):
    """``log_z`` (n,), the marginals (n, L), and the weighted sum over the rows of E[y y'] (L, L)."""

    log_z: Floats
    marginals: Floats
    products: Floats


def field_sums(scores: Floats, couplings: Floats, weights: Floats) -> FieldSums | None:
    """Compute the partition sums and expectations of n fields.

    Parameters
    ----------
    scores : ndarray of shape (n, L)
        Added to the log-probability if a label is on.
    couplings : ndarray of shape (L, L)
        Added if both labels of a pair are on; symmetric, the diagonal is ignored.
    weights : ndarray of shape (n,)
        Row weights of the products.

    Returns
    -------
    FieldSums or None
        None if the couplings are too large for double precision.

    Examples
    --------
    Two labels that are on or off together:

    >>> import numpy as np
    >>> sums = field_sums(np.full((1, 2), -20.0), np.full((2, 2), 40.0), np.ones(1))
    >>> sums.marginals.round(3), sums.products.round(3)
    (array([[0.5, 0.5]]), array([[0.5, 0.5],
           [0.5, 0.5]]))
    """
    L = scores.shape[1]
    left, right = slice(0, L // 2), slice(L // 2, L)
    a, b = label_sets(L // 2).astype(np.float64), label_sets(L - L // 2).astype(np.float64)
    between = a @ couplings[left, right] @ b.T
    if np.ptp(between) > MAX_SPREAD:
        return None
    u, top_u = _within(scores[:, left], couplings[left, left], a)
    v, top_v = _within(scores[:, right], couplings[right, right], b)
    joined = np.exp(between - between.max())
    from_b = v @ joined.T
    z = (u * from_b).sum(axis=1)
    p_a, p_b = u * from_b / z[:, None], v * (u @ joined) / z[:, None]
    products = np.empty((L, L))
    products[left, left] = a.T @ ((weights @ p_a)[:, None] * a)
    products[right, right] = b.T @ ((weights @ p_b)[:, None] * b)
    across = joined * ((u * (weights / z)[:, None]).T @ v)
    products[left, right] = a.T @ across @ b
    products[right, left] = products[left, right].T
    log_z = np.log(z) + top_u + top_v + between.max()
    return FieldSums(log_z, np.hstack([p_a @ a, p_b @ b]), products)


def _within(scores: Floats, couplings: Floats, sets: Floats) -> tuple[Floats, Floats]:
    """Compute the unnormalized probabilities (n, m) of the sets (m, l) of one half, and the log (n,) of their scale."""
    pairs = 0.5 * (((sets @ couplings) * sets).sum(axis=1) - sets @ np.diag(couplings))
    exponent = scores @ sets.T + pairs
    top = exponent.max(axis=1)
    return np.exp(exponent - top[:, None]), top
