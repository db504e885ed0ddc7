"""Counts of features within each class for NaiBX, one Python class per family of distributions.

Each has ``of`` (count rows), ``+`` (merge: the same as counting both parts at once) and ``log_likelihood``.
Missing values (NaN) are skipped.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple, Self

import numpy as np

from setwise.contract import Array, Bools, Floats, Matrix
from setwise.kernels.matrices import (
    cross,
    dense_blocks,
    first_cell,
    matmul,
    missing_cells,
    stored_values,
    take_columns,
    with_values,
)
from setwise.learning.counting.labels import Members

VARIANCE_FLOOR = 1e-9
"""Smallest variance within a class, as a share of the column's variance."""
LARGEST_DEVIATION = 1e8
"""Largest distance from the mean in standard deviations; larger ones are cut, so that squares stay finite."""
SMALLEST_SMOOTHING = 1e-10
BLOCK_ARRAYS = 4
"""Arrays as large as a block of rows that counting and scoring hold at a time."""


class Smoothing(NamedTuple):
    """How counts are smoothed.

    ``alpha`` is added to counts; ``variance`` pseudo-rows with the column's variance are added to each class; variances
    divide by the number of rows minus ``ddof``.
    """

    alpha: float = 1.0
    variance: float = 1.0
    ddof: int = 1


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


@dataclass(frozen=True)
class BernoulliCounts:
    """Rows (C, d) of each class, and those where the column is positive."""

    rows: Floats
    positive: Floats
    smoothing: Smoothing

    @classmethod
    def of(cls, X: Matrix, members: Members, smoothing: Smoothing) -> Self:
        """Count the rows of ``X`` (n, d), dense or CSR."""
        rows = np.repeat(members.weights.sum(axis=0)[:, None], X.shape[1], axis=1)
        gone = missing_cells(X)
        if gone is not None:
            rows = rows - cross(members.weights, gone)
        positive = cross(members.weights, _positive(X))
        return cls(members.spread(rows), members.spread(positive), smoothing)

    def __add__(self, other: Self) -> Self:
        return type(self)(self.rows + other.rows, self.positive + other.positive, self.smoothing)

    @cached_property
    def _model(self) -> tuple[Floats, Floats]:
        """Compute the logs (C, d) of P(x = 1) and P(x = 0)."""
        alpha = max(self.smoothing.alpha, SMALLEST_SMOOTHING)
        total = np.log(self.rows + 2 * alpha)
        return np.log(self.positive + alpha) - total, np.log(self.rows - self.positive + alpha) - total

    def log_likelihood(self, X: Matrix, classes: Bools) -> Floats:
        """Compute log P(x | class) (n, c) of some classes."""
        on, off = (table[classes].T for table in self._model)
        answer = matmul(_positive(X), on - off) + off.sum(axis=0)
        gone = missing_cells(X)
        return np.asarray(answer if gone is None else answer - matmul(gone, off))


def _positive(X: Matrix) -> Matrix:
    return with_values(X, (stored_values(X) > 0).astype(np.float64))


@dataclass(frozen=True)
class MultinomialCounts:
    """Sums (C, d) of each class and column: how often a word occurs."""

    sums: Floats
    smoothing: Smoothing

    @classmethod
    def of(cls, X: Matrix, members: Members, smoothing: Smoothing) -> Self:
        """Count the rows of ``X`` (n, d), dense or CSR, whose values must not be negative."""
        return cls(members.spread(cross(members.weights, _amounts(X))), smoothing)

    def __add__(self, other: Self) -> Self:
        return type(self)(self.sums + other.sums, self.smoothing)

    @cached_property
    def _model(self) -> Floats:
        sums = self.sums + max(self.smoothing.alpha, SMALLEST_SMOOTHING)
        return np.asarray(np.log(sums) - np.log(sums.sum(axis=1, keepdims=True)))

    def log_likelihood(self, X: Matrix, classes: Bools) -> Floats:
        """Compute log P(x | class) (n, c) of some classes, up to a constant per row."""
        return matmul(_amounts(X), self._model[classes].T)


def _amounts(X: Matrix) -> Matrix:
    _refuse_negative(X, np.arange(X.shape[1]))
    return with_values(X, np.nan_to_num(stored_values(X).astype(np.float64)))


def check_families(X: Matrix, families: Array) -> None:
    """Raise a ValueError if a column of ``X`` (n, d) has values that its family (d,) cannot have."""
    columns = np.flatnonzero(families == "multinomial")
    _refuse_negative(take_columns(X, columns), columns)


def _refuse_negative(X: Matrix, columns: Array) -> None:
    negative = stored_values(X) < 0
    if negative.any():
        row, at = first_cell(X, negative)
        raise ValueError(
            f"Negative values in data passed to multinomial features: row {row}, column {int(columns[at])}; they are "
            "counts. Use features='gaussian' or 'bernoulli' for this column"
        )


FAMILIES: dict[str, Any] = {
    "gaussian": GaussianCounts,
    "bernoulli": BernoulliCounts,
    "multinomial": MultinomialCounts,
}


@dataclass(frozen=True)
class FeatureCounts:
    """The columns of each family, and their counts."""

    columns: tuple[Array, ...]
    parts: tuple[Any, ...]

    @classmethod
    def of(cls, X: Matrix, members: Members, families: Array, smoothing: Smoothing) -> Self:
        """Count the rows of ``X`` (n, d), whose columns have the ``families`` (d,) named."""
        names = [name for name in FAMILIES if (families == name).any()]
        columns = tuple(np.flatnonzero(families == name) for name in names)
        counted = [
            FAMILIES[name].of(take_columns(X, c), members, smoothing) for name, c in zip(names, columns)
        ]
        return cls(columns, tuple(counted))

    def __add__(self, other: Self) -> Self:
        return type(self)(self.columns, tuple(a + b for a, b in zip(self.parts, other.parts)))

    def log_likelihood(self, X: Matrix, classes: Bools) -> Floats:
        """Compute log p(x | class) (n, c) of some classes, up to a constant per row."""
        parts = (
            part.log_likelihood(take_columns(X, columns), classes)
            for columns, part in zip(self.columns, self.parts)
        )
        return np.asarray(sum(parts, np.zeros((X.shape[0], int(classes.sum())))))
