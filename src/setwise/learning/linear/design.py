"""The design matrix of the linear learners: standardized features, a column of ones, and labels used as features.

Learners multiply its D columns by coefficients (D, B) and by residuals (n, B). The columns are chosen so that the
solver converges fast; :meth:`Design.to_features` converts the solution to coefficients of the original features.
"""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from setwise.arrays import Array, Floats, Matrix
from setwise.kernels.matrices import (
    as_csr,
    column_moments,
    divide_columns,
    sorted_rows,
    take_columns,
    to_dense,
)
from setwise.learning.linear.columns import DenseColumns, DesignColumns, SparseColumns
from setwise.learning.linear.coordinates import Coordinates
from setwise.learning.linear.row_axes import LEAST_AXIS, RowAxes

DENSE_BYTES = 512 * 2**20
"""Sparse features beyond this size never become dense."""
ROTATED_COLUMNS = 2000
"""Largest number of columns, or of rows, whose principal axes are computed."""
ROW_AXES = 3000
"""Largest number of sparse rows whose axes are computed."""
POWERS = 6
OVERSAMPLED = 10
"""Products with the features, and axes beyond those asked for, in the search for principal axes of sparse features."""


def sparse_is_faster(n: int, d: int, filled: float) -> bool:
    """Predict whether regressions on n rows of d features, a share ``filled`` of them not zero, are faster as CSR.

    Dense features are rotated to their principal axes, which takes time itself; a regression then needs fewer steps,
    and a product has more values but is a matrix product of BLAS. The constants are estimates of
    these costs; they matter little, because text is far on one side, and tables of numbers on the other.

    Examples
    --------
    >>> sparse_is_faster(7395, 1836, 0.04), sparse_is_faster(2417, 103, 1.0)
    (True, False)
    """
    if 8 * n * d > DENSE_BYTES and filled < 0.5:
        return True
    regressions, rotated_steps, sparse_steps = 30, 20, 60
    axes = (n * d * min(n, d) + 9 * min(n, d) ** 3) / 20 if min(n, d) <= ROTATED_COLUMNS else 0
    dense = 2 * regressions * rotated_steps * n * d / 40 + axes
    return bool(2 * regressions * sparse_steps * n * d * filled / 10 < dense)


def row_axes_are_faster(n: int, d: int, filled: float) -> bool:
    """Predict whether regressions on sparse rows are faster on the axes of the rows: few rows of many features.

    Every step of a solver goes through all d coefficients, even of a short text; on the axes there are n. A fit to 250
    rows of 70,000 features with its path of penalties takes an eighth of the time. The axes themselves cost the cube of
    n, so that they pay off if rows are few beside the features.

    Examples
    --------
    >>> row_axes_are_faster(2680, 58_901, 0.0095), row_axes_are_faster(978, 1449, 0.01)
    (True, False)
    """
    if not 0 < n <= ROW_AXES:
        return False
    regressions, rotated_steps, sparse_steps = 300, 20, 60
    rotated = 2 * regressions * rotated_steps * (n * n / 40 + n) + n**3 / 10
    return bool(rotated < 2 * regressions * sparse_steps * (n * d * filled / 10 + d))


