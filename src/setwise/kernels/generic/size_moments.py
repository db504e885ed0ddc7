"""Moments of labels and the size of their set, E[y_l t^|y|], at real or complex points t."""

from __future__ import annotations

import numpy as np
from scipy.special import expit

from setwise.arrays import Array, Floats
from setwise.kernels.checks import check_array, check_forests


def forest_size_moments(gate: Floats, logits: Array, parents: Array, order: Array, points: Array) -> Array:
    """Compute E[y_l t^|y|] (n, L, Q) of the mixture at each of the ``points`` t (Q,), real or complex."""
    n, K, L, _ = check_forests(logits, parents, order)
    check_array("gate", gate, np.float64, (n, K))
    check_array("points", points, (np.float64, np.complex128), (None,))
    p = expit(logits.astype(np.float64))
    result = np.zeros((n, L, len(points)), dtype=np.result_type(np.float64, points))
    for k in range(K):
        result += gate[:, k, None, None] * _component_moments(p[:, k], parents[k], order[k], points)
    return result


def _component_moments(p: Floats, parents: Array, order: Array, t: Array) -> Array:
    """Pass once up and once down the forest: p (n, L, V) to (n, L, Q), without dividing by a sibling's message."""
    n, L, V = p.shape
    shape, last = (L + 1, 2, n, len(t)), V - 1
    inside, before, above = (np.ones(shape, dtype=t.dtype) for _ in range(3))
    message, after = np.empty(shape, dtype=t.dtype), np.empty(shape, dtype=t.dtype)
    above[L, 1] = 0.0
    for label in order[::-1]:
        parent = parents[label] if parents[label] >= 0 else L
        for v in range(2):
            q = p[:, label, [0 if parent == L else v]]
            message[label, v] = (1 - q) * inside[label, 0] + q * t * inside[label, 1]
        after[label] = inside[parent]
        inside[parent] *= message[label]
    for label in order:
        parent = parents[label] if parents[label] >= 0 else L
        off, on = above[parent] * before[parent] * after[label]
        before[parent] *= message[label]
        q0, q1 = p[:, label, [0]], p[:, label, [0 if parent == L else last]]
        above[label] = (1 - q0) * off + (1 - q1) * on, t * (q0 * off + q1 * on)
    return np.asarray((above[:L, 1] * inside[:L, 1]).swapaxes(0, 1))
