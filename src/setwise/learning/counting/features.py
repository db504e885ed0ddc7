"""Counts of features within each class for NaiBX, one Python class per family of distributions.

Each has ``of`` (count rows), ``+`` (merge: the same as counting both parts at once) and ``log_likelihood``.
Missing values (NaN) are skipped.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self

import numpy as np

from setwise.contract import Array, Bools, Floats, Matrix
from setwise.kernels.matrices import (
    cross,
    first_cell,
    matmul,
    missing_cells,
    stored_values,
    take_columns,
    with_values,
)
from setwise.learning.counting.gaussian import GaussianCounts
from setwise.learning.counting.labels import Members
from setwise.learning.counting.smoothing import SMALLEST_SMOOTHING, Smoothing


@dataclass(frozen=True)
class BernoulliCounts:
    """Number of rows (C, d) of each class, and of those in which the column is positive."""

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
    """The columns of each family of distributions, and their counts."""

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

    def families(self) -> Array:
        """Name the family (d,) of each column."""
        names = {kind: name for name, kind in FAMILIES.items()}
        found = np.empty(sum(map(len, self.columns)), dtype=object)
        for columns, part in zip(self.columns, self.parts):
            found[columns] = names[type(part)]
        return found

    def __add__(self, other: Self) -> Self:
        return type(self)(self.columns, tuple(a + b for a, b in zip(self.parts, other.parts)))

    def log_likelihood(self, X: Matrix, classes: Bools) -> Floats:
        """Compute log p(x | class) (n, c) of some classes, up to a constant per row."""
        parts = (
            part.log_likelihood(take_columns(X, columns), classes)
            for columns, part in zip(self.columns, self.parts)
        )
        return np.asarray(sum(parts, np.zeros((X.shape[0], int(classes.sum())))))