class Design(Coordinates):
    """A matrix (n, D) whose columns are features, then ones, then the labels used as features.

    Features are centred and scaled. Dense ones are rotated to their principal axes, so that every regression on them
    has a nearly diagonal Hessian; features with many zeros stay sparse, and are centred without touching the zeros.
    An L2 penalty with one weight does not depend on the rotation, and an unpenalized intercept absorbs the centring:
    the optimum is that of the scaled features, dense or sparse.

    Parameters
    ----------
    X : array or CSR of shape (n, d)
    labels : ndarray of shape (n, m), optional
        Labels used as features. They share one scale, which gives each label under a common penalty the prior
        variance of all features together: a label carries much more information than one feature.
    weights : ndarray of shape (n,), optional
        Row weights of the columns' moments and axes: a weight of two is two rows, from the first step of a solver.
    standardize : bool, default=True
        Whether features are divided by their :func:`column_scales`.
    label_scale : float, optional
        Factor of the labels used as features, instead of that common scale.

    Attributes
    ----------
    intercept : int
        Number of the column of ones: features stand before it, labels after it.
    total_variance : float
        Sum of the variances of the scaled features: the unit in which penalties are searched.
    """

    def __init__(
        self,
        X: Matrix,
        labels: Array | None = None,
        *,
        weights: Floats | None = None,
        standardize: bool = True,
        label_scale: float | None = None,
    ) -> None:
        moments = column_moments(X, weights)
        super().__init__(moments, standardize=standardize, label_scale=label_scale)
        dtype = np.dtype(np.float32 if X.dtype == np.float32 else np.float64)
        extra = self._extra_columns(np.empty((X.shape[0], 0)) if labels is None else labels, weights)
        filled = float(moments.filled[self._used].sum()) / max(len(self._used), 1)
        used = take_columns(X, self._used)
        sparse = sparse_is_faster(X.shape[0], len(self._used), filled)
        on_axes = sparse and row_axes_are_faster(X.shape[0], len(self._used), filled)
        make = self._row_axes if on_axes else self._sparse_columns if sparse else self._dense_columns
        self._columns = make(used, extra, dtype, weights)
        self.intercept = int(self._columns.features.shape[1])

    def _extra_columns(self, labels: Array, weights: Floats | None) -> Floats:
        """Ones, and the scaled labels.

        Centred labels are uncorrelated with the intercept, which is not penalized: fewer steps to the same optimum.
        """
        n = len(labels)
        w = np.ones(n) if weights is None else weights
        self.label_means = w @ labels / w.sum()
        return np.hstack([np.ones((n, 1)), (labels - self.label_means) * self.label_scale])

    def _sparse_columns(
        self, X: Matrix, extra: Floats, dtype: np.dtype[Any], weights: Floats | None
    ) -> DesignColumns:
        # In one order, so that the last bits of a product do not depend on how the rows were stored.
        rows = sorted_rows(as_csr(X)).astype(dtype)
        scaled = divide_columns(rows, self._scale.astype(dtype))
        return SparseColumns(scaled, self._mean / self._scale, extra.astype(dtype), weights)

    def _row_axes(
        self, X: Matrix, extra: Floats, dtype: np.dtype[Any], weights: Floats | None
    ) -> DesignColumns:
        """Rotate sparse features to the principal axes of the rows, by products of the stored values only."""
        rows = divide_columns(sorted_rows(as_csr(X)).astype(np.float64), self._scale)
        weighted = np.ones(len(extra)) if weights is None else weights
        self._basis, features = RowAxes.of(rows, self._mean / self._scale, weighted)
        return DenseColumns.of(features.astype(dtype), extra.astype(dtype), weights)

    def _dense_columns(
        self, X: Matrix, extra: Floats, dtype: np.dtype[Any], weights: Floats | None
    ) -> DesignColumns:
        Z = np.asarray((to_dense(X) - self._mean) / self._scale, dtype=np.float64)
        if 0 < min(Z.shape) <= ROTATED_COLUMNS:
            self._basis = _principal_axes(Z if weights is None else Z * np.sqrt(weights)[:, None])
            Z = Z @ self._basis
        return DenseColumns.of(np.ascontiguousarray(Z, dtype=dtype), extra.astype(dtype), weights)

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return self._columns.shape[0]

    @property
    def n_columns(self) -> int:
        """Number of columns D."""
        return self._columns.shape[1]

    @property
    def dtype(self) -> np.dtype[Any]:
        """Precision of the products."""
        return self._columns.dtype

    @property
    def mean_squares(self) -> Floats:
        """Mean of the squared values of each column, (D,)."""
        return self._columns.mean_squares

    @property
    def cells(self) -> int:
        """Number of values that a product with one column of coefficients multiplies."""
        return self._columns.cells

    def scores(self, coef: Floats) -> Array:
        """Multiply the design by coefficients (D, B): scores (n, B)."""
        return self._columns.scores(coef.astype(self.dtype, copy=False))

    def gradient(self, residual: Array) -> Array:
        """Multiply the transposed design by residuals (n, B): gradients (D, B), in the design's precision."""
        return self._columns.gradient(residual)

    def leading(self, size: int) -> Floats:
        """Project the features on their first ``size`` principal axes.

        Parameters
        ----------
        size : int

        Returns
        -------
        ndarray of shape (n, size)
            With fewer columns if there are fewer axes.
        """
        if self._basis is not None or not self.intercept:
            order = np.argsort(self.mean_squares[: self.intercept])[::-1]
            return np.asarray(self._columns.features[:, order[:size]], dtype=np.float64)
        # Random directions of the columns, not of the rows: the order of the rows does not matter.
        size = min(size, self.n_rows, self.intercept)
        axes = np.zeros((self.n_columns, min(size + OVERSAMPLED, self.n_rows, self.intercept)))
        axes[: self.intercept] = np.random.default_rng(0).normal(size=(self.intercept, axes.shape[1]))
        for _ in range(POWERS):
            products = self.gradient(self.scores(axes))[: self.intercept]
            axes[: self.intercept] = np.linalg.qr(products.astype(np.float64))[0]
        left, values, _ = np.linalg.svd(self.scores(axes).astype(np.float64), full_matrices=False)
        return np.asarray((left * values)[:, :size])

    def take(self, rows: Array) -> Self:
        """Select rows; the columns stay the same, so coefficients keep their meaning."""
        return self._with(self._columns.take(rows))

    def single(self) -> Self:
        """Convert to single precision if that makes products faster; otherwise return the design itself."""
        columns = self._columns.single()
        return self if columns is self._columns else self._with(columns)

    def _with(self, columns: DesignColumns) -> Self:
        other = object.__new__(type(self))
        other.__dict__.update(self.__dict__)
        other._columns = columns
        return other


def _principal_axes(Z: Floats) -> Floats:
    """Compute an orthonormal basis (d, r) of the row space of ``Z`` (n, d), r at most min(n, d)."""
    n, d = Z.shape
    if d <= n:
        return np.asarray(np.linalg.eigh(Z.T @ Z)[1])
    values, left = np.linalg.eigh(Z @ Z.T)
    keep = values > values[-1] * LEAST_AXIS
    return np.asarray(Z.T @ (left[:, keep] / np.sqrt(values[keep])))
