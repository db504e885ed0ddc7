"""Many weighted logistic regressions on one design, solved together at the speed of matrix products.

Problem b minimises, over coefficients beta_b of the design's columns,

    sum_i w_ib * logloss(y_ib, a_i' beta_b) + l2_b / 2 * |beta_b|^2        (the intercept is not penalised)

by L-BFGS with a diagonal preconditioner. All problems share every product with the design; a problem that
has converged leaves the batch.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from scipy.special import expit

from setwise.contract import Array, Bools, Floats
from setwise.kernels import implementation
from setwise.kernels.design import Design

MEMORY = 8
PATIENCE = 8
"""Iterations in a row without a decrease beyond rounding, after which a problem is as good as its precision allows."""
WORKSPACE_BYTES = 256 * 2**20
ROUGH_TOL = 3e-7
"""To here single precision goes, at half the time of a step; double precision does the rest."""
ROUGH_CELLS = 1 << 22
"""Problems times rows times columns, below which the products are too short to matter."""


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


@dataclass(frozen=True)
class LogisticFit:
    """Coefficients (D, B) of the design, and how they were reached.

    ``trace`` has a row per iteration: objective of the problems still in the batch, their number, line-search
    steps, seconds since the start.
    """

    coef: Floats
    objective: Floats
    n_iter: Array
    converged: Bools
    trace: list[dict[str, Any]] = field(repr=False)


def fit_logistic(
    design: Design,
    problems: LogisticProblems,
    start: Floats | None = None,
    *,
    tol: float = 1e-8,
    max_iter: int = 1000,
) -> LogisticFit:
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
    fit = LogisticFit(
        coef, np.zeros(len(problems)), np.zeros(len(problems), int), np.ones(len(problems), bool), []
    )
    clock = time.perf_counter()
    if start is None and tol < ROUGH_TOL and len(problems) * design.n_rows * design.n_columns > ROUGH_CELLS:
        start = _rough_start(design, problems, max_iter, fit)
    problems = problems.as_dtype(design.dtype)
    width = _problems_at_once(design)
    open_problems = np.flatnonzero(~constant)
    for first in range(0, len(open_problems), width):
        block = open_problems[first : first + width]
        guess = start[:, block] if start is not None else None
        if guess is None:
            guess = _intercepts(design, positive[block], total[block], problems.smoothing)
        _Descent(design, problems.take(block), guess, fit, block, clock).run(tol, max_iter)
    return fit


def _rough_start(
    design: Design, problems: LogisticProblems, max_iter: int, fit: LogisticFit
) -> Floats | None:
    """Coefficients of a fit in single precision, where that is cheaper than double; its trace goes to ``fit``."""
    rough = design.single()
    if rough is design:
        return None
    start = fit_logistic(rough, problems, tol=ROUGH_TOL, max_iter=max_iter)
    fit.trace.extend(start.trace)
    return start.coef


def _problems_at_once(design: Design) -> int:
    per_problem = 8 * (4 * design.n_rows + (2 * MEMORY + 6) * design.n_columns)
    return max(16, WORKSPACE_BYTES // per_problem)


def _intercepts(design: Design, positive: Floats, total: Floats, smoothing: float) -> Floats:
    coef = np.zeros((design.n_columns, len(positive)))
    coef[design.intercept] = np.log(positive + smoothing) - np.log(total - positive + smoothing)
    return coef


class _Descent:
    """L-BFGS on the problems of one block.

    Order of calls in ``run``, until no problem is left:
        direction -> search -> update -> retire
    ``search`` moves coef, scores, residual; ``update`` the gradient and the memory; ``retire`` writes the
    problems that are done into ``fit`` and shrinks the batch.
    """

    def __init__(
        self,
        design: Design,
        problems: LogisticProblems,
        coef: Floats,
        fit: LogisticFit,
        block: Array,
        clock: float,
    ) -> None:
        self.design, self.problems, self.fit, self.block, self.clock = design, problems, fit, block, clock
        self.coef = np.ascontiguousarray(coef, dtype=np.float64)
        self.penalty = np.ones((design.n_columns, 1))
        self.penalty[design.intercept] = 0.0
        if problems.columns is not None:
            self.coef = self.coef * problems.columns
        B = len(problems)
        self.steps, self.changes = (np.zeros((MEMORY, design.n_columns, B)) for _ in range(2))
        self.rho, self.n_pairs, self.idle = np.zeros((MEMORY, B)), 0, np.zeros(B, int)
        self.scores = np.ascontiguousarray(design.scores(self.coef))
        self.spare, self.residual = np.empty_like(self.scores), np.empty_like(self.scores)
        still = np.zeros(B)
        loss, self.curvature = self._rows(
            problems, self.scores, self.scores, still, self.spare, self.residual
        )
        self.value = loss + self._penalties(self.coef)
        self.gradient = self._gradient(self.coef)

    def run(self, tol: float, max_iter: int) -> None:
        for iteration in range(1, max_iter + 1):
            direction, slope = self._direction()
            searches = self._search(direction, slope)
            self._record(iteration, searches)
            converged = -0.5 * slope <= tol * np.maximum(self.value, 1e-6)
            converged |= self.idle >= PATIENCE
            self._retire(converged, iteration, last=iteration == max_iter)
            if not len(self.block):
                return

    def _direction(self) -> tuple[Floats, Floats]:
        hessian = self.curvature * self.design.mean_squares[:, None] + self.problems.l2 * self.penalty
        p = expit(self.coef[self.design.intercept])
        hessian[self.design.intercept] += 2.0 * self.problems.smoothing * p * (1.0 - p)
        kept = min(self.n_pairs, MEMORY)
        order = np.arange(self.n_pairs - kept, self.n_pairs, dtype=np.int32) % MEMORY
        inverse = self._shrunk(1.0 / np.maximum(hessian, 1e-12))
        own_column = np.arange(len(self.block) + 1, dtype=np.int32)
        direction = implementation.lbfgs_direction(
            self.gradient, self.steps, self.changes, self.rho, order, inverse, own_column
        )
        return direction, np.einsum("jb,jb->b", self.gradient, direction)

    def _shrunk(self, inverse: Floats) -> Floats:
        """The preconditioner, divided by how much the last step bent more than it foresaw.

        It assumes that the rows a label is unsure of are like all others; where they are not its steps are too
        long, and every search that has to halve one costs a pass over the rows.
        """
        if not self.n_pairs:
            return inverse
        slot = (self.n_pairs - 1) % MEMORY
        change = self.changes[slot]
        bend = np.einsum("jb,jb,jb->b", change, change, inverse) * self.rho[slot]
        return inverse / np.maximum(bend, 1.0)

    def _search(self, direction: Floats, slope: Floats) -> int:
        """Backtrack to a sufficient decrease, problem by problem; only those that fail are evaluated again."""
        moved = np.ascontiguousarray(self.design.scores(direction))
        step = np.ones(len(self.block))
        loss, curvature = self._rows(self.problems, self.scores, moved, step, self.spare, self.residual)
        value = loss + self._penalties(self.coef + direction)
        failed = np.flatnonzero(self._insufficient(value, step, slope))
        searches = 0
        while len(failed) and searches < 30:
            searches += 1
            bend = value[failed] - self.value[failed] - slope[failed] * step[failed]
            guess = -slope[failed] * step[failed] ** 2 / np.maximum(2.0 * bend, 1e-300)
            step[failed] = np.clip(np.nan_to_num(guess), 0.1 * step[failed], 0.5 * step[failed])
            if searches == 30:
                step[failed] = 0.0
            self._again(failed, moved, step, direction, value, curvature)
            failed = failed[self._insufficient(value, step, slope)[failed]]
        self.scores, self.spare = self.spare, self.scores
        self.curvature = curvature
        self._update(step * direction, value)
        return searches

    def _again(
        self, which: Array, moved: Array, step: Floats, direction: Floats, value: Floats, curvature: Floats
    ) -> None:
        z, d = np.take(self.scores, which, axis=1), np.take(moved, which, axis=1)
        z_out, residual = np.empty_like(z), np.empty_like(z)
        loss, curvature[which] = self._rows(self.problems.take(which), z, d, step[which], z_out, residual)
        penalties = self._penalties(self.coef[:, which] + step[which] * direction[:, which], which)
        value[which] = loss + penalties
        self.spare[:, which], self.residual[:, which] = z_out, residual

    def _insufficient(self, value: Floats, step: Floats, slope: Floats) -> Bools:
        # The slack is the noise of summing the loss; without it a search at the optimum never ends.
        return np.asarray(~(value <= self.value + 1e-4 * step * slope + self._rounding()))

    def _rounding(self) -> Floats:
        return np.asarray(4.0 * np.finfo(self.design.dtype).eps * np.abs(self.value))

    def _update(self, step: Floats, value: Floats) -> None:
        coef = self.coef + step
        gradient = self._gradient(coef)
        slot = self.n_pairs % MEMORY
        self.steps[slot], self.changes[slot] = step, gradient - self.gradient
        product = np.einsum("jb,jb->b", self.steps[slot], self.changes[slot])
        # A gradient that changed by less than its rounding says nothing of the curvature; taken at its word, it
        # makes directions grow until they overflow.
        noise = np.finfo(self.design.dtype).eps * np.abs(gradient).max(axis=0)
        known = (product > 1e-300) & (np.abs(self.changes[slot]).max(axis=0) > noise)
        self.rho[slot] = np.divide(1.0, product, out=np.zeros_like(product), where=known)
        self.n_pairs += 1
        self.idle = np.where(self.value - value > self._rounding(), 0, self.idle + 1)
        self.coef, self.gradient, self.value = coef, gradient, value

    def _retire(self, done: Bools, iteration: int, last: bool) -> None:
        """Take converged problems out once they are worth the copying, or when all must go.

        NumPy's ``compress`` copies columns thirty times as fast as a mask in the last place of an index.
        """
        if not (last or done.sum() >= 0.2 * len(done)):
            return
        out = np.ones(len(done), bool) if last else done
        where = self.block[out]
        self.fit.coef[:, where] = self.coef[:, out]
        self.fit.objective[where], self.fit.n_iter[where] = self.value[out], iteration
        self.fit.converged[where] = done[out]
        keep = ~out
        self.block, self.problems = self.block[keep], self.problems.take(keep).compact()
        self.value, self.curvature = self.value[keep], self.curvature[keep]
        for name in ("coef", "gradient", "scores", "rho", "steps", "changes", "idle"):
            setattr(self, name, np.compress(keep, getattr(self, name), axis=-1))
        self.spare, self.residual = np.empty_like(self.scores), np.empty_like(self.scores)

    def _record(self, iteration: int, searches: int) -> None:
        seconds = time.perf_counter() - self.clock
        row = {"iteration": iteration, "objective": float(self.value.sum()), "problems": len(self.block)}
        self.fit.trace.append(row | {"searches": searches, "seconds": seconds})

    def _rows(
        self, problems: LogisticProblems, z: Array, d: Array, t: Floats, z_out: Array, residual: Array
    ) -> tuple[Floats, Floats]:
        loss, curvature = implementation.logistic_step(
            z, d, t, problems.targets, problems.target, problems.weights, problems.weight, z_out, residual
        )
        return np.asarray(loss), np.asarray(curvature)

    def _penalties(self, coef: Floats, which: Array | slice = slice(None)) -> Floats:
        ridge = 0.5 * self.problems.l2[which] * np.einsum("jb,jb,j->b", coef, coef, self.penalty[:, 0])
        return np.asarray(ridge + smoothing_loss(coef[self.design.intercept], self.problems.smoothing))

    def _gradient(self, coef: Floats) -> Floats:
        gradient = self.design.gradient(self.residual) + self.problems.l2 * self.penalty * coef
        if self.problems.smoothing:
            pull = 2.0 * expit(coef[self.design.intercept]) - 1.0
            gradient[self.design.intercept] += self.problems.smoothing * pull
        return gradient if self.problems.columns is None else gradient * self.problems.columns


def smoothing_loss(intercept: Floats, smoothing: float) -> Floats:
    """Loss of a pseudo-row of each class at the origin, each of weight ``smoothing``."""
    return np.asarray(smoothing * (np.logaddexp(0.0, intercept) + np.logaddexp(0.0, -intercept)))
