"""Where the solver stands on the rows: the losses of many problems after steps along their directions."""

from __future__ import annotations

from typing import Any, Protocol, Self

import numpy as np

from setwise.arrays import Array, Bools, Floats


class Walk(Protocol):
    """The only thing of the solver that sees rows, wherever they are.

    ``loss`` (B,) and ``curvature`` (C,) are those at the start. Order of calls:
        aim -> try_steps, until all steps are accepted -> accept -> gradient
    """

    loss: Floats
    curvature: Floats

    def aim(self, coef: Floats, direction: Array) -> None:
        """Set out from coefficients (D, C) along directions (D, C)."""

    def try_steps(self, step: Floats, which: Array) -> tuple[Floats, Floats, Floats]:
        """Compute the losses (B,), curvatures (C,) and slopes (B,) of problems ``which`` after steps (B,)."""

    def accept(self) -> None:
        """Stand where the last steps of every problem led."""

    def gradient(self, objective: Any, intercepts: Floats) -> Array:
        """Compute the gradient (D, C), without that of the L2 penalty, after the last steps."""

    def take(self, objective: Any, stays: Bools) -> Self:
        """Keep the columns (C,) of some problems, those of ``objective``."""


class ScoredRows:
    """Rows in memory, with their scores (n, C), a place for new ones, and the derivatives of their losses.

    Parameters
    ----------
    objective : Objective
        Computes scores, and losses of them.
    coef : ndarray of shape (D, C)
    """

    def __init__(self, objective: Any, coef: Floats) -> None:
        self.objective = objective
        self.scores = objective.scores(coef)
        self.spare, self.residual = np.empty_like(self.scores), np.empty_like(self.scores)
        self.change: Array = self.scores
        B = len(objective.first) - 1
        self.loss, self.curvature, _ = self.try_steps(np.zeros(B), np.arange(B))

    def aim(self, coef: Floats, direction: Array) -> None:
        """Set out along directions (D, C)."""
        self.change = self.objective.scores(direction)

    def try_steps(self, step: Floats, which: Array) -> tuple[Floats, Floats, Floats]:
        """Compute the losses (B,), curvatures (C,) and slopes (B,) of problems ``which`` after steps (B,)."""
        loss, curvature, slope = self.objective.rows(
            self.scores, self.change, step, which, self.spare, self.residual
        )
        return loss, curvature, slope

    def accept(self) -> None:
        """Stand where the last steps of every problem led."""
        self.scores, self.spare = self.spare, self.scores

    def gradient(self, objective: Any, intercepts: Floats) -> Array:
        """Compute the gradient (D, C), without that of the L2 penalty, after the last steps."""
        gradient: Array = objective.gradient(self.residual, intercepts)
        return gradient

    def take(self, objective: Any, stays: Bools) -> Self:
        """Keep the columns (C,) of some problems.

        NumPy's ``compress`` copies columns thirty times as fast as a mask in the last place of an index.
        """
        self.objective, self.scores = objective, np.compress(stays, self.scores, axis=-1)
        self.spare, self.residual = np.empty_like(self.scores), np.empty_like(self.scores)
        return self
