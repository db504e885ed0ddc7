"""Solving many weighted logistic regressions on one design together, at the speed of matrix products.

Problem b minimizes, over coefficients beta_b of the design's columns,

    sum_i w_ib * logloss(y_ib, a_i' beta_b) + l2_b / 2 * |beta_b|^2        (the intercept is not penalized)

by L-BFGS with a diagonal preconditioner, and on sparse columns by Newton's method in the end if few rows carry the
curvature. All problems share every product with the design; a converged problem leaves the batch.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Self

import numpy as np
from scipy.special import expit

from setwise.arrays import Array, Bools, Floats
from setwise.kernels import implementation
from setwise.learning.linear.columns import SparseColumns
from setwise.learning.linear.descent import (
    ROUGH_TOL,
    Descent,
    Minima,
    columns_at_once,
    even_blocks,
    rough_design,
)
from setwise.learning.linear.design import Design
from setwise.learning.linear.logistic_problems import LogisticProblems
from setwise.learning.linear.newton import (
    FINE_TOL,
    START_TOL,
    TRUE_DECREASE,
    LogisticObjective,
    NewtonDescent,
    newton_pays,
)
from setwise.learning.linear.walk import Walk

PATIENCE = 8
"""Iterations in a row without a decrease beyond rounding after which a problem is as good as its precision allows."""
LEAST_STEPS = 50
"""Fewest iterations allowed with which Newton's method is considered: shorter fits are not meant to converge."""


def fit_logistic(
    design: Design,
    problems: LogisticProblems,
    start: Floats | None = None,
    *,
    tol: float = 1e-8,
    max_iter: int = 1000,
) -> Minima:
    """Solve all problems; each objective ends within about ``tol`` (relative) of its minimum.

    Without smoothing, a problem whose weighted targets are all 0 or all 1 has no optimum. It gets zero coefficients and
    the intercept of the smoothed share (positive + 1/2) / (all + 1), as does a problem without any weight.

    Parameters
    ----------
    design : Design of n rows and D columns
    problems : LogisticProblems
    start : ndarray of shape (D, B), optional
        Coefficients to start from; zeros by default.
    tol : float, default=1e-8
        A problem stops when the decrease predicted by its last direction is below ``tol`` times its
        objective, or when rounding hides all decrease.
    max_iter : int, default=1000
        Largest number of iterations.

    Returns
    -------
    Minima
    """
    positive, total = problems.totals()
    constant = (np.minimum(positive, total - positive) <= 1e-12 * total) & (problems.smoothing == 0)
    coef = np.zeros((design.n_columns, len(problems)))
    coef[design.intercept, constant] = np.log((positive + 0.5) / np.maximum(total - positive + 0.5, 0.5))[
        constant
    ]
    fit = Minima(
        coef, np.zeros(len(problems)), np.zeros(len(problems), int), np.ones(len(problems), bool), []
    )
    clock, rough = time.perf_counter(), rough_design(design, len(problems)) if start is None else None
    for block in even_blocks(np.flatnonzero(~constant), max(16, columns_at_once(design, n_arrays=4))):
        guess = start[:, block] if start is not None else None
        if guess is None:
            guess = _intercepts(design, positive[block], total[block], problems.smoothing)
        stages = _Stages(design, rough, problems.take(block), max_iter)
        for found in stages.run(guess, tol, warm=start is not None):
            passed = time.perf_counter() - clock
            fit.trace.extend(row | {"seconds": passed + row["seconds"]} for row in found.trace)
        fit.coef[:, block], fit.objective[block] = found.coef, found.objective
        fit.n_iter[block], fit.converged[block] = found.n_iter, found.converged
    return fit


