"""L-BFGS with a diagonal preconditioner on many problems at once, which share every product with the design.

Each problem has its own step, memory and stopping point: it is solved as it would be alone, and leaves the batch when
it has converged.

References
----------
.. [1] J. Nocedal and S. J. Wright, "Numerical Optimization", 2nd ed., 2006, algorithm 7.4.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from setwise.contract import Array, Bools, Floats
from setwise.kernels import implementation
from setwise.learning.linear.design import Design
from setwise.learning.linear.objective import Objective
from setwise.learning.progress.monitor import current_monitor

MEMORY = 24
"""Largest number of pairs of steps and gradient changes that are remembered."""
FIRST_MEMORY = 6
"""Pairs allocated at the start: most fits are short, and unused memory would be copied with the rest."""
ROUGH_TOL = 3e-7
"""Single precision is used up to this tolerance, at half the time per step; double precision does the rest."""
ROUGH_CELLS = 1 << 22
"""Multiplications per product up to which single precision is not worth a conversion."""
SEARCHES = 30
"""Largest number of shorter steps that are tried; the last one is zero."""
WORTH_COPYING = 0.2
"""Share of the columns that must have converged before they are taken out."""
WORKSPACE_BYTES = 256 * 2**20
"""Memory of the problems that are solved at once: more of them share each product with the design."""


@dataclass(frozen=True)
class Minima:
    """Coefficients (D, C) of B problems, their objectives, iterations and convergence.

    ``trace`` has a row per iteration: objective and number of the problems still in the batch, line-search steps,
    seconds since the start.
    """

    coef: Floats
    objective: Floats
    n_iter: Array
    converged: Bools
    trace: list[dict[str, Any]] = field(repr=False)


def rough_design(design: Design, n_columns: int) -> Design | None:
    """Convert the design to single precision if products with ``n_columns`` of coefficients then are faster."""
    if n_columns * design.n_rows * design.n_columns <= ROUGH_CELLS:
        return None
    single = design.single()
    return None if single is design else single


def columns_at_once(design: Design, n_arrays: int) -> int:
    """Count the columns of coefficients that fit the workspace, with ``n_arrays`` numbers per row and column."""
    per_column = 8 * (n_arrays * design.n_rows + (2 * MEMORY + 6) * design.n_columns)
    return max(1, WORKSPACE_BYTES // per_column)


def descend(objective: Objective, start: Floats, *, tol: float, max_iter: int, patience: int) -> Minima:
    """Minimize all problems of an objective.

    Parameters
    ----------
    objective : Objective of B problems, C columns in all
    start : ndarray of shape (D, C)
    tol : float
        A problem stops when the decrease predicted by its last direction is below ``tol`` times its objective.
    max_iter : int
        Largest number of iterations.
    patience : int
        A problem also stops after this many iterations in a row without a decrease beyond rounding.

    Returns
    -------
    Minima
    """
    return _Descent(objective, start).run(tol, max_iter, patience)


class _Descent:
    """The problems still in the batch, their coefficients, and their last pairs of steps and gradient changes.

    Order of calls in ``run``, until no problem is left:
        direction -> search -> update -> retire
    ``search`` updates the scores and residuals; ``update`` the coefficients, the gradient and the memory; ``retire``
    writes finished problems into ``found`` and shrinks the batch. The last axis of an array is that of the problems
    (``value``, ``idle``, ``rho``) or of their columns.
    """

    def __init__(self, objective: Objective, start: Floats) -> None:
        self.objective, self.clock = objective, time.perf_counter()
        self.coef = np.array(start, dtype=np.float64, order="C")
        B, C = len(objective.first) - 1, self.coef.shape[1]
        self.problems, self.columns = np.arange(B), np.arange(C)
        room = (FIRST_MEMORY, *self.coef.shape)
        self.steps, self.changes = (np.zeros(room, objective.design.dtype) for _ in range(2))
        self.rho, self.n_pairs, self.idle = np.zeros((FIRST_MEMORY, B)), 0, np.zeros(B, int)
        self.scores = objective.scores(self.coef)
        self.spare, self.residual = np.empty_like(self.scores), np.empty_like(self.scores)
        loss, self.curvature = objective.rows(
            self.scores, self.scores, np.zeros(B), self.problems, self.spare, self.residual
        )
        self.value = objective.along(self.coef, self.coef)(loss, np.zeros(B))
        self.gradient = objective.gradient(self.coef, self.residual)
        self.found = Minima(self.coef.copy(), self.value.copy(), np.zeros(B, int), np.zeros(B, bool), [])

    def run(self, tol: float, max_iter: int, patience: int) -> Minima:
        for iteration in current_monitor().steps("solver", range(1, max_iter + 1)):
            direction, slope = self._direction()
            searches = self._search(direction, slope)
            self._record(iteration, searches)
            done = (-0.5 * slope <= tol * np.maximum(self.value, 1e-6)) | (self.idle >= patience)
            self._retire(done, iteration, last=iteration == max_iter)
            if not len(self.problems):
                break
        return self.found

    def _direction(self) -> tuple[Floats, Floats]:
        """Compute the next direction (D, C), and the slope (B,) along it."""
        inverse = self._preconditioner()
        kept = min(self.n_pairs, MEMORY)
        order = np.arange(self.n_pairs - kept, self.n_pairs, dtype=np.int32) % MEMORY
        direction = implementation.lbfgs_direction(
            self.gradient, self.steps, self.changes, self.rho, order, inverse, self.objective.first
        )
        slope = self.objective.dots(self.gradient, direction)
        lost = ~np.isfinite(slope)
        if lost.any():
            # The memory of these problems overflows: they forget it and follow the gradient.
            self.rho[:, lost] = 0.0
            columns = self.objective.by_column(lost)
            direction[:, columns] = (-inverse * self.gradient)[:, columns]
            slope = self.objective.dots(self.gradient, direction)
        return direction, slope

    def _preconditioner(self) -> Floats:
        """Compute the inverse (D, C) of the Hessian's diagonal, corrected by the curvature of the last step.

        The diagonal assumes that the rows a problem is uncertain about are like all others. If they are not, its steps
        are too long, and every search that halves one costs a pass over the rows.
        """
        inverse = self.objective.hessian(self.coef, self.curvature)
        np.divide(1.0, np.maximum(inverse, 1e-12, out=inverse), out=inverse)
        if self.n_pairs:
            slot = (self.n_pairs - 1) % MEMORY
            change = self.changes[slot]
            bend = self.objective.dots(change * inverse, change) * self.rho[slot]
            inverse /= self.objective.by_column(np.maximum(bend, 1.0))
        return inverse

    def _search(self, direction: Floats, slope: Floats) -> int:
        """Backtrack to a sufficient decrease, problem by problem; only problems that fail are evaluated again."""
        objective, change, step = (
            self.objective,
            self.objective.scores(direction),
            np.ones(len(self.problems)),
        )
        penalised, failed = objective.along(self.coef, direction), np.arange(len(step))
        value, curvature = self.value.copy(), self.curvature
        for searches in range(SEARCHES + 1):
            loss, bent = objective.rows(self.scores, change, step, failed, self.spare, self.residual)
            value[failed] = penalised(loss, step)[failed]
            # Zero if nothing was evaluated, or if the loss of a class without rows is flat to the last digit: the
            # last positive curvature is then a better guess.
            curvature = np.where(bent > 0.0, bent, curvature)
            failed = failed[self._insufficient(value, step, slope)[failed]]
            if not len(failed):
                break
            step[failed] = self._shorter(value, step, slope, failed) if searches < SEARCHES - 1 else 0.0
        self.scores, self.spare, self.curvature = self.spare, self.scores, curvature
        self._update(step, direction, value)
        return searches

    def _insufficient(self, value: Floats, step: Floats, slope: Floats) -> Bools:
        # The slack is the rounding of the summed loss; without it a search at the optimum never ends.
        return np.asarray(~(value <= self.value + 1e-4 * step * slope + self._rounding()))

    def _shorter(self, value: Floats, step: Floats, slope: Floats, failed: Array) -> Floats:
        """Shorten failed steps to the vertex of the parabola through both values and the slope, a tenth to a half."""
        slope, step = slope[failed], step[failed]
        bend = value[failed] - self.value[failed] - slope * step
        guess = -slope * step**2 / np.maximum(2.0 * bend, 1e-300)
        return np.clip(np.nan_to_num(guess), 0.1 * step, 0.5 * step)

    def _update(self, length: Floats, direction: Floats, value: Floats) -> None:
        slot = self._next_slot()
        step = self.objective.by_column(length) * direction
        coef = self.coef + step
        gradient = self.objective.gradient(coef, self.residual)
        change = gradient - self.gradient
        self.steps[slot], self.changes[slot], product = step, change, self.objective.dots(step, change)
        # A gradient that changed by less than its rounding carries no curvature; used as such, it would make
        # directions grow until they overflow.
        noise = self.objective.rounding * self._largest(gradient)
        known = (product > 1e-300) & (self._largest(change) > noise)
        self.rho[slot] = np.divide(1.0, product, out=np.zeros_like(product), where=known)
        self.n_pairs += 1
        self.idle = np.where(self.value - value > self._rounding(), 0, self.idle + 1)
        self.coef, self.gradient, self.value = coef, gradient, value

    def _next_slot(self) -> int:
        """Find the place of the next pair: a new one while the memory may grow, then that of the oldest pair."""
        room = len(self.rho)
        if self.n_pairs == room < MEMORY:
            more = min(room, MEMORY - room)
            for name in ("steps", "changes", "rho"):
                old = getattr(self, name)
                setattr(self, name, np.concatenate([old, np.zeros((more, *old.shape[1:]), old.dtype)]))
        return self.n_pairs % MEMORY

    def _retire(self, done: Bools, iteration: int, last: bool) -> None:
        """Take converged problems out of the batch once there are enough of them, or all in the last iteration.

        NumPy's ``compress`` copies columns thirty times as fast as a mask in the last place of an index.
        """
        if not (last or self.objective.by_column(done).sum() >= WORTH_COPYING * len(self.columns)):
            return
        keep = np.zeros(len(done), bool) if last else ~done
        stays = self.objective.by_column(keep)
        out, found = self.problems[~keep], self.found
        found.coef[:, self.columns[~stays]] = np.compress(~stays, self.coef, axis=1)
        found.objective[out], found.converged[out] = self.value[~keep], done[~keep]
        found.n_iter[out] = iteration
        self.problems = self.problems[keep]
        if not len(self.problems):
            return
        self.objective = self.objective.take(keep)
        for name in ("value", "idle", "rho"):
            setattr(self, name, np.compress(keep, getattr(self, name), axis=-1))
        for name in ("columns", "coef", "gradient", "curvature", "scores", "steps", "changes"):
            setattr(self, name, np.compress(stays, getattr(self, name), axis=-1))
        self.spare, self.residual = np.empty_like(self.scores), np.empty_like(self.scores)

    def _record(self, iteration: int, searches: int) -> None:
        seconds = time.perf_counter() - self.clock
        row = {"iteration": iteration, "objective": float(self.value.sum()), "problems": len(self.problems)}
        self.found.trace.append(row | {"searches": searches, "seconds": seconds})

    def _rounding(self) -> Floats:
        return np.asarray(4.0 * self.objective.rounding * np.abs(self.value))

    def _largest(self, values: Floats) -> Floats:
        """Find the largest absolute value (B,) of each problem among values (D, C)."""
        return self.objective.by_problem(np.abs(values).max(axis=0), np.maximum)
