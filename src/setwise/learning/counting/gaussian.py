"""Gaussian features within each class for NaiBX: counts, means and spreads that can be merged.

Missing values (NaN) are skipped.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Self

import numpy as np

from setwise.arrays import Array, Bools, Floats, Matrix
from setwise.kernels.matrices import dense_blocks, take_columns
from setwise.learning.counting.labels import Members
from setwise.learning.counting.smoothing import Smoothing

VARIANCE_FLOOR = 1e-9
"""Smallest variance within a class, as a share of the column's variance."""
LARGEST_DEVIATION = 1e8
"""Largest distance from the mean in standard deviations; larger ones are cut, so that squares stay finite."""
BLOCK_ARRAYS = 4
"""Arrays as large as a block of rows that counting and scoring hold at a time."""


@dataclass(frozen=True)
class GaussianCounts:
    """Rows, means and spreads (C, d) of each class and column, merged by Chan's formula.

    A spread is the root of the sum of squared deviations, so that it is finite for values up to the largest number.
    """

    rows: Floats
    mean: Floats
    spread: Floats
    smoothing: Smoothing

    @classmethod
    def of(cls, X: Matrix, members: Members, smoothing: Smoothing) -> Self:
        """Count the rows of ``X`` (n, d)."""
        rows, mean, squares = _moments(X, members, np.ones(X.shape[1]))
        unit = np.ones(X.shape[1])
        if not np.isfinite(squares).all():
            unit = np.fmax.reduce(
                [np.fmax.reduce(np.abs(block)) for _, block in dense_blocks(X, BLOCK_ARRAYS)]
            )
            unit = np.where(unit > 0, unit, 1.0)
            rows, mean, squares = _moments(X, members, unit)
        rows, mean, spread = (members.spread(part) for part in (rows, mean * unit, np.sqrt(squares) * unit))
        return cls(rows, mean, spread, smoothing)

    def __add__(self, other: Self) -> Self:
        rows = self.rows + other.rows
        share = other.rows / np.maximum(rows, 1e-300)
        change = other.mean - self.mean
        spread = np.hypot(self.spread, np.hypot(other.spread, change * np.sqrt(self.rows * share)))
        return type(self)(rows, self.mean + change * share, spread, self.smoothing)

    @cached_property
    def _model(self) -> tuple[Array, Floats, Floats, Floats, Floats, Floats]:
        """Compute the used columns, their mean and deviation; weights of z^2 and z, and the constant, (C, d) each."""
        sizes = slice(len(self.rows) // 2, None)
        share = self.rows[sizes] / np.maximum(self.rows[sizes].sum(axis=0), 1e-300)
        center = (share * self.mean[sizes]).sum(axis=0)
        inside = self.spread[sizes] / np.sqrt(np.maximum(self.rows[sizes].sum(axis=0), 1e-300))
        parts = np.concatenate([inside, np.sqrt(share) * np.abs(self.mean[sizes] - center)])
        deviation = np.hypot.reduce(parts, axis=0)
        used = np.flatnonzero(deviation > 4 * np.finfo(np.float64).eps * np.abs(center))
        center, deviation = center[used], deviation[used]
        rows = self.rows[:, used]
        mean = np.where(rows > 0, (self.mean[:, used] - center) / deviation, 0.0)
        of_class = self._variances(rows, (self.spread[:, used] / deviation) ** 2)
        constant = -0.5 * (np.log(2 * np.pi * of_class) + mean**2 / of_class)
        return used, center, deviation, -0.5 / of_class, mean / of_class, constant

    def _variances(self, rows: Floats, squares: Floats) -> Floats:
        """Compute variances relative to the column's, which replaces those of classes that are too small."""
        prior = self.smoothing.variance
        freedom = np.maximum(rows - self.smoothing.ddof, 0.0) + prior
        known = (freedom > 0) & (rows > 0)
        ratio = (squares + prior) / np.where(known, freedom, 1.0)
        return np.where(known, np.maximum(ratio, VARIANCE_FLOOR), 1.0)

    def log_likelihood(self, X: Matrix, classes: Bools) -> Floats:
        """Compute log p(x | class) (n, c) of some classes, up to a constant per row."""
        used, center, deviation, a, b, constant = self._model
        a, b, constant = a[classes].T, b[classes].T, constant[classes].T
        answer = np.empty((X.shape[0], a.shape[1]))
        for at, block in dense_blocks(take_columns(X, used), BLOCK_ARRAYS):
            gone = np.isnan(block)
            with np.errstate(over="ignore"):
                z = np.clip((block - center) / deviation, -LARGEST_DEVIATION, LARGEST_DEVIATION)
            if gone.any():
                z[gone] = 0.0
                answer[at] = (~gone).astype(np.float64) @ constant
            else:
                answer[at] = constant.sum(axis=0)
            answer[at] += z @ b
            z *= z
            answer[at] += z @ a
        return answer


def _moments(X: Matrix, members: Members, unit: Floats) -> tuple[Floats, Floats, Floats]:
    """Compute rows, means and sums of squared deviations (c, d) of the present classes, of columns over ``unit``."""
    shift: Floats | None = None
    totals = members.weights.sum(axis=0)[:, None]
    sums, squares, absent = (np.zeros((len(members.classes), X.shape[1])) for _ in range(3))
    with np.errstate(over="ignore", invalid="ignore"):
        for at, block in dense_blocks(X, BLOCK_ARRAYS):
            block = block / unit
            G, gone = members.weights[at], np.isnan(block)
            if gone.any():
                absent += G.T @ gone.astype(np.float64)
                block[gone] = 0.0
            if shift is None:
                shift = block.sum(axis=0) / np.maximum((~gone).sum(axis=0), 1)
            block -= shift
            block[gone] = 0.0
            sums += G.T @ block
            block *= block
            squares += G.T @ block
        rows = totals - absent
        offset = sums / np.maximum(rows, 1e-300)
        mean = np.where(rows > 0, offset + shift, 0.0)
        return rows, mean, np.maximum(squares - offset * sums, 0.0)
