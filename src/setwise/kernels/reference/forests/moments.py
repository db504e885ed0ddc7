"""Marginals, pairwise marginals, entropy and samples, by one pass over each forest."""

from __future__ import annotations

import numpy as np
from scipy.special import entr, expit

from setwise.contract import Array, Floats, Labels
from setwise.kernels.checks import check_array, check_forests, check_places


def forest_marginals(logits: Array, parents: Array, order: Array) -> Floats:
    """P(y_l = 1) in each component, (n, K, L)."""
    check_forests(logits, parents, order)
    p = expit(logits.astype(np.float64))
    result = np.empty(logits.shape[:3])
    for k, line in enumerate(order):
        for label in line:
            result[:, k, label] = _given_parent(p[:, k, label], result[:, k], parents[k, label])
    return result


def forest_pairwise(gate: Floats, logits: Array, parents: Array, order: Array) -> Floats:
    """P(y_i = 1, y_j = 1) of the mixture, (n, L, L)."""
    n, K, L, _ = check_forests(logits, parents, order)
    check_array("gate", gate, np.float64, (n, K))
    p = expit(logits.astype(np.float64))
    marginals = forest_marginals(logits, parents, order)
    result = np.zeros((n, L, L))
    for k in range(K):
        joint = np.zeros((n, L, L))
        for t, j in enumerate(order[k]):
            before, parent = order[k, :t], parents[k, j]
            alone = marginals[:, k, before]
            both = alone if parent < 0 else joint[:, before, parent]
            on = p[:, k, j, [0 if parent < 0 else 1]]
            pair = both * on + (alone - both) * p[:, k, j, [0]]
            joint[:, before, j] = joint[:, j, before] = pair
            joint[:, j, j] = marginals[:, k, j]
        result += gate[:, k, None, None] * joint
    return result


def forest_entropy(logits: Array, parents: Array, order: Array) -> Floats:
    """Entropy (n, K) of each component in nats: the mean entropy of each label given its parent, summed."""
    check_forests(logits, parents, order)
    z = logits.astype(np.float64)
    coin = entr(expit(z)) + entr(expit(-z))
    marginals = forest_marginals(logits, parents, order)
    result = np.zeros(logits.shape[:2])
    for k, line in enumerate(order):
        for label in line:
            result[:, k] += _given_parent(coin[:, k, label], marginals[:, k], parents[k, label])
    return result


def forest_sample(logits: Array, parents: Array, order: Array, component: Array, uniforms: Floats) -> Labels:
    """One set for each entry of ``component`` (n, S), from ``uniforms`` (n, S, L)."""
    n, K, L, _ = check_forests(logits, parents, order)
    check_array("component", component, np.int64, (n, None))
    S = component.shape[1]
    check_array("uniforms", uniforms, np.float64, (n, S, L))
    check_places("component", component, K)
    p = expit(logits.astype(np.float64))
    result = np.empty((n, S, L), dtype=np.int8)
    for k, line in enumerate(order):
        row, draw = np.nonzero(component == k)
        for label in line:
            parent = parents[k, label]
            value = result[row, draw, parent] if parent >= 0 else 0
            result[row, draw, label] = uniforms[row, draw, label] < p[row, k, label, value]
    return result


def _given_parent(values: Floats, marginals: Floats, parent: int) -> Floats:
    """Values (n, V) given the parent's value, averaged over it."""
    if parent < 0:
        return values[:, 0]
    on = marginals[:, parent]
    return (1 - on) * values[:, 0] + on * values[:, 1]
