"""Descent directions of many problems at once, by the two-loop recursion of L-BFGS."""

from __future__ import annotations

import numpy as np

from setwise.contract import Array, Floats
from setwise.kernels.checks import FLOATS, check_array, check_parts, check_places


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
    check_array("gradient", gradient, np.float64, (None, None))
    D, C = gradient.shape
    check_parts("first", first, C)
    check_array("steps", steps, FLOATS, (None, D, C))
    m = len(steps)
    check_array("changes", changes, steps.dtype, (m, D, C))
    check_array("rho", rho, np.float64, (m, len(first) - 1))
    check_array("order", order, np.int32, (None,))
    check_places("order", order, m)
    check_array("inverse_diagonal", inverse_diagonal, np.float64, (D, C))
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