@dataclass(frozen=True)
class _Stages:
    """The stages of a fit, each from where the one before ended."""

    design: Design
    rough: Design | None
    problems: LogisticProblems
    max_iter: int

    def run(self, start: Floats, tol: float, *, warm: bool) -> Iterator[Minima]:
        """Solve the problems: single precision first, if there is a rough design, and Newton's method last, if it pays.

        Problems on sparse columns are begun by few steps, which show how many rows each of them is unsure about.
        """
        sparse = isinstance(self.design, Design) and isinstance(self.design.columns, SparseColumns)
        if sparse and not warm and tol <= FINE_TOL and self.max_iter >= LEAST_STEPS:
            first = self._objective(self.rough or self.design)
            yield (begun := self._solve(Descent, first, start, START_TOL))
            start = begun.coef
            if newton_pays(first.curvatures(first.scores(start)), self.design):
                yield self._solve(NewtonDescent, self._objective(self.design), start, TRUE_DECREASE * tol)
                return
        if self.rough is not None:
            yield (begun := self._solve(Descent, self._objective(self.rough), start, max(tol, ROUGH_TOL)))
            start = begun.coef
        yield self._solve(self.problems.solver, self._objective(self.design), start, tol)

    def _objective(self, design: Design) -> _Logistic:
        return _Logistic(design, self.problems.as_dtype(design.dtype))

    def _solve(self, solver: type[Descent], objective: _Logistic, start: Floats, tol: float) -> Minima:
        return solver(objective, objective.mask(start)).run(tol, self.max_iter, PATIENCE)


def _intercepts(design: Design, positive: Floats, total: Floats, smoothing: float) -> Floats:
    coef = np.zeros((design.n_columns, len(positive)))
    coef[design.intercept] = np.log(positive + smoothing) - np.log(total - positive + smoothing)
    return coef


class _Logistic(LogisticObjective):
    """Logistic regressions of one column each, with their smoothing and the columns they may use."""

    def __init__(self, design: Design, problems: LogisticProblems) -> None:
        super().__init__(design, np.arange(len(problems) + 1), problems.l2, design.dtype)
        self.problems = problems

    def rows(
        self, scores: Array, change: Array, step: Floats, which: Array, out: Array, residual: Array
    ) -> tuple[Floats, Floats, Floats]:
        if len(which) == len(self.problems):
            return _rows(self.problems, scores, change, step, out, residual)
        here, there = np.take(scores, which, axis=1), np.take(change, which, axis=1)
        some, some_residual = np.empty_like(here), np.empty_like(here)
        loss, curvature, slope = np.zeros((3, len(step)))
        loss[which], curvature[which], slope[which] = _rows(
            self.problems.take(which), here, there, step[which], some, some_residual
        )
        out[:, which], residual[:, which] = some, some_residual
        return loss, curvature, slope

    def curvatures(self, scores: Array) -> Array:
        problems, e = self.problems, np.exp(-np.abs(scores.astype(np.float32, copy=False)))
        curvatures: Array = e / (1.0 + e) ** 2
        if problems.weights.shape[1]:
            curvatures *= problems.weights[:, problems.weight]
        if (problems.targets < 0).any():
            curvatures *= problems.targets[:, problems.target] >= 0
        return curvatures

    def take(self, keep: Bools) -> Self:
        return type(self)(self.design, self.problems.take(keep).compact())

    def mask(self, coef: Array) -> Array:
        """Set coefficients (D, B) to zero in the columns that a problem may not use."""
        return coef if self.problems.columns is None else coef * self.problems.columns

    def intercept_penalty(self, intercepts: Floats) -> tuple[Floats, Floats, Floats]:
        smoothing, p = self.problems.smoothing, expit(intercepts)
        return (
            smoothing_loss(intercepts, smoothing),
            smoothing * (2.0 * p - 1.0),
            2.0 * smoothing * p * (1.0 - p),
        )

    def penalized(self, gradient: Array, intercepts: Floats) -> Array:
        return self.mask(super().penalized(gradient, intercepts))

    def walk(self, coef: Floats) -> Walk:
        return self.problems.walk(self, coef)


def _rows(
    problems: LogisticProblems, z: Array, d: Array, t: Floats, z_out: Array, residual: Array
) -> tuple[Floats, Floats, Floats]:
    loss, curvature, slope = implementation.logistic_step(
        z, d, t, problems.targets, problems.target, problems.weights, problems.weight, z_out, residual
    )
    return loss, curvature, slope


def smoothing_loss(intercept: Floats, smoothing: float) -> Floats:
    """Compute the loss of a pseudo-row of each class at the origin, each of weight ``smoothing``."""
    return np.asarray(smoothing * (np.logaddexp(0.0, intercept) + np.logaddexp(0.0, -intercept)))
