"""Loopy belief propagation on pairwise binary fields: P(y) ~ exp(sum_l a_l y_l + sum_(l,m) c_lm y_l y_m).

K. Murphy, Y. Weiss and M. Jordan, "Loopy belief propagation for approximate inference: an empirical study", UAI
1999. Exact if the pairs form a forest.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.special import logsumexp

from setwise.contract import Array, Floats

MAX_ITER = 200
DAMPING = 0.3
"""Weight of the old message in the new one: undamped messages may oscillate."""


class Beliefs(NamedTuple):
    """Approximate marginals as logits (n, L), log-beliefs of pairs (n, P, 2, 2), and the last change of a message."""

    logits: Floats
    pairs: Floats
    change: float


def loopy_beliefs(unary: Floats, pairs: Array, coupling: Floats, *, tol: float = 1e-8) -> Beliefs:
    """Compute approximate marginals of n fields.

    Messages are log-odds; all are sent at once, damped.

    Parameters
    ----------
    unary : ndarray of shape (n, L)
        Potentials of the labels.
    pairs : ndarray of shape (P, 2)
    coupling : ndarray of shape (P,) or (n, P)
        Potentials of the pairs.
    tol : float, default=1e-8
        Largest change of a message at convergence.

    Returns
    -------
    Beliefs

    Examples
    --------
    >>> import numpy as np
    >>> beliefs = loopy_beliefs(np.zeros((1, 2)), np.array([[0, 1]]), np.array([2.0]))
    >>> (1 / (1 + np.exp(-beliefs.logits))).round(3)
    array([[0.807, 0.807]])
    """
    n, L = unary.shape
    n_pairs = len(pairs)
    coupling = np.broadcast_to(coupling, (n, n_pairs))
    source = np.r_[pairs[:, 0], pairs[:, 1]]
    target = np.r_[pairs[:, 1], pairs[:, 0]]
    into = np.zeros((2 * n_pairs, L))
    into[np.arange(2 * n_pairs), target] = 1.0
    strength = np.concatenate([coupling, coupling], axis=1)
    messages, change = np.zeros((n, 2 * n_pairs)), 0.0
    for _ in range(MAX_ITER):
        cavity = (unary + messages @ into)[:, source] - np.roll(messages, n_pairs, axis=1)
        new = np.logaddexp(0.0, cavity + strength) - np.logaddexp(0.0, cavity)
        change = float(np.abs(new - messages).max(initial=0.0))
        messages = DAMPING * messages + (1.0 - DAMPING) * new
        if change < tol:
            break
    logits = unary + messages @ into
    cavity = logits[:, source] - np.roll(messages, n_pairs, axis=1)
    return Beliefs(logits, _pair_beliefs(cavity[:, :n_pairs], cavity[:, n_pairs:], coupling), change)


def forest_logits(beliefs: Beliefs, pairs: Array, parents: Array) -> Floats:
    """Read the tables of a forest off the beliefs of its labels and edges.

    Parameters
    ----------
    beliefs : Beliefs
    pairs : ndarray of shape (P, 2)
    parents : ndarray of shape (L,)
        Parent of each label, -1 for a root; every edge is one of the pairs.

    Returns
    -------
    ndarray of shape (n, L, 2)
        Logit of each label for each value of its parent.
    """
    logits = np.repeat(beliefs.logits[:, :, None], 2, axis=2)
    for (first, second), table in zip(pairs, np.moveaxis(beliefs.pairs, 1, 0)):
        if parents[second] == first:
            logits[:, second] = table[:, :, 1] - table[:, :, 0]
        elif parents[first] == second:
            logits[:, first] = table[:, 1] - table[:, 0]
    return logits


def _pair_beliefs(first: Floats, second: Floats, coupling: Floats) -> Floats:
    """Compute normalized log-beliefs (n, P, 2, 2), indexed by the values of both labels."""
    table = np.zeros((*first.shape, 2, 2))
    table[:, :, 1, 0], table[:, :, 0, 1] = first, second
    table[:, :, 1, 1] = first + second + coupling
    if not table.size:
        return table
    return np.asarray(table - logsumexp(table, axis=(2, 3), keepdims=True))
