"""Descent directions of many problems at once, by the two-loop recursion of L-BFGS."""

from __future__ import annotations

import numpy as np

from setwise.contract import Array, Floats


def lbfgs_direction(
    gradient: Floats,
    steps: Floats,
    changes: Floats,
    rho: Floats,
    order: Array,
    inverse_diagonal: Floats,
    first: Array,
) -> Floats:
    """Descent directions (D, C) of B problems by the two-loop recursion.

    Problem b has the columns ``first[b]`` to ``first[b + 1]``. ``steps`` and ``changes`` (m, D, C) hold pairs of
    parameter and gradient differences, ``rho`` (m, B) the inverse of their dot products (0 skips a pair);
    ``order`` names the pairs in use, oldest first.
    """
    width = np.diff(first)

    def dot(a: Floats, b: Floats) -> Floats:
        return np.asarray(np.add.reduceat((a * b).sum(axis=0), first[:-1]))

    q = gradient.copy()
    alphas = []
    for k in order[::-1]:
        alpha = rho[k] * dot(steps[k], q)
        q -= np.repeat(alpha, width) * changes[k]
        alphas.append(alpha)
    q *= inverse_diagonal
    for k, alpha in zip(order, alphas[::-1]):
        q += np.repeat(alpha - rho[k] * dot(changes[k], q), width) * steps[k]
    return -q
