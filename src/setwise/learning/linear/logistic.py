"""Many weighted logistic regressions on one design, solved together at the speed of matrix products.

Problem b minimises, over coefficients beta_b of the design's columns,

    sum_i w_ib * logloss(y_ib, a_i' beta_b) + l2_b / 2 * |beta_b|^2        (the intercept is not penalised)

by L-BFGS with a diagonal preconditioner. All problems share every product with the design; a problem that
has converged leaves the batch.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Self

import numpy as np
import numpy.typing as npt
from scipy.special import expit

from setwise.contract import Array, Bools, Floats
from setwise.kernels import implementation
from setwise.learning.linear.descent import MEMORY, ROUGH_TOL, Minima, descend, rough_design
from setwise.learning.linear.design import Design
from setwise.learning.linear.objective import Objective

PATIENCE = 8
"""Iterations in a row without a decrease beyond rounding, after which a problem is as good as its precision allows."""
WORKSPACE_BYTES = 256 * 2**20


@dataclass(frozen=True)
class LogisticProblems:
    """B logistic regressions: which targets, weights, penalty and columns each one has.

    Parameters
    ----------
    targets : ndarray of shape (n, T)
        Targets in [0, 1], soft ones too; where one is :data:`FREE`, not known, the row does not count.
    target : ndarray of shape (B,)
        Column of ``targets`` of each problem; by default problem b has column b.
    weights : ndarray of shape (n, G)
        Non-negative row weights; without columns every row counts one, the default.
    weight : ndarray of shape (B,)
        Column of ``weights`` of each problem; the first by default.
    l2 : ndarray of shape (B,)
        Weight of the penalty, one by default.
    columns : ndarray of bool of shape (D, B), optional
        Columns of the design that each problem may use; all by default.
    smoothing : float
        Weight of a pseudo-row of each class at the origin of the design: keeps intercepts finite where all
        rows of a problem agree, and EM's bound well defined.
    """

    targets: Floats
    target: Array
    weights: Floats
    weight: Array
    l2: Floats
    columns: Bools | None = None
    smoothing: float = 0.0

    @classmethod
    def of(
        cls,
        targets: Array,
        target: Array | None = None,
        weights: Array | None = None,
        weight: Array | None = None,
        *,
        l2: npt.ArrayLike = 1.0,
        columns: Bools | None = None,
        smoothing: float = 0.0,
    ) -> Self:
        """The problems with the defaults filled in."""
        n, n_targets = targets.shape
        target = np.arange(n_targets) if target is None else target
        weight = np.zeros(len(target)) if weight is None else weight
        weights = np.empty((n, 0)) if weights is None else weights
        problems = cls(
            np.ascontiguousarray(targets, dtype=np.float64),
            np.ascontiguousarray(target, dtype=np.int32),
            np.ascontiguousarray(weights, dtype=np.float64),
            np.ascontiguousarray(weight, dtype=np.int32),
            np.empty(len(target)),
            columns,
            smoothing,
        )
        return problems.with_l2(l2)

    @classmethod
    def together(cls, parts: Sequence[Self]) -> Self:
        """The problems of several parts with the same targets and smoothing, as one batch."""
        widths = np.cumsum([0, *(part.weights.shape[1] for part in parts)])
        masks = [part.columns for part in parts if part.columns is not None]
        return replace(
            parts[0],
            target=np.concatenate([part.target for part in parts]),
            weights=np.hstack([part.weights for part in parts]),
            weight=np.concatenate([w + part.weight for w, part in zip(widths, parts)]).astype(np.int32),
            l2=np.concatenate([part.l2 for part in parts]),
            columns=np.hstack(masks) if masks else None,
        )

    def with_l2(self, l2: npt.ArrayLike) -> Self:
        """The same problems under other penalties, one for all or one each."""
        penalties = np.broadcast_to(np.asarray(l2, dtype=np.float64), self.target.shape)
        return replace(self, l2=np.ascontiguousarray(penalties))

    def __len__(self) -> int:
        return len(self.target)

    def take(self, problems: Array) -> Self:
        """Some of the problems, by index or mask."""
        columns = None if self.columns is None else self.columns[:, problems]
        target, weight, l2 = self.target[problems], self.weight[problems], self.l2[problems]
        return replace(self, target=target, weight=weight, l2=l2, columns=columns)

    def take_rows(self, rows: Array) -> Self:
        """The same problems on some rows."""
        return replace(self, targets=self.targets[rows], weights=self.weights[rows])

    def as_dtype(self, dtype: npt.DTypeLike) -> Self:
        """The same problems with targets and weights of the dtype of a design."""
        targets, weights = (a.astype(dtype, copy=False) for a in (self.targets, self.weights))
        return replace(self, targets=targets, weights=weights)

    def compact(self) -> Self:
        """The same problems with a target column each, in their order: nothing to gather in the inner loop."""
        targets = np.take(self.targets, self.target, axis=1)
        return replace(self, targets=targets, target=np.arange(len(self), dtype=np.int32))

    def totals(self) -> tuple[Floats, Floats]:
        """Weight of the positive targets and of all rows whose target is known, (B,) each."""
        known = self.targets >= 0
        targets = np.where(known, self.targets, 0.0).astype(np.float64, copy=False)
        if not self.weights.shape[1]:
            return targets.sum(axis=0)[self.target], known.sum(axis=0, dtype=np.float64)[self.target]
        weights = self.weights.astype(np.float64, copy=False)
        total = (
            weights.sum(axis=0)[self.weight] if known.all() else (weights.T @ known)[self.weight, self.target]
        )
        return (weights.T @ targets)[self.weight, self.target], total


def fit_logistic(
    design: Design,
    problems: LogisticProblems,
    start: Floats | None = None,
    *,
    tol: float = 1e-8,
    max_iter: int = 1000,
) -> Minima:
    """Solve all problems; each objective ends within about ``tol`` (relative) of its minimum.

    Without smoothing, a problem whose targets are all 0 or all 1 where it has weight has no optimum: it gets
    zero coefficients and the intercept of the smoothed share (positive + 1/2) / (all + 1). The same holds
    without any weight.

    Parameters
    ----------
    design : Design of n rows and D columns
    problems : LogisticProblems
    start : ndarray of shape (D, B), optional
        Coefficients to start from; zeros by default.
    tol : float
        A problem stops when the decrease predicted by its last direction is below ``tol`` times its
        objective, or when rounding hides all decrease.
    max_iter : int
        Iterations at most.
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
    clock = time.perf_counter()
    rough = rough_design(design, len(problems)) if start is None and tol < ROUGH_TOL else None
    if rough is not None:
        begun = fit_logistic(rough, problems, tol=ROUGH_TOL, max_iter=max_iter)
        start = begun.coef
        fit.trace.extend(begun.trace)
    problems = problems.as_dtype(design.dtype)
    width = _problems_at_once(design)
    open_problems = np.flatnonzero(~constant)
    for first in range(0, len(open_problems), width):
        block = open_problems[first : first + width]
        guess = start[:, block] if start is not None else None
        if guess is None:
            guess = _intercepts(design, positive[block], total[block], problems.smoothing)
        objective, passed = _Logistic(design, problems.take(block)), time.perf_counter() - clock
        found = descend(objective, objective.allowed(guess), tol=tol, max_iter=max_iter, patience=PATIENCE)
        fit.coef[:, block], fit.objective[block] = found.coef, found.objective
        fit.n_iter[block], fit.converged[block] = found.n_iter, found.converged
        fit.trace.extend(row | {"seconds": passed + row["seconds"]} for row in found.trace)
    return fit


