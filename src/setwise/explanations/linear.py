"""Linear scores: a feature contributes its coefficient times its difference from the baseline, exactly."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from setwise.contract import Floats, Matrix
from setwise.explanations.scored import Source
from setwise.kernels.matrices import matmul, minus_row, weigh_cells


@dataclass(frozen=True)
class LinearSource(Source):
    """Scores X @ ``coef`` (d, B) + ``intercept`` (B,) of prepared rows.

    ``prepare`` scales checked rows as the model does; ``row`` (1, d) is the baseline.
    """

    coef: Floats
    intercept: Floats
    prepare: Callable[[Matrix], Matrix]
    row: Matrix

    def scores(self, X: Matrix) -> Floats:
        """See :class:`Source`."""
        return np.asarray(matmul(self.prepare(X), self.coef) + self.intercept, dtype=np.float64)

    def baseline(self) -> Floats:
        """See :class:`Source`."""
        return self._baseline

    @cached_property
    def _baseline(self) -> Floats:
        # Asked for at every point of a quadrature; with the columns of texts the product is what costs.
        return self.scores(self.row)

    def contributions(self, X: Matrix, slopes: Floats) -> Matrix:
        """See :class:`Source`."""
        used = np.flatnonzero(slopes.any(axis=0))
        away = minus_row(self.prepare(X), np.ravel(self.prepare(self.row)))
        return weigh_cells(away, self.coef[:, used], slopes[:, used])
