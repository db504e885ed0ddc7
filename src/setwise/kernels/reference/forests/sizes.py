"""The number of labels that are on: its distribution, and the best set of every size.

Both are one convolution up each forest, over two semirings: sums of probabilities, and maxima of log-probabilities.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.special import expit, log_expit

from setwise.contract import Array, Floats
from setwise.kernels.checks import check_array, check_forests


class Semiring(NamedTuple):
    """A semiring: how alternatives are joined and independent parts combined, and the neutral value of each."""

    plus: np.ufunc
    times: np.ufunc
    zero: float
    one: float


PROBABILITIES = Semiring(np.add, np.multiply, 0.0, 1.0)
MAXIMA = Semiring(np.maximum, np.add, -np.inf, 0.0)


def forest_sizes(gate: Floats, logits: Array, parents: Array, order: Array) -> Floats:
    """P(|y| = s) of the mixture, (n, L + 1)."""
    n, K, _, _ = check_forests(logits, parents, order)
    check_array("gate", gate, np.float64, (n, K))
    p = expit(logits.astype(np.float64))
    sizes = _by_size(PROBABILITIES, 1.0 - p, p, parents, order)
    return np.asarray(sum(gate[:, [k]] * sizes[:, k] for k in range(len(parents))))


def forest_best_sizes(logits: Array, parents: Array, order: Array) -> Floats:
    """Largest log-probability of a set of s labels in each component, s = 0..L: (n, K, L + 1)."""
    check_forests(logits, parents, order)
    z = logits.astype(np.float64)
    return _by_size(MAXIMA, log_expit(-z), log_expit(z), parents, order)


def _by_size(semiring: Semiring, off: Floats, on: Floats, parents: Array, order: Array) -> Floats:
    """Value (n, K, L + 1) of each number of labels, from the values (n, K, L, V) of each label off and on."""
    n, K, L, _ = off.shape
    result = np.empty((n, K, L + 1))
    for k in range(K):
        below = {node: [np.full((n, 1), semiring.one)] * 2 for node in range(-1, L)}
        for label in order[k, ::-1]:
            parent, children = parents[k, label], below.pop(label)
            for v in range(1 if parent < 0 else 2):
                own = off[:, k, label, [v]], on[:, k, label, [v]]
                message = _message(semiring, own, children)
                below[parent] = [
                    _convolve(semiring, f, message) if value == v else f
                    for value, f in enumerate(below[parent])
                ]
        result[:, k] = below[-1][0]
    return result


def _message(semiring: Semiring, own: tuple[Floats, Floats], children: list[Floats]) -> Floats:
    """Value of each number of labels in a subtree, its top label off or on."""
    off, on = (semiring.times(value, below) for value, below in zip(own, children))
    edge = np.full((len(off), 1), semiring.zero)
    return np.asarray(semiring.plus(np.hstack([off, edge]), np.hstack([edge, on])))


def _convolve(semiring: Semiring, a: Floats, b: Floats) -> Floats:
    out = np.full((len(a), a.shape[1] + b.shape[1] - 1), semiring.zero)
    for shift in range(a.shape[1]):
        part = out[:, shift : shift + b.shape[1]]
        semiring.plus(part, semiring.times(a[:, [shift]], b), out=part)
    return out
