"""Newton's method on logistic regressions of sparse text: the last digits of labels that few rows are unsure about.

L-BFGS ends slowly where a label is nearly separable, because a few rows carry all curvature, and others for each label.
Those rows are also why a Newton direction is cheap there: conjugate gradients need no other row. Each direction
is computed from the problem's own rows, but all problems share the two products with the design that a step takes.

References
----------
.. [1] C.-J. Lin, R. C. Weng and S. S. Keerthi, "Trust region Newton method for logistic regression", JMLR 9, 2008.
"""

from __future__ import annotations

from abc import abstractmethod
from typing import cast

import numpy as np

from setwise.arrays import Array, Floats
from setwise.kernels import implementation
from setwise.learning.linear.columns import SparseColumns
from setwise.learning.linear.descent import Descent, pairs_worth_keeping
from setwise.learning.linear.design import Design
from setwise.learning.linear.logistic_problems import LogisticProblems
from setwise.learning.linear.objective import Objective
from setwise.learning.linear.walk import ScoredRows

START_TOL = 1e-3
"""Tolerance at which L-BFGS hands over: far from the optimum every row is unsure, and a Newton step is too long."""
FINE_TOL = 1e-6
"""Largest tolerance with which the method is considered: until then L-BFGS is fast, most of all with many problems."""
MOST_ROWS = 0.4
"""Largest mean share of the rows that carry a problem's curvature, if steps of L-BFGS cost products alone: with more
rows, products for all problems at once win."""
MEMORY_PASSES = 5.0
"""What a step of L-BFGS costs for each number it remembers, in multiplications of a product: adds to that share."""
NEGLIGIBLE = 0.05
"""Curvature, beside the mean of all rows, of rows that do not count among them."""
TRUE_DECREASE = 30.0
"""Tolerance beside that of L-BFGS: a Newton direction promises nearly all the decrease that is left, one of L-BFGS a
thirtieth or less where convergence is slow."""
CONJUGATE_STEPS = 250
"""Most steps of conjugate gradients for a direction."""


def newton_pays(curvatures: Array, design: Design) -> bool:
    """Predict whether Newton's method ends sooner from here than L-BFGS, on sparse columns.

    Parameters
    ----------
    curvatures : ndarray of shape (n, B)
        Second derivatives of the losses by the scores.
    design : Design
        Its sparse columns.

    Returns
    -------
    bool
    """
    share = (curvatures > NEGLIGIBLE * curvatures.mean(axis=0)).mean()
    memory = pairs_worth_keeping(design) * design.n_columns / design.cells
    return bool(share < MOST_ROWS + MEMORY_PASSES * memory)


class LogisticObjective(Objective):
    """What a direction needs to know of regressions with one column each."""

    problems: LogisticProblems

    @abstractmethod
    def curvatures(self, scores: Array) -> Array:
        """Compute the second derivatives (n, B) of the losses by the scores (n, B), in single precision."""


class NewtonDescent(Descent):
    """The solver with Newton directions, whose length is one near the optimum.

    Problems leave as soon as they have converged: each pays for its own direction.

    Parameters
    ----------
    objective : LogisticObjective
        On sparse columns.
    start : ndarray of shape (D, B)
    """

    worth_copying = 0.0

    objective: LogisticObjective

    def __init__(self, objective: LogisticObjective, start: Floats) -> None:
        super().__init__(objective, start, memory=1)

    def _direction(self, order: Array) -> tuple[Array, Floats]:
        objective, walk = self.objective, cast(ScoredRows, self.walk)
        columns, allowed = cast(SparseColumns, objective.design.columns), objective.problems.columns
        features, own = columns.features, objective.intercept_penalty(self._intercepts())[2]
        nowhere = np.empty((0, len(self.value)), np.uint8)
        direction = implementation.newton_directions(
            features.data,
            features.indices,
            features.indptr,
            columns.extra,
            objective.curvatures(walk.scores),
            self.gradient,
            columns.mean,
            objective.l2,
            own,
            self.value,
            nowhere if allowed is None else np.ascontiguousarray(allowed).view(np.uint8),
            CONJUGATE_STEPS,
        )
        penalized = np.delete(direction, objective.design.intercept, axis=0)
        coef = np.delete(self.coef, objective.design.intercept, axis=0)
        dots = np.array(
            [
                objective.dots(direction, self.gradient),
                objective.dots(penalized, coef),
                objective.dots(penalized, penalized),
            ]
        )
        return direction.astype(objective.design.dtype, copy=False), dots
