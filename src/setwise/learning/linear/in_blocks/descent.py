"""The solver on rows in blocks: no problem waits in a round for another one that tries a shorter step."""

from __future__ import annotations

import numpy as np

from setwise.arrays import Array, Bools, Floats
from setwise.learning.linear.descent import SEARCHES, Descent, Minima
from setwise.learning.linear.line import Line
from setwise.learning.linear.objective import Objective
from setwise.learning.progress.monitor import current_monitor


class RoundDescent(Descent):
    """L-BFGS whose problems each go on as soon as their own step is accepted.

    A round costs a visit of all blocks, whatever is tried in it: so some problems try their next step while others try
    a shorter one. Each takes the steps that it would take alone.

    Parameters
    ----------
    objective : Objective
    start : ndarray of shape (D, C)

    Order of calls in ``run``, once a round, until no problem is left:
        aim -> try -> move the problems whose step is accepted -> retire
    ``moves`` (B,) marks these, ``step`` is what is tried, ``tries`` counts shorter steps, ``taken`` accepted ones. A
    problem that has converged waits until all have taken as many: the batch then decides on their leave as it does in
    memory. ``judged`` is the last iteration for which it has.
    """

    of_problems = (*Descent.of_problems, "step", "tries", "taken", "moves", "done")
    of_columns = (*Descent.of_columns, "direction", "dots")

    def __init__(self, objective: Objective, start: Floats) -> None:
        super().__init__(objective, start)
        B, (D, C) = len(self.problems), self.coef.shape
        self.step, self.tries, self.taken = np.ones(B), np.zeros(B, int), np.zeros(B, int)
        self.moves, self.done = np.ones(B, bool), np.zeros(B, bool)
        self.judged = 0
        self.direction: Array = np.zeros((D, C), objective.design.dtype)
        self.dots: Floats = np.zeros((3, C))

    def run(self, tol: float, max_iter: int, patience: int) -> Minima:
        """Minimize all problems; see :func:`~setwise.learning.linear.descent.descend`."""
        for number in current_monitor().steps("solver", range(1, max_iter * (SEARCHES + 1) + 1)):
            line = self._aim()
            waits = self.done & (self.taken > self.judged)
            self._try(line, (self.taken < max_iter) & ~waits)
            self._record(number, int(self.tries.max()))
            close = -0.5 * line.slope <= tol * np.maximum(self.value, 1e-6)
            self.done = np.where(self.moves, close | (self.idle >= patience), self.done)
            while len(self.problems) and self.taken.min() > self.judged:
                self.judged = int(self.taken.min())
                self._retire(self.done & (self.taken == self.judged), self.judged, self.judged == max_iter)
            if not len(self.problems):
                break
        return self.found

    def _aim(self) -> Line:
        """Give a new direction to the problems that moved."""
        if self.moves.any():
            direction, dots = self._next_direction()
            columns = self.objective.by_column(self.moves)
            self.direction[:, columns], self.dots[:, columns] = direction[:, columns], dots[:, columns]
        self.walk.aim(self.coef, self.direction)
        return Line.of(self.objective, self._intercepts(), self.direction, self.dots)

    def _try(self, line: Line, active: Bools) -> None:
        """Try a step of every active problem; move those for which it is short enough, shorten the others."""
        loss, curvature, slope = self.walk.try_steps(self.step, np.flatnonzero(active))
        value = self.ridge + line.value(loss, self.step)
        ahead = line.derivative(slope, self.step)
        short = self._sufficient(value, ahead, self.step, line.slope) | (self.tries == SEARCHES)
        self.moves, failed = active & short, np.flatnonzero(active & ~short)
        shorter = self._shorter(value, ahead, self.step, line.slope, failed)
        if self.moves.all():
            self.curvature = np.where(curvature > 0.0, curvature, self.curvature)
            self._update(self.step, line, value)
        elif self.moves.any():
            self._move_some(line, value, curvature)
        self.tries[failed] += 1
        self.step[failed] = np.where(self.tries[failed] == SEARCHES, 0.0, shorter)
        self.step[self.moves], self.tries[self.moves] = 1.0, 0
        self.taken += self.moves

    def _move_some(self, line: Line, value: Floats, curvature: Floats) -> None:
        """Update the problems that move; the others keep everything, and no pair is lost to one that is not theirs."""
        stays = ~self.moves
        columns = self.objective.by_column(stays)
        kept = {
            name: np.compress(stays, getattr(self, name), axis=-1)
            for name in ("value", "ridge", "idle", "least")
        }
        held = {name: np.compress(columns, getattr(self, name), axis=-1) for name in ("coef", "gradient")}
        pairs = self._pairs()
        memory = [(self.steps[p][:, columns], self.changes[p][:, columns], self.rho[p, stays]) for p in pairs]
        self.curvature = np.where((curvature > 0.0) & ~columns, curvature, self.curvature)
        self._update(np.where(stays, 0.0, self.step), line, value)
        for name, values in kept.items():
            getattr(self, name)[stays] = values
        for name, values in held.items():
            getattr(self, name)[:, columns] = values
        pairs = self._pairs()
        self.rho[pairs[0], stays] = 0.0
        for pair, (step, change, rho) in zip(pairs[len(pairs) - len(memory) :], memory, strict=True):
            self.steps[pair][:, columns], self.changes[pair][:, columns] = step, change
            self.rho[pair, stays] = rho
