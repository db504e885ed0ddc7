"""The objectives of many problems along their directions, apart from the losses of the rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np

from setwise.contract import Array, Floats
from setwise.learning.linear.objective import Objective


@dataclass(frozen=True)
class Line:
    """Directions (D, C) from some coefficients, the objectives' ``slope`` (B,) there, and the penalties along them.

    The L2 penalty is a parabola: ``pull`` (B,) and ``bend`` (B,) are its coefficients, so that a search that tries many
    steps never passes over the coefficients. ``at`` and ``along`` (C,) are the intercepts and their direction.
    """

    objective: Objective
    direction: Array
    slope: Floats
    pull: Floats
    bend: Floats
    at: Floats
    along: Floats

    @classmethod
    def of(cls, objective: Objective, intercepts: Floats, direction: Array, dots: Floats) -> Self:
        """Make the line of a direction from its products (3, C) with the gradient, the coefficients and itself."""
        slope, pull, bend = (objective.by_problem(part) for part in (dots[0], *(objective.l2 * dots[1:])))
        along = direction[objective.design.intercept].astype(np.float64)
        return cls(objective, direction, slope, pull, 0.5 * bend, intercepts, along)

    def ridge(self, step: Floats) -> Floats:
        """Compute the change (B,) of the L2 penalty after steps (B,)."""
        return step * (self.pull + step * self.bend)

    def value(self, loss: Floats, step: Floats) -> Floats:
        """Add the change of the L2 penalty, and the penalty on the intercepts, to losses (B,) after steps (B,)."""
        penalty = self.objective.intercept_penalty(self._intercepts(step))[0]
        return np.asarray(loss + self.ridge(step) + self.objective.by_problem(penalty))

    def derivative(self, slope: Floats, step: Floats) -> Floats:
        """Add the derivatives of the penalties to those of the losses, (B,) each, after steps (B,)."""
        penalty = self.objective.intercept_penalty(self._intercepts(step))[1] * self.along
        return np.asarray(slope + self.pull + 2.0 * step * self.bend + self.objective.by_problem(penalty))

    def _intercepts(self, step: Floats) -> Floats:
        return np.asarray(self.at + self.objective.by_column(step) * self.along)
