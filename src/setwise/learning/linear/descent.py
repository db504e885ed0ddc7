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
from setwise.learning.linear.line import Line
from setwise.learning.linear.objective import Objective
from setwise.learning.progress.monitor import current_monitor

MEMORY = 24
"""Largest number of pairs of steps and gradient changes that are remembered."""
LEAST_MEMORY = 6
"""Smallest such number: with many more columns than values in them, memory costs more than the product."""
FIRST_MEMORY = 6
"""Pairs allocated at the start: most fits are short, and unused memory would be copied with the rest."""
ROUGH_TOL = 1e-9
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
    if n_columns * design.cells <= ROUGH_CELLS:
        return None
    single = design.single()
    return None if single is design else single


def columns_at_once(design: Design, n_arrays: int) -> int:
    """Count the columns of coefficients that fit the workspace, with ``n_arrays`` numbers per row and column."""
    pairs = 2 * pairs_worth_keeping(design)
    per_column = design.dtype.itemsize * (n_arrays * design.n_rows + (pairs + 8) * design.n_columns)
    return max(1, WORKSPACE_BYTES // per_column)


def pairs_worth_keeping(design: Design) -> int:
    """Count the pairs to remember: fewer if a pass over the coefficients costs much beside a product."""
    return int(np.clip(design.cells // (8 * design.n_columns), LEAST_MEMORY, MEMORY))


def even_blocks(problems: Array, width: int) -> list[Array]:
    """Split problems in as few blocks of at most ``width`` as possible, of about the same size."""
    return np.array_split(problems, -(-len(problems) // width)) if len(problems) else []


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
    return Descent(objective, start).run(tol, max_iter, patience)


class Descent:
    """The problems still in the batch, their coefficients, and their last pairs of steps and gradient changes.

    Parameters
    ----------
    objective : Objective
    start : ndarray of shape (D, C)
    memory : int, optional
        Most pairs that are kept; by default as many as are worth their passes.

    Order of calls in ``run``, until no problem is left:
        direction -> search -> update -> retire
    ``search`` walks over the rows; ``update`` the coefficients, the gradient and the memory; ``retire``
    writes finished problems into ``found`` and shrinks the batch. The last axis of an array is that of the problems
    (``of_problems``) or of their columns (``of_columns``).
    """

    worth_copying = WORTH_COPYING
    of_problems: tuple[str, ...] = ("value", "ridge", "idle", "least", "rho")
    of_columns: tuple[str, ...] = ("columns", "coef", "gradient", "curvature", "steps", "changes")

    def __init__(self, objective: Objective, start: Floats, memory: int | None = None) -> None:
        self.objective, self.clock = objective, time.perf_counter()
        self.coef = np.array(start, dtype=np.float64, order="C")
        B, C = len(objective.first) - 1, self.coef.shape[1]
        self.problems, self.columns = np.arange(B), np.arange(C)
        self.memory = pairs_worth_keeping(objective.design) if memory is None else memory
        room = (min(FIRST_MEMORY, self.memory), *self.coef.shape)
        self.steps, self.changes = (np.zeros(room, objective.design.dtype) for _ in range(2))
        self.rho, self.n_pairs, self.idle = np.zeros((room[0], B)), 0, np.zeros(B, int)
        self.least = np.full(B, np.inf)
        self.walk = objective.walk(self.coef)
        self.curvature = self.walk.curvature
        self.ridge, intercepts = objective.ridge(self.coef), self._intercepts()
        penalty = objective.by_problem(objective.intercept_penalty(intercepts)[0])
        self.value = self.walk.loss + self.ridge + penalty
        self.gradient = self.walk.gradient(objective, intercepts) + objective.pull(self.coef)
        self.found = Minima(self.coef.copy(), self.value.copy(), np.zeros(B, int), np.zeros(B, bool), [])

    def run(self, tol: float, max_iter: int, patience: int) -> Minima:
        """Minimize all problems; see :func:`descend`."""
        for iteration in current_monitor().steps("solver", range(1, max_iter + 1)):
            line = self._line()
            searches = self._search(line)
            self._record(iteration, searches)
            done = (-0.5 * line.slope <= tol * np.maximum(self.value, 1e-6)) | (self.idle >= patience)
            self._retire(done, iteration, last=iteration == max_iter)
            if not len(self.problems):
                break
        return self.found

    def _intercepts(self) -> Floats:
        return np.asarray(self.coef[self.objective.design.intercept])

    def _line(self) -> Line:
        return Line.of(self.objective, self._intercepts(), *self._next_direction())

    def _pairs(self) -> Array:
        """The places of the pairs that are remembered, oldest first."""
        kept = min(self.n_pairs, self.memory)
        return np.asarray(np.arange(self.n_pairs - kept, self.n_pairs, dtype=np.int32) % self.memory)

    def _next_direction(self) -> tuple[Array, Floats]:
        """Find the next direction (D, C) of every problem, and its products (3, C) that a line needs."""
        order = self._pairs()
        direction, dots = self._direction(order)
        lost = ~np.isfinite(self.objective.by_problem(dots[0]))
        if lost.any():
            # The memory of these problems overflows: they forget it and follow the gradient.
            self.rho[:, lost] = 0.0
            columns = self.objective.by_column(lost)
            plain, plain_dots = self._direction(order[:0])
            direction[:, columns], dots[:, columns] = plain[:, columns], plain_dots[:, columns]
        return direction, dots

    def _direction(self, order: Array) -> tuple[Array, Floats]:
        objective, design = self.objective, self.objective.design
        own = self.curvature + objective.intercept_penalty(self._intercepts())[2]
        memory = self.steps, self.changes, self.rho, order
        diagonal = design.mean_squares, self.curvature, objective.l2, design.intercept, own
        return implementation.lbfgs_direction(self.gradient, *memory, self.coef, *diagonal, objective.first)

    def _search(self, line: Line) -> int:
        """Backtrack to a sufficient decrease, problem by problem; only problems that fail are evaluated again."""
        step = np.ones(len(self.problems))
        failed = np.arange(len(step))
        self.walk.aim(self.coef, line.direction)
        value, ahead, curvature = self.value.copy(), line.slope.copy(), self.curvature
        for searches in range(SEARCHES + 1):
            loss, bent, slope = self.walk.try_steps(step, failed)
            value[failed] = (self.ridge + line.value(loss, step))[failed]
            ahead[failed] = line.derivative(slope, step)[failed]
            # Zero if nothing was evaluated, or if the loss of a class without rows is flat to the last digit: the
            # last positive curvature is then a better guess.
            curvature = np.where(bent > 0.0, bent, curvature)
            failed = failed[~self._sufficient(value, ahead, step, line.slope)[failed]]
            if not len(failed):
                break
            last = searches >= SEARCHES - 1
            step[failed] = 0.0 if last else self._shorter(value, ahead, step, line.slope, failed)
        self.walk.accept()
        self.curvature = curvature
        self._update(step, line, value)
        return searches

    def _sufficient(self, value: Floats, ahead: Floats, step: Floats, slope: Floats) -> Bools:
        """Check for a decrease; if it is hidden by the rounding of the summed loss, by the slope at the new point.

        A gradient has many more correct digits than the decrease it promises: W. W. Hager and H. Zhang, "A new
        conjugate gradient method with guaranteed descent and an efficient line search", SIAM J. Optim. 16, 2005.
        """
        clear = value <= self.value + 1e-4 * step * slope
        return np.asarray(clear | ((value <= self.value + self._rounding()) & (ahead <= -0.8 * slope)))

    def _shorter(self, value: Floats, ahead: Floats, step: Floats, slope: Floats, failed: Array) -> Floats:
        """Shorten failed steps to the vertex of a parabola, a tenth to a half of them.

        It goes through both values and the slope; through both slopes if the values differ by rounding only.
        """
        value, ahead, step, slope = value[failed], ahead[failed], step[failed], slope[failed]
        rise = value - self.value[failed]
        hidden = np.abs(rise) <= self._rounding()[failed]
        bend = np.where(hidden, 0.5 * (ahead - slope) * step, rise - slope * step)
        guess = -slope * step**2 / np.maximum(2.0 * bend, 1e-300)
        return np.clip(np.nan_to_num(guess), 0.1 * step, 0.5 * step)

    def _update(self, length: Floats, line: Line, value: Floats) -> None:
        slot, objective = self._next_slot(), self.objective
        intercepts = (
            self._intercepts() + objective.by_column(length) * line.direction[objective.design.intercept]
        )
        meeting, changed, largest = implementation.lbfgs_update(
            self.coef,
            self.gradient,
            line.direction,
            np.ascontiguousarray(objective.by_column(length)),
            self.walk.gradient(objective, intercepts),
            objective.l2,
            objective.design.intercept,
            self.steps[slot],
            self.changes[slot],
        )
        # A gradient that changed by less than its rounding carries no curvature; used as such, it would make
        # directions grow until they overflow.
        product = objective.by_problem(meeting)
        changed, largest = (objective.by_problem(most, np.maximum) for most in (changed, largest))
        known = (product > 1e-300) & (changed > objective.rounding * largest)
        self.rho[slot] = np.divide(1.0, product, out=np.zeros_like(product), where=known)
        self.n_pairs += 1
        # While rounding hides the decrease of the value, a falling slope shows that there still is one.
        falls = (-line.slope < 0.5 * self.least) & (-line.slope > 1e-15 * np.maximum(self.value, 1e-6))
        progress = (self.value - value > self._rounding()) | falls
        self.idle, self.least = np.where(progress, 0, self.idle + 1), np.minimum(self.least, -line.slope)
        self.ridge, self.value = np.maximum(self.ridge + line.ridge(length), 0.0), value

    def _next_slot(self) -> int:
        """Find the place of the next pair: a new one while the memory may grow, then that of the oldest pair."""
        room = len(self.rho)
        if self.n_pairs == room < self.memory:
            more = min(room, self.memory - room)
            for name in ("steps", "changes", "rho"):
                old = getattr(self, name)
                setattr(self, name, np.concatenate([old, np.zeros((more, *old.shape[1:]), old.dtype)]))
        return self.n_pairs % self.memory

    def _retire(self, done: Bools, iteration: int, last: bool) -> None:
        """Take converged problems out of the batch once there are enough of them, or all in the last iteration.

        NumPy's ``compress`` copies columns thirty times as fast as a mask in the last place of an index.
        """
        enough = max(self.worth_copying * len(self.columns), 1)
        if not (last or self.objective.by_column(done).sum() >= enough):
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
        for name in self.of_problems:
            setattr(self, name, np.compress(keep, getattr(self, name), axis=-1))
        for name in self.of_columns:
            setattr(self, name, np.compress(stays, getattr(self, name), axis=-1))
        self.walk = self.walk.take(self.objective, stays)

    def _record(self, iteration: int, searches: int) -> None:
        seconds = time.perf_counter() - self.clock
        row = {"iteration": iteration, "objective": float(self.value.sum()), "problems": len(self.problems)}
        self.found.trace.append(row | {"searches": searches, "seconds": seconds})

    def _rounding(self) -> Floats:
        return np.asarray(4.0 * self.objective.rounding * np.abs(self.value))