def _problems_at_once(design: Design) -> int:
    per_problem = 8 * (4 * design.n_rows + (2 * MEMORY + 6) * design.n_columns)
    return max(16, WORKSPACE_BYTES // per_problem)


def _intercepts(design: Design, positive: Floats, total: Floats, smoothing: float) -> Floats:
    coef = np.zeros((design.n_columns, len(positive)))
    coef[design.intercept] = np.log(positive + smoothing) - np.log(total - positive + smoothing)
    return coef


class _Logistic(Objective):
    """Logistic regressions of one column each, with their smoothing and the columns that they may use."""

    def __init__(self, design: Design, problems: LogisticProblems) -> None:
        super().__init__(design, np.arange(len(problems) + 1), problems.l2, design.dtype)
        self.problems = problems
        self._penalised = np.ones(design.n_columns)
        self._penalised[design.intercept] = 0.0

    def rows(
        self, scores: Array, moved: Array, step: Floats, which: Array, out: Array, residual: Array
    ) -> tuple[Floats, Floats]:
        if len(which) == len(self.problems):
            return _rows(self.problems, scores, moved, step, out, residual)
        here, there = np.take(scores, which, axis=1), np.take(moved, which, axis=1)
        some, some_residual = np.empty_like(here), np.empty_like(here)
        loss, curvature = np.zeros((2, len(step)))
        loss[which], curvature[which] = _rows(
            self.problems.take(which), here, there, step[which], some, some_residual
        )
        out[:, which], residual[:, which] = some, some_residual
        return loss, curvature

    def take(self, keep: Bools) -> Self:
        return type(self)(self.design, self.problems.take(keep).compact())

    def allowed(self, coef: Floats) -> Floats:
        """``coef`` (D, B), zero where a problem may not use a column."""
        return coef if self.problems.columns is None else coef * self.problems.columns

    def along(self, coef: Floats, direction: Floats) -> Callable[[Floats, Floats], Floats]:
        # Smoothing is no parabola, and most searches end with their first step.
        return lambda loss, step: loss + self._penalties(coef + step * direction)

    def _penalties(self, coef: Floats) -> Floats:
        ridge = 0.5 * self.l2 * np.einsum("jb,jb,j->b", coef, coef, self._penalised)
        return np.asarray(ridge + smoothing_loss(coef[self.design.intercept], self.problems.smoothing))

    def gradient(self, coef: Floats, residual: Array) -> Floats:
        gradient = super().gradient(coef, residual)
        if self.problems.smoothing:
            pull = 2.0 * expit(coef[self.design.intercept]) - 1.0
            gradient[self.design.intercept] += self.problems.smoothing * pull
        return self.allowed(gradient)

    def hessian(self, coef: Floats, curvature: Floats) -> Floats:
        hessian, p = super().hessian(coef, curvature), expit(coef[self.design.intercept])
        hessian[self.design.intercept] += 2.0 * self.problems.smoothing * p * (1.0 - p)
        return hessian


def _rows(
    problems: LogisticProblems, z: Array, d: Array, t: Floats, z_out: Array, residual: Array
) -> tuple[Floats, Floats]:
    loss, curvature = implementation.logistic_step(
        z, d, t, problems.targets, problems.target, problems.weights, problems.weight, z_out, residual
    )
    return np.asarray(loss), np.asarray(curvature)


def smoothing_loss(intercept: Floats, smoothing: float) -> Floats:
    """Loss of a pseudo-row of each class at the origin, each of weight ``smoothing``."""
    return np.asarray(smoothing * (np.logaddexp(0.0, intercept) + np.logaddexp(0.0, -intercept)))
