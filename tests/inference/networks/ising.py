"""Networks whose joint is known: those of an Ising model."""

import numpy as np

from setwise.inference.networks.gibbs import LinearConditionals
from setwise.inference.sets.enumeration import label_sets


def ising(seed, n_rows=2, n_labels=5, scale=0.4):
    """Make the conditionals of P(y) proportional to exp(b's + s'Js / 2), s = 2y - 1, and P."""
    rng = np.random.default_rng(seed)
    J = rng.normal(scale=scale, size=(n_labels, n_labels))
    J = np.triu(J, 1) + np.triu(J, 1).T
    b = rng.normal(scale=0.5, size=(n_rows, n_labels))
    s = 2.0 * label_sets(n_labels) - 1
    energy = b @ s.T + 0.5 * np.einsum("mi,ij,mj->m", s, J, s)
    P = np.exp(energy - energy.max(axis=1, keepdims=True))
    return LinearConditionals(2 * b, 2 * J), P / P.sum(axis=1, keepdims=True)


def free(n, L):
    return np.full((n, L), -1, np.int8)
