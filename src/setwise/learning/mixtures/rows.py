"""The rows a mixture learns from, in the forms its parts need."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np

from setwise.contract import Array, Floats, Labels, Matrix
from setwise.learning.by_content.folds import row_folds
from setwise.learning.by_content.keys import example_keys
from setwise.learning.linear.design import Design


@dataclass(frozen=True)
class Rows:
    """Features ``X`` (n, d) and their ``design``, labels ``Y`` (n, L), ``weights`` (n,), ``fold`` (n,) if any.

    Random choices about a row are drawn by its key, one of ``keys`` (n,).
    """

    X: Matrix
    design: Design
    Y: Labels
    weights: Floats
    keys: Array
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
        weights = np.ones(len(Y)) if weights is None else weights
        return cls(X, design, Y, weights, example_keys(X, Y), row_folds(X, n_folds))

    def __len__(self) -> int:
        return len(self.Y)

    def take(self, rows: Array) -> Self:
        """Some of the rows, with the same columns: coefficients keep their meaning."""
        fold = None if self.fold is None else self.fold[rows]
        columns = self.X[rows], self.design.take(rows), self.Y[rows], self.weights[rows], self.keys[rows]
        return type(self)(*columns, fold)

    def split(self, fold: int) -> tuple[Self, Self]:
        """The rows outside ``fold``, and those in it; all rows for both where there are no folds."""
        if self.fold is None:
            return self, self
        return self.take(np.flatnonzero(self.fold != fold)), self.take(np.flatnonzero(self.fold == fold))
