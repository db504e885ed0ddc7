"""The rows a mixture learns from, in the forms its parts need."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np

from setwise.contract import Array, Floats, Labels, Matrix
from setwise.learning.linear.design import Design
from setwise.learning.linear.penalties import row_folds


@dataclass(frozen=True)
class Rows:
    """Features ``X`` (n, d) and their ``design``, labels ``Y`` (n, L), ``weights`` (n,), ``fold`` (n,) if any."""

    X: Matrix
    design: Design
    Y: Labels
    weights: Floats
    fold: Array | None = None

    @classmethod
    def of(
        cls,
        X: Matrix,
        Y: Labels,
        weights: Floats | None = None,
        *,
        standardize: bool = True,
        n_folds: int = 3,
    ) -> Self:
        """Rows with their design, weights of one by default, and folds by content where there are enough."""
        design = Design(X, weights=weights, standardize=standardize)
        return cls(X, design, Y, np.ones(len(Y)) if weights is None else weights, row_folds(X, n_folds))

    def __len__(self) -> int:
        return len(self.Y)

    def take(self, rows: Array) -> Self:
        """Some of the rows, with the same columns: coefficients keep their meaning."""
        fold = None if self.fold is None else self.fold[rows]
        return type(self)(self.X[rows], self.design.take(rows), self.Y[rows], self.weights[rows], fold)

    def split(self, fold: int) -> tuple[Self, Self]:
        """The rows outside ``fold``, and those in it; all rows for both where there are no folds."""
        if self.fold is None:
            return self, self
        return self.take(np.flatnonzero(self.fold != fold)), self.take(np.flatnonzero(self.fold == fold))
