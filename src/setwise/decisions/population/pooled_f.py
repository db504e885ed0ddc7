"""F-measures of columns of cells: what macro and micro F have in common."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from setwise.contract import Array, Decided, Floats, Joint, Labels
from setwise.decisions.feasible import Feasible
from setwise.decisions.population.batch_rule import BatchRule
from setwise.inference.sets.totals import totals_without
from setwise.printable import plain_repr

EXACT_CELLS = 64
"""Columns of at most this many cells are decided exactly."""


class Moments(NamedTuple):
    """Expectations of which F is a sum, for columns of N cells and answers of r = 1..N of them.

    ``cells`` (m, N, N) is E[y / (b |T| + r)] of each cell, ``none`` (m,) the probability that no cell is true.
    """

    cells: Floats
    none: Floats

    def of_size(self, size: Array) -> Floats:
        """The moments (m, N) for an answer of ``size`` (m,) cells, any number if there are none."""
        place = np.maximum(size - 1, 0)[:, None, None]
        return np.asarray(np.take_along_axis(self.cells, place, axis=2)[:, :, 0])


@dataclass(frozen=True)
class PooledF(BatchRule):
    """The mean F-measure of columns of cells.

    Columns of up to 64 cells are decided exactly. For larger ones, the expected F is replaced by the F of the expected
    counts (the expected-utility plug-in); the difference falls with the number of cells. Such answers are not
    certified, and the standard error of their expected loss is NaN.
    """

    beta: float = 1.0
    both_empty: float = 0.0

    def __post_init__(self) -> None:
        if not self.beta > 0:
            raise ValueError(f"beta is {plain_repr(self.beta)}; expected a number above 0")

    @abstractmethod
    def _columns(self, cells: Array) -> Array:
        """Arrange cells (..., n, L) as columns (..., m, N)."""

    @abstractmethod
    def _back(self, columns: Labels, shape: tuple[int, ...]) -> Labels:
        """Arrange columns (m, N) as cells (n, L)."""

    @abstractmethod
    def _moments(self, distribution: Joint, p: Floats) -> Moments | None:
        """The exact moments, or None if they would take too long."""

    @abstractmethod
    def _constrained(self, p: Floats, labels: Labels, feasible: Feasible) -> Labels:
        """Find good answers (n, L) that are feasible, starting from the best ones without constraints."""

    def loss(self, truth: Any, answer: Any) -> Floats:
        """1 - F of a batch, for arrays (..., n, L)."""
        truth, answer = self._columns(np.asarray(truth)), self._columns(np.asarray(answer))
        counts = [cells.sum(axis=-1) for cells in (truth & answer, answer, truth)]
        return np.asarray(1.0 - self._f(*counts).mean(axis=-1))

    def _best(self, distribution: Joint, feasible: Feasible) -> Decided:
        p = np.clip(distribution.marginals(), 0.0, 1.0)
        moments = None if distribution.sampled else self._moments(distribution, p)
        labels = self._back(self._unconstrained(self._columns(p), moments), p.shape)
        free = bool(feasible.holds(labels).all())
        if not free:
            labels = self._constrained(p, labels, feasible)
        score = self._score(self._columns(p), self._columns(labels), moments)
        error = np.nan if moments is None else 0.0
        certified = free and moments is not None
        return Decided(labels, *(np.full(len(p), value) for value in (1.0 - score, error, certified)))

    def _unconstrained(self, p: Floats, moments: Moments | None) -> Labels:
        """The cells (m, N) to answer: those of the r largest terms, for the best r."""
        if moments is None:
            both = -np.sort(-p, axis=1).cumsum(axis=1)
            values = self._f(both, np.arange(1.0, p.shape[1] + 1), both[:, -1:])
            return _largest(p, values.argmax(axis=1) + 1)
        sums = -np.sort(-moments.cells, axis=1).cumsum(axis=1)
        some = (1.0 + self.beta**2) * np.diagonal(sums, axis1=1, axis2=2)
        size = np.column_stack([self.both_empty * moments.none, some]).argmax(axis=1)
        return _largest(moments.of_size(size), size)

    def _score(self, p: Floats, labels: Labels, moments: Moments | None) -> float:
        size = labels.sum(axis=1)
        if moments is None:
            return float(self._f((p * labels).sum(axis=1), size, p.sum(axis=1)).mean())
        some = (1.0 + self.beta**2) * (moments.of_size(size) * labels).sum(axis=1)
        return float(np.where(size > 0, some, self.both_empty * moments.none).mean())

    def _f(self, both: Array, answered: Array, true: Array) -> Floats:
        """F of counts; ``both_empty`` if nothing is true or answered."""
        below = np.asarray(self.beta**2 * true + answered, dtype=np.float64)
        above = (1.0 + self.beta**2) * both
        return np.asarray(np.divide(above, below, out=np.full(below.shape, self.both_empty), where=below > 0))


def moments_of_cells(p: Floats, b: float) -> Moments:
    """The moments of columns (m, N) of independent cells.

    Examples
    --------
    >>> import numpy as np
    >>> moments_of_cells(np.array([[1.0, 0.5]]), 1.0).cells[0, :, 0].round(4)
    array([0.4167, 0.1667])
    """
    others = totals_without(np.stack([1.0 - p, p], axis=-1))
    sizes = np.arange(1.0, p.shape[1] + 1)
    cells = p[:, :, None] * (others @ (1.0 / (b * sizes[:, None] + sizes)))
    return Moments(cells, np.prod(1.0 - p, axis=1))


def _largest(scores: Floats, count: Array) -> Labels:
    """Mark the ``count`` (m,) largest of the scores (m, N) of each column."""
    rank = np.argsort(np.argsort(-scores, axis=1, kind="stable"), axis=1, kind="stable")
    return (rank < count[:, None]).astype(np.int8)
