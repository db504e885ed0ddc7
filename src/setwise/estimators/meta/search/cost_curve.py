"""What a fit costs by its number of rows: measured on the data at hand, before that expected from the method."""

from __future__ import annotations

import math

import numpy as np

from setwise.contract import Labels, Matrix
from setwise.kernels.matrices import stored_values

UNIT_CELLS = 4e5
"""Products of a stored feature value and a label that binary relevance learns from in a unit of work: about a second of
one core."""
LEAST_ROWS = 50
"""Fits to fewer rows do not cost less."""
GROWTH = 1.1
"""Power of the number of rows with which costs are expected to grow."""
GROWTHS = (0.5, 1.6)
"""Range of measured powers."""


def cells_per_row(X: Matrix, Y: Labels) -> float:
    """Mean number of products of a stored feature value and a label in a row.

    Examples
    --------
    >>> import numpy as np
    >>> cells_per_row(np.ones((4, 3)), np.ones((4, 2)))
    6.0
    """
    return float(np.size(stored_values(X)) / X.shape[0] * Y.shape[1])


class CostCurve:
    """The expected cost of fits of one candidate.

    Parameters
    ----------
    relative : float
        Cost of a fit in units of that of binary relevance.
    cells : float
        Products of a feature value and a label in a row; see :func:`cells_per_row`.

    Examples
    --------
    >>> curve = CostCurve(1.0, 100.0)
    >>> curve.add(100, 2.0)
    >>> curve.add(400, 8.0)
    >>> curve.expected(800), curve.rows(16.0)
    (16.0, 800)
    """

    def __init__(self, relative: float, cells: float) -> None:
        self.relative, self.cells = relative, cells
        self.points: dict[int, float] = {}

    def work(self, n_rows: int) -> float:
        """Units of work of a fit, which do not depend on the machine."""
        return self.relative * self.cells * max(n_rows, LEAST_ROWS) / UNIT_CELLS

    def add(self, n_rows: int, cost: float) -> None:
        """Remember what a fit cost; the smallest if there were several to the same number of rows."""
        self.points[n_rows] = min(cost, self.points.get(n_rows, math.inf))

    def expected(self, n_rows: int, rate: float = 1.0, growth: float = GROWTH) -> float:
        """Cost of a fit: from those before, or from its work at a ``rate`` per unit.

        ``growth`` is the power of the number of rows that is expected after a single fit.
        """
        if not self.points:
            return self.work(n_rows) * rate
        last = max(self.points)
        return float(self.points[last] * (n_rows / last) ** self.growth(growth))

    def rows(self, cost: float) -> int:
        """Number of rows that a fit of some cost may have; 0 before a fit."""
        if not self.points:
            return 0
        last = max(self.points)
        return int(last * (max(cost, 0.0) / max(self.points[last], 1e-9)) ** (1 / self.growth()))

    def growth(self, expected: float = GROWTH) -> float:
        """Power of the number of rows with which the cost grows; ``expected`` before a second fit."""
        sizes = sorted(self.points)
        if len(sizes) < 2 or min(self.points.values()) <= 0:
            return expected
        small, large = sizes[0], sizes[-1]
        power = math.log(self.points[large] / self.points[small]) / math.log(large / small)
        return float(np.clip(power, *GROWTHS))
