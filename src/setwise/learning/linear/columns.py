"""The columns of a design as they are multiplied: in one dense matrix, or sparse features beside dense columns."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol, Self

import numpy as np

from setwise.arrays import Array, Floats, Matrix
from setwise.kernels.matrices import matmul


class DesignColumns(Protocol):
    """A matrix (n, D) whose first columns are features and whose last columns are dense."""

    @property
    def features(self) -> Matrix:
        """The features (n, f)."""

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns, (n, D)."""

    @property
    def dtype(self) -> np.dtype[Any]:
        """Precision of the values."""

    @property
    def mean_squares(self) -> Floats:
        """Mean of the squared values of each column, (D,)."""

    def scores(self, coef: Array) -> Array:
        """Multiply the matrix by coefficients (D, B)."""

    def gradient(self, residual: Array) -> Floats:
        """Multiply the transposed matrix by residuals (n, B)."""

    def take(self, rows: Array) -> Self:
        """Select rows."""

    def single(self) -> Self:
        """Convert to single precision if that makes products faster."""


@dataclass(frozen=True)
class DenseColumns:
    """All columns in one C-contiguous ``matrix`` (n, D), the first ``n_features`` of them features."""

    matrix: Array
    n_features: int

    @classmethod
    def of(cls, features: Array, extra: Array) -> Self:
        """Put dense features (n, f) and extra columns (n, m) side by side."""
        return cls(np.ascontiguousarray(np.hstack([features, extra])), features.shape[1])

    @property
    def features(self) -> Array:
        """The features (n, f)."""
        return self.matrix[:, : self.n_features]

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns, (n, D)."""
        n, D = self.matrix.shape
        return n, D

    @property
    def dtype(self) -> np.dtype[Any]:
        """Precision of the values."""
        return self.matrix.dtype

    @cached_property
    def mean_squares(self) -> Floats:
        """Mean of the squared values of each column, (D,)."""
        squares = np.einsum("ij,ij->j", self.matrix, self.matrix)[: self.n_features] / len(self.matrix)
        return np.concatenate([squares, _mean_squares(self.matrix[:, self.n_features :])])

    def scores(self, coef: Array) -> Array:
        """Multiply the matrix by coefficients (D, B)."""
        return np.asarray(self.matrix @ coef)

    def gradient(self, residual: Array) -> Floats:
        """Multiply the transposed matrix by residuals (n, B)."""
        # Residuals first: BLAS then walks the large matrix along its rows, in up to half of the time.
        return np.ascontiguousarray((residual.T @ self.matrix).T, dtype=np.float64)

    def take(self, rows: Array) -> Self:
        """Select rows."""
        return type(self)(np.ascontiguousarray(self.matrix[rows]), self.n_features)

    def single(self) -> Self:
        """Convert to single precision, in which products take half the time."""
        if self.dtype == np.float32:
            return self
        return type(self)(self.matrix.astype(np.float32), self.n_features)


@dataclass(frozen=True)
class SparseColumns:
    """Sparse ``features`` (n, f) beside dense ``extra`` columns (n, m)."""

    features: Matrix
    extra: Array

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns, (n, D)."""
        return self.extra.shape[0], self.features.shape[1] + self.extra.shape[1]

    @property
    def dtype(self) -> np.dtype[Any]:
        """Precision of the values."""
        return self.extra.dtype

    @cached_property
    def mean_squares(self) -> Floats:
        """Mean of the squared values of each column, (D,)."""
        squares = np.asarray(self.features.multiply(self.features).mean(axis=0)).ravel()
        return np.concatenate([squares, _mean_squares(self.extra)])

    @cached_property
    def _transposed(self) -> Matrix:
        return self.features.T.tocsr()

    def scores(self, coef: Array) -> Array:
        """Multiply the matrix by coefficients (D, B)."""
        n_features = self.features.shape[1]
        return matmul(self.features, coef[:n_features]) + self.extra @ coef[n_features:]

    def gradient(self, residual: Array) -> Floats:
        """Multiply the transposed matrix by residuals (n, B)."""
        parts = [matmul(self._transposed, residual), self.extra.T @ residual]
        return np.concatenate(parts).astype(np.float64, copy=False)

    def take(self, rows: Array) -> Self:
        """Select rows."""
        return type(self)(self.features[rows], self.extra[rows])

    def single(self) -> Self:
        """Return the columns as they are: sparse products are not faster in single precision."""
        return self


def _mean_squares(columns: Array) -> Floats:
    return np.asarray((columns.astype(np.float64) ** 2).mean(axis=0))
