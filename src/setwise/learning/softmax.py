"""Softmax regression with soft targets: the gate of a mixture, or the classes of a label powerset.

Minimises  sum_i [ w_i log sum_k exp(a_i' beta_k) - sum_k h_ik a_i' beta_k ] + l2 / 2 * sum_k |beta_k|^2  with
w_i = sum_k h_ik, by L-BFGS with a diagonal preconditioner; the intercepts are not penalised.
"""

from __future__ import annotations

import time
from typing import Any, NamedTuple

import numpy as np

from setwise.contract import Array, Floats
from setwise.kernels import implementation
from setwise.kernels.design import Design
from setwise.learning.tuning import L2Choice, walk_path

MEMORY = 8
PATH_TOL = 1e-5


class SoftmaxFit(NamedTuple):
    """Coefficients (D, K) of the design's columns, and how they were reached."""

    coef: Floats
    objective: float
    n_iter: int
    converged: bool
    trace: list[dict[str, Any]]


def fit_softmax(
    design: Design,
    targets: Floats,
    *,
    l2: float,
    start: Floats | None = None,
    tol: float = 1e-8,
    max_iter: int = 1000,
) -> SoftmaxFit:
    """Fit a softmax regression.

    Parameters
    ----------
    design : Design of n rows and D columns
    targets : ndarray of shape (n, K)
        Not negative; a row's sum is its weight.
    l2 : float
    start : ndarray of shape (D, K), optional
        Coefficients to start from; zeros by default.
    tol : float
        Stops when the decrease predicted by the last direction is below ``tol`` times the objective.
    max_iter : int
        Iterations at most: a few make a generalised M-step, which never raises the objective.
    """
    descent = _Descent(design, np.ascontiguousarray(targets, dtype=np.float64), l2, start)
    trace: list[dict[str, Any]] = []
    clock = time.perf_counter()
    for iteration in range(1, max_iter + 1):
        slope = descent.step()
        row = {"iteration": iteration, "objective": descent.value, "seconds": time.perf_counter() - clock}
        trace.append(row)
        if -0.5 * slope <= tol * max(descent.value, 1e-6):
            return SoftmaxFit(descent.coef, descent.value, iteration, True, trace)
    return SoftmaxFit(descent.coef, descent.value, max_iter, False, trace)


class _Descent:
    """L-BFGS state; the coefficients of all classes are one vector."""

    def __init__(self, design: Design, targets: Floats, l2: float, start: Floats | None) -> None:
        self.design, self.targets, self.l2 = design, targets, l2
        shape = (design.n_columns, targets.shape[1])
        self.coef = np.zeros(shape) if start is None else np.array(start, dtype=np.float64)
        self.penalty = np.full((shape[0], 1), l2)
        self.penalty[design.intercept] = 0.0
        size = shape[0] * shape[1]
        self.steps, self.changes = np.zeros((MEMORY, size, 1)), np.zeros((MEMORY, size, 1))
        self.rho, self.n_pairs = np.zeros((MEMORY, 1)), 0
        self.scores = self._product(self.coef)
        self.spare, self.residual = np.empty_like(self.scores), np.empty_like(self.scores)
        self.value, self.curvature = self._evaluate(self.scores, 0.0, self.coef)
        self.gradient = self._gradient(self.coef)

    def step(self) -> float:
        """One iteration; the slope along its direction."""
        hessian = self.curvature * self.design.mean_squares[:, None] + self.penalty
        inverse = 1.0 / np.maximum(hessian, 1e-12)
        kept = min(self.n_pairs, MEMORY)
        order = np.arange(self.n_pairs - kept, self.n_pairs, dtype=np.int32) % MEMORY
        direction = implementation.lbfgs_direction(
            self.gradient.reshape(-1, 1), self.steps, self.changes, self.rho, order, inverse.reshape(-1, 1)
        ).reshape(self.coef.shape)
        slope = float(np.vdot(self.gradient, direction))
        self._search(direction, slope)
        return slope

    def _search(self, direction: Floats, slope: float) -> None:
        moved, t = self._product(direction), 1.0
        slack = 4.0 * np.finfo(np.float64).eps * abs(self.value)
        for _ in range(30):
            value, curvature = self._evaluate(moved, t, self.coef + t * direction)
            if value <= self.value + 1e-4 * t * slope + slack:
                break
            bend = value - self.value - slope * t
            t = float(np.clip(-slope * t * t / max(2.0 * bend, 1e-300), 0.1 * t, 0.5 * t))
        else:
            t = 0.0
            value, curvature = self._evaluate(moved, t, self.coef)
        self.scores, self.spare = self.spare, self.scores
        self._update(t * direction, value, curvature)

    def _update(self, step: Floats, value: float, curvature: Floats) -> None:
        coef = self.coef + step
        gradient = self._gradient(coef)
        slot = self.n_pairs % MEMORY
        self.steps[slot, :, 0], self.changes[slot, :, 0] = step.ravel(), (gradient - self.gradient).ravel()
        product = float(np.vdot(self.steps[slot], self.changes[slot]))
        self.rho[slot] = 1.0 / product if product > 1e-300 else 0.0
        self.n_pairs += 1
        self.coef, self.gradient, self.value, self.curvature = coef, gradient, value, curvature

    def _product(self, coef: Floats) -> Floats:
        return np.ascontiguousarray(self.design.scores(coef), dtype=np.float64)

    def _evaluate(self, moved: Floats, t: float, coef: Floats) -> tuple[float, Floats]:
        loss, curvature = implementation.softmax_step(
            self.scores, moved, t, self.targets, self.spare, self.residual
        )
        return float(loss) + 0.5 * float((self.penalty * coef * coef).sum()), curvature

    def _gradient(self, coef: Floats) -> Floats:
        return self.design.gradient(self.residual.astype(self.design.dtype, copy=False)) + self.penalty * coef


class _Part:
    """One fold of a path of softmax regressions; see :func:`setwise.learning.tuning.walk_path`."""

    def __init__(self, design: Design, targets: Floats, rows: Array, held_out: Array) -> None:
        self.design, self.targets = design.take(rows), targets[rows]
        self.held_out, self.held_out_targets = design.take(held_out), targets[held_out]
        self.coef: Floats = np.zeros((design.n_columns, targets.shape[1]))

    def step(self, l2: float, which: Array) -> Floats:
        fit = fit_softmax(self.design, self.targets, l2=l2, start=self.coef, tol=PATH_TOL, max_iter=100)
        self.coef = fit.coef
        return np.array([softmax_loss(self.held_out, self.held_out_targets, self.coef)])


def softmax_loss(design: Design, targets: Floats, coef: Floats) -> float:
    """Log-loss of coefficients (D, K) on the rows of ``design``, in the weight of ``targets``."""
    scores = np.ascontiguousarray(design.scores(coef), dtype=np.float64)
    out = np.empty_like(scores), np.empty_like(scores)
    return float(implementation.softmax_step(scores, scores, 0.0, np.ascontiguousarray(targets), *out)[0])


def choose_softmax_l2(design: Design, targets: Floats, fold: Array | None) -> L2Choice:
    """The penalty of a softmax regression by its held-out loss; ``l2`` and ``loss`` have one entry.

    ``start`` (D, K) is where the final fit may begin.
    """
    parts = None
    if fold is not None:
        splits = [(np.flatnonzero(fold != f), np.flatnonzero(fold == f)) for f in np.unique(fold)]
        parts = [_Part(design, targets, a, b) for a, b in splits]
    return walk_path(parts, design, n_problems=1)
