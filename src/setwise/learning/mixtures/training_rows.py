"""The rows that a mixture learns from, in the forms its parts need."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np

from setwise.arrays import Array, Floats, Labels, Matrix
from setwise.learning.by_content.folds import row_folds
from setwise.learning.by_content.keys import example_keys
from setwise.learning.linear.design import Design


@dataclass(frozen=True)
class TrainingRows:
    """Rows with everything that the parts of a mixture need to know about them.

    Parameters
    ----------
    X : array or CSR of shape (n, d)
    design : Design
        Of the features.
    Y : ndarray of shape (n, L)
        Labels, FREE if unknown.
    weights : ndarray of shape (n,)
    keys : ndarray of uint64 of shape (n,)
        Random choices about a row are drawn by its key.
    fold : ndarray of shape (n,), optional
        None if there are too few rows to hold any out.
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
        """Make the design, the keys and, if there are enough rows, the folds of rows.

        Parameters
        ----------
        X : array or CSR of shape (n, d)
        Y : ndarray of shape (n, L)
        weights : ndarray of shape (n,), optional
            One each by default.
        standardize : bool, default=True
        n_folds : int, default=3

        Returns
        -------
        TrainingRows
        """
        design = Design(X, weights=weights, standardize=standardize)
        weights = np.ones(len(Y)) if weights is None else weights
        return cls(X, design, Y, weights, example_keys(X, Y), row_folds(X, n_folds))

    def __len__(self) -> int:
        return len(self.Y)

    def take(self, rows: Array) -> Self:
        """Select rows; the columns stay the same, so coefficients keep their meaning."""
        fold = None if self.fold is None else self.fold[rows]
        columns = self.X[rows], self.design.take(rows), self.Y[rows], self.weights[rows], self.keys[rows]
        return type(self)(*columns, fold)

    def split(self, fold: int) -> tuple[Self, Self]:
        """Split into the rows outside ``fold`` and those in it; without folds both parts are all rows."""
        if self.fold is None:
            return self, self
        return self.take(np.flatnonzero(self.fold != fold)), self.take(np.flatnonzero(self.fold == fold))
