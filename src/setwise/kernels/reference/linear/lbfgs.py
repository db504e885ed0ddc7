"""L-BFGS on many problems at once: descent directions by the two-loop recursion, and the pairs that it remembers."""

from __future__ import annotations

import numpy as np

from setwise.contract import Array, Floats
from setwise.kernels.checks import (
    FLOATS,
    check_array,
    check_at_least,
    check_output,
    check_parts,
    check_places,
)


def lbfgs_direction(
    gradient: Floats,
    steps: Array,
    changes: Array,
    rho: Floats,
    order: Array,
    coef: Floats,
    squares: Floats,
    curvature: Floats,
    l2: Floats,
    intercept: int,
    own: Floats,
    first: Array,
) -> tuple[Array, Floats]:
    """Descent directions (D, C) of B problems by the two-loop recursion.

    Problem b has the columns ``first[b]`` to ``first[b + 1]``. ``steps`` and ``changes`` (m, D, C) hold pairs of
    parameter and gradient differences, ``rho`` (m, B) the inverse of their dot products (0 skips a pair);
    ``order`` names the pairs in use, oldest first. The Hessian begins as the diagonal ``squares`` (D,) times
    ``curvature`` (C,) plus ``l2`` (C,), and ``own`` (C,) in the row ``intercept``; the last pair makes it larger if
    it saw more. Returns the directions, and their products (3, C) with the gradient, with ``coef`` (D, C) and with
    themselves, the last two without the intercept.
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
    check_array("coef", coef, np.float64, (D, C))
    check_array("squares", squares, np.float64, (D,))
    for name, array in (("curvature", curvature), ("l2", l2), ("own", own)):
        check_array(name, array, np.float64, (C,))
    check_at_least("intercept", intercept, 0)
    width = np.diff(first)

    def dot(a: Floats, b: Floats) -> Floats:
        return np.asarray(np.add.reduceat((a * b).sum(axis=0), first[:-1]))

    diagonal = np.multiply.outer(squares, curvature) + l2
    if intercept < D:
        diagonal[intercept] = own
    inverse = 1.0 / np.maximum(diagonal, 1e-12)
    if len(order):
        bend = dot(changes[order[-1]] * inverse, changes[order[-1]]) * rho[order[-1]]
        inverse /= np.repeat(np.maximum(bend, 1.0), width)
    q = gradient.copy()
    alphas = []
    for k in order[::-1]:
        alpha = rho[k] * dot(steps[k], q)
        q -= np.repeat(alpha, width) * changes[k]
        alphas.append(alpha)
    q *= inverse
    for k, alpha in zip(order, alphas[::-1]):
        q += np.repeat(alpha - rho[k] * dot(changes[k], q), width) * steps[k]
    direction = (-q).astype(steps.dtype)
    penalised = (np.arange(D) != intercept)[:, None]
    return direction, np.stack(
        [(a * direction).sum(axis=0) for a in _factors(gradient, coef, direction, penalised)]
    )


def _factors(
    gradient: Floats, coef: Floats, direction: Array, penalised: Array
) -> tuple[Floats, Floats, Floats]:
    return gradient, coef * penalised, direction.astype(np.float64) * penalised


def lbfgs_update(
    coef: Floats,
    gradient: Floats,
    direction: Array,
    length: Floats,
    product: Array,
    l2: Floats,
    intercept: int,
    step: Array,
    change: Array,
) -> Floats:
    """Go ``length`` (C,) along ``direction`` (D, C), in place.

    ``coef`` (D, C) takes the step; ``gradient`` (D, C) becomes ``product``, the gradient of the loss, plus ``l2`` (C,)
    times the coefficients except in the row ``intercept``. Both changes are written to ``step`` and ``change``.
    Returns (3, C): their dot product, the largest change of the gradient, and the largest gradient.
    """
    check_output("coef", coef, np.float64, (None, None))
    shape = coef.shape
    check_output("gradient", gradient, np.float64, shape)
    check_array("direction", direction, FLOATS, shape)
    check_array("length", length, np.float64, shape[1:])
    check_array("product", product, direction.dtype, shape)
    check_array("l2", l2, np.float64, shape[1:])
    check_at_least("intercept", intercept, 0)
    check_output("step", step, direction.dtype, shape)
    check_output("change", change, direction.dtype, shape)
    moved = length * direction.astype(np.float64)
    coef += moved
    penalised = (np.arange(len(coef)) != intercept)[:, None]
    after = product + penalised * l2 * coef
    changed = after - gradient
    gradient[...], step[...], change[...] = after, moved, changed
    return np.stack([(moved * changed).sum(axis=0), *(np.abs(a).max(axis=0) for a in (changed, after))])
