"""Many weighted logistic regressions on one design, as arrays."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt

from setwise.arrays import Array, Bools, Floats
from setwise.learning.linear.descent import Descent
from setwise.learning.linear.walk import ScoredRows, Walk


@dataclass(frozen=True)
class LogisticProblems:
    """The targets, weights, penalties and columns of B logistic regressions.

    Parameters
    ----------
    targets : ndarray of shape (n, T)
        Targets in [0, 1], hard or soft. A row whose target is :data:`FREE`, unknown, does not count.
    target : ndarray of shape (B,)
        Column of ``targets`` of each problem.
    weights : ndarray of shape (n, G)
        Non-negative row weights; without columns (G = 0) every row counts one.
    weight : ndarray of shape (B,)
        Column of ``weights`` of each problem.
    l2 : ndarray of shape (B,)
        Penalties.
    columns : ndarray of bool of shape (D, B), optional
        Columns of the design that each problem may use; all by default.
    smoothing : float
        Weight of a pseudo-row of each class at the origin of the design: keeps intercepts finite if all rows of a
        problem agree, and EM's bound well defined.
    """

    targets: Floats
    target: Array
    weights: Floats
    weight: Array
    l2: Floats
    columns: Bools | None = None
    smoothing: float = 0.0

    solver: ClassVar[type[Descent]] = Descent

    @classmethod
    def of(
        cls,
        targets: Array,
        target: Array | None = None,
        weights: Array | None = None,
        weight: Array | None = None,
        *,
        l2: npt.ArrayLike = 1.0,
        columns: Bools | None = None,
        smoothing: float = 0.0,
    ) -> Self:
        """Make problems, with defaults.

        Parameters
        ----------
        targets : ndarray of shape (n, T)
        target : ndarray of shape (B,), optional
            Column of ``targets`` of each problem; problem b has column b by default.
        weights : ndarray of shape (n,) or (n, G), optional
            Row weights; every row counts one by default.
        weight : ndarray of shape (B,), optional
            Column of ``weights`` of each problem; the first by default.
        l2 : float or array of shape (B,), default=1.0
        columns : bool array of shape (D, B), optional
            Columns of the design that each problem may use; all by default.
        smoothing : float, default=0.0

        Returns
        -------
        LogisticProblems
        """
        n, n_targets = targets.shape
        target = np.arange(n_targets) if target is None else target
        weight = np.zeros(len(target)) if weight is None else weight
        weights = np.empty((n, 0)) if weights is None else np.atleast_2d(weights.T).T
        problems = cls(
            np.ascontiguousarray(targets, dtype=np.float64),
            np.ascontiguousarray(target, dtype=np.int32),
            np.ascontiguousarray(weights, dtype=np.float64),
            np.ascontiguousarray(weight, dtype=np.int32),
            np.empty(len(target)),
            columns,
            smoothing,
        )
        return problems.with_l2(l2)

    @classmethod
    def concatenate(cls, parts: Sequence[Self]) -> Self:
        """Join the problems of several parts with the same targets and smoothing in one batch."""
        widths = np.cumsum([0, *(part.weights.shape[1] for part in parts)])
        masks = [part.columns for part in parts if part.columns is not None]
        return replace(
            parts[0],
            target=np.concatenate([part.target for part in parts]),
            weights=np.hstack([part.weights for part in parts]),
            weight=np.concatenate([w + part.weight for w, part in zip(widths, parts)]).astype(np.int32),
            l2=np.concatenate([part.l2 for part in parts]),
            columns=np.hstack(masks) if masks else None,
        )

    def with_l2(self, l2: npt.ArrayLike) -> Self:
        """Replace the penalties, by one for all or one each."""
        penalties = np.broadcast_to(np.asarray(l2, dtype=np.float64), self.target.shape)
        return replace(self, l2=np.ascontiguousarray(penalties))

    def __len__(self) -> int:
        return len(self.target)

    def take(self, problems: Array) -> Self:
        """Select problems, by index or mask."""
        columns = None if self.columns is None else self.columns[:, problems]
        target, weight, l2 = self.target[problems], self.weight[problems], self.l2[problems]
        return replace(self, target=target, weight=weight, l2=l2, columns=columns)

    def walk(self, objective: Any, coef: Floats) -> Walk:
        """Go to coefficients (D, B), from where the solver sets out."""
        return ScoredRows(objective, coef)

    def take_rows(self, rows: Array) -> Self:
        """Select rows."""
        return replace(self, targets=self.targets[rows], weights=self.weights[rows])

    def as_dtype(self, dtype: npt.DTypeLike) -> Self:
        """Convert targets and weights to a dtype."""
        targets, weights = (a.astype(dtype, copy=False) for a in (self.targets, self.weights))
        return replace(self, targets=targets, weights=weights)

    def compact(self) -> Self:
        """Give each problem its own target column, in their order: nothing to gather in the inner loop."""
        targets = np.take(self.targets, self.target, axis=1)
        return replace(self, targets=targets, target=np.arange(len(self), dtype=np.int32))

    def totals(self) -> tuple[Floats, Floats]:
        """Sum the weights of the positive targets and of all known targets, (B,) each."""
        known = self.targets >= 0
        targets = np.where(known, self.targets, 0.0).astype(np.float64, copy=False)
        if not self.weights.shape[1]:
            return targets.sum(axis=0)[self.target], known.sum(axis=0, dtype=np.float64)[self.target]
        weights = self.weights.astype(np.float64, copy=False)
        total = (
            weights.sum(axis=0)[self.weight] if known.all() else (weights.T @ known)[self.weight, self.target]
        )
        return (weights.T @ targets)[self.weight, self.target], total
