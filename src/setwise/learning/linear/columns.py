"""The columns of a design as they are multiplied: in one dense matrix, or sparse features beside dense columns."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol, Self

import numpy as np

from setwise.arrays import Array, Floats, Matrix
from setwise.kernels.blas import multiply
from setwise.kernels.matrices import Transposed, add_product, centred_squares, stored_arrays


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

    @property
    def cells(self) -> int:
        """Number of values that a product with one column of coefficients multiplies."""

    @property
    def nbytes(self) -> int:
        """Bytes of everything that products read."""

    def scores(self, coef: Array) -> Array:
        """Multiply the matrix by coefficients (D, B)."""

    def gradient(self, residual: Array) -> Array:
        """Multiply the transposed matrix by residuals (n, B)."""

    def take(self, rows: Array) -> Self:
        """Select rows."""

    def single(self) -> Self:
        """Convert to single precision if that makes products faster."""


@dataclass(frozen=True)
class DenseColumns:
    """All columns in one C-contiguous ``matrix`` (n, D), the first ``n_features`` of them features.

    ``weights`` (n,) are those of the rows in means of squares.
    """

    matrix: Array
    n_features: int
    weights: Floats | None = None

    @classmethod
    def of(cls, features: Array, extra: Array, weights: Floats | None = None) -> Self:
        """Put dense features (n, f) and extra columns (n, m) side by side."""
        return cls(np.ascontiguousarray(np.hstack([features, extra])), features.shape[1], weights)

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

    @property
    def cells(self) -> int:
        """Number of values that a product with one column of coefficients multiplies."""
        return self.matrix.size

    @property
    def nbytes(self) -> int:
        """Bytes of everything that products read."""
        return self.matrix.nbytes

    @cached_property
    def mean_squares(self) -> Floats:
        """Mean of the squared values of each column, (D,)."""
        if self.weights is not None:
            return _mean_squares(self.matrix, self.weights)
        squares = np.einsum("ij,ij->j", self.matrix, self.matrix)[: self.n_features] / len(self.matrix)
        return np.concatenate([squares, _mean_squares(self.matrix[:, self.n_features :])])

    def scores(self, coef: Array) -> Array:
        """Multiply the matrix by coefficients (D, B)."""
        return multiply(self.matrix, coef)

    def gradient(self, residual: Array) -> Array:
        """Multiply the transposed matrix by residuals (n, B)."""
        # Residuals first: BLAS then walks the large matrix along its rows, in up to half of the time.
        return np.ascontiguousarray(multiply(residual.T, self.matrix).T)

    def take(self, rows: Array) -> Self:
        """Select rows."""
        return type(self)(
            np.ascontiguousarray(self.matrix[rows]), self.n_features, _taken(self.weights, rows)
        )

    def single(self) -> Self:
        """Convert to single precision, in which products take half the time."""
        if self.dtype == np.float32:
            return self
        return type(self)(self.matrix.astype(np.float32), self.n_features, self.weights)


@dataclass(frozen=True)
class SparseColumns:
    """Sparse ``features`` (n, f) minus their ``mean`` (f,), beside dense ``extra`` columns (n, m), ones first.

    The features are never centred in memory: a product with them is that of the stored values, and one number for
    each column of coefficients or each feature. ``weights`` (n,) are those of the rows in means of squares.
    """

    features: Matrix
    mean: Floats
    extra: Array
    weights: Floats | None = None

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns, (n, D)."""
        return self.extra.shape[0], self.features.shape[1] + self.extra.shape[1]

    @property
    def dtype(self) -> np.dtype[Any]:
        """Precision of the values."""
        return self.extra.dtype

    @property
    def cells(self) -> int:
        """Number of values that a product with one column of coefficients multiplies."""
        return int(self.features.nnz) + self.extra.size

    @property
    def nbytes(self) -> int:
        """Bytes of everything that products read, the transposed features among them."""
        stored = [self.features, *(block for _, block in self._transposed.blocks)]
        return self.extra.nbytes + sum(array.nbytes for X in stored for array in stored_arrays(X))

    @cached_property
    def mean_squares(self) -> Floats:
        """Mean of the squared values of each column, (D,)."""
        squares = centred_squares(self.features, self.mean, self.weights)
        return np.concatenate([squares, _mean_squares(self.extra, self.weights)])

    @cached_property
    def _transposed(self) -> Transposed:
        return Transposed.of(self.features)

    @cached_property
    def _centre(self) -> Array:
        return self.mean.astype(self.dtype)

    def scores(self, coef: Array) -> Array:
        """Multiply the matrix by coefficients (D, B)."""
        n, f = self.features.shape
        scores = np.empty((n, coef.shape[1]), self.dtype)
        scores[:] = coef[f] - self._centre @ coef[:f]
        if self.extra.shape[1] > 1:
            scores += self.extra[:, 1:] @ coef[f + 1 :]
        add_product(self.features, coef[:f], scores)
        return scores

    def gradient(self, residual: Array) -> Array:
        """Multiply the transposed matrix by residuals (n, B)."""
        f = self.features.shape[1]
        gradient = np.empty((self.shape[1], residual.shape[1]), self.dtype)
        gradient[f:] = self.extra.T @ residual
        np.multiply.outer(-self._centre, gradient[f], out=gradient[:f])
        self._transposed.add_product(residual, gradient[:f])
        return gradient

    def take(self, rows: Array) -> Self:
        """Select rows."""
        return type(self)(self.features[rows], self.mean, self.extra[rows], _taken(self.weights, rows))

    def single(self) -> Self:
        """Convert to single precision, in which products take half the time."""
        if self.dtype == np.float32:
            return self
        features, extra = self.features.astype(np.float32), self.extra.astype(np.float32)
        return type(self)(features, self.mean, extra, self.weights)


def _taken(weights: Floats | None, rows: Array) -> Floats | None:
    return None if weights is None else weights[rows]


def _mean_squares(columns: Array, weights: Floats | None = None) -> Floats:
    squares = columns.astype(np.float64) ** 2
    if weights is None:
        return np.asarray(squares.mean(axis=0))
    return np.asarray(weights @ squares / max(weights.sum(), np.finfo(np.float64).tiny))
