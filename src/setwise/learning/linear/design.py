"""The design matrix of the learners: standardised features, a column of ones, and labels used as features.

This is the one place that asks whether X is sparse. What the learners see is a matrix of D columns that they
multiply by coefficients (D, B) and by residuals (n, B); the columns are chosen so that the solver converges
fast, and :meth:`Design.to_features` turns what it found into coefficients of the features as they came.
"""

from __future__ import annotations

from typing import NamedTuple, Self

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp
from sklearn.utils.extmath import randomized_svd

from setwise.contract import Array, Floats, Matrix
from setwise.kernels.matrices import matmul
from setwise.learning.linear.scores import LinearScores

# A sparse X is made dense only below this size; rotating its columns then pays many times over.
DENSE_BYTES = 128 * 2**20
ROTATED_COLUMNS = 2000
ONE_UNIT = 30.0
"""Mostly zero columns whose other values differ by no larger factor are taken to have the same unit."""


class Columns(NamedTuple):
    """Mean, standard deviation and share of non-zero values of each column, (d,) each."""

    mean: Floats
    deviation: Floats
    filled: Floats


def describe_columns(X: Matrix, weights: Floats | None = None) -> Columns:
    """Weighted moments of the columns, for values up to the largest floating-point number."""
    n = X.shape[0]
    w = np.full(n, 1.0 / n) if weights is None else weights / weights.sum()
    if sp.issparse(X):
        unit = np.asarray(abs(X).max(axis=0).todense()).ravel().astype(np.float64)
        unit[unit == 0] = 1.0
        scaled = X.tocsr().astype(np.float64)
        scaled = sp.csr_array((scaled.data / unit[scaled.indices], scaled.indices, scaled.indptr), X.shape)
        mean, squares, filled = w @ scaled, w @ scaled.multiply(scaled), w @ scaled.astype(bool)
        deviation = np.sqrt(np.maximum(squares - mean**2, 0.0))
        rounding = 1e-7
    else:
        unit = np.abs(X).max(axis=0).astype(np.float64)
        unit[unit == 0] = 1.0
        scaled = X / unit
        mean, filled = w @ scaled, w @ (X != 0)
        deviation = np.sqrt(w @ (scaled - mean) ** 2)
        rounding = 1e-13
    deviation[deviation < rounding] = 0.0
    return Columns(mean * unit, deviation * unit, filled)


def column_scales(columns: Columns) -> Floats:
    """What each column is divided by before it meets an L2 penalty.

    A column is divided by its standard deviation, unless it is zero in most rows (words, indicators): there
    that would give the rarest columns the loosest penalty. Such columns share one divisor, which brings their
    mean variance to one: if some have larger values than others (counts, tf-idf), that is meant. Only those
    whose values are in another unit, off the middle by more than ``ONE_UNIT``, are brought to the middle first.
    """
    mean, deviation, filled = columns
    rare = (filled < 0.5) & (deviation > 0)
    scale = deviation.copy()
    if rare.any():
        size = np.hypot(mean[rare], deviation[rare]) / np.sqrt(filled[rare])
        middle = np.median(size)
        own = np.where(np.abs(np.log(size / middle)) > np.log(ONE_UNIT), size / middle, 1.0)
        scale[rare] = own * np.sqrt(np.mean((deviation[rare] / own) ** 2))
    return scale


class Design:
    """A matrix (n, D) whose columns are features, then ones, then the labels used as features.

    Dense features are centred, scaled and rotated to their principal axes: every regression on them then has
    a nearly diagonal Hessian. An L2 penalty with one weight is blind to the rotation, and an unpenalised
    intercept to the centring, so the optimum is that of the scaled features, dense or sparse.

    Parameters
    ----------
    X : array or CSR of shape (n, d)
    labels : ndarray of shape (n, m), optional
        Labels used as features. They share one scale, which gives each label under a common penalty the prior
        variance of all the features together: a label says much more than one feature does.
    weights : ndarray of shape (n,), optional
        Row weights of the columns' moments.
    standardize : bool
        Whether features are divided by their :func:`column_scales`.
    label_scale : float, optional
        What labels used as features are multiplied by, instead of that common scale.
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
        n = X.shape[0]
        labels = np.empty((n, 0)) if labels is None else labels
        self.n_features = int(X.shape[1])
        columns = describe_columns(X, weights)
        self._used = np.flatnonzero(columns.deviation > 0)
        scale = column_scales(columns) if standardize else np.ones(self.n_features)
        self._scale = scale[self._used]
        self.total_variance = float(((columns.deviation[self._used] / self._scale) ** 2).sum())
        self._basis: Floats | None = None
        dtype = np.float32 if X.dtype == np.float32 else np.float64
        if sp.issparse(X) and n * len(self._used) * 8 > DENSE_BYTES:
            self._mean = np.zeros(len(self._used))
            self._features: Matrix = _scaled_csr(X, self._used, self._scale, dtype)
        else:
            self._mean = columns.mean[self._used]
            self._features = self._rotated(X, dtype)
        self.label_scale = max(self.total_variance, 1.0) ** 0.5 if label_scale is None else label_scale
        # Centred labels do not lean on the intercept, which is not penalised: fewer steps to the same optimum.
        w = np.ones(n) if weights is None else weights
        self.label_means = w @ labels / w.sum()
        extra = np.hstack([np.ones((n, 1)), (labels - self.label_means) * self.label_scale]).astype(dtype)
        self._attach(extra)

    def _rotated(self, X: Matrix, dtype: npt.DTypeLike) -> Matrix:
        columns = X[:, self._used]
        columns = columns.toarray() if sp.issparse(columns) else columns
        Z = np.asarray((columns - self._mean) / self._scale, dtype=np.float64)
        n, d = Z.shape
        if 0 < min(n, d) <= ROTATED_COLUMNS:
            self._basis = _principal_axes(Z)
            Z = Z @ self._basis
        return np.ascontiguousarray(Z, dtype=dtype)

    def _attach(self, extra: Array) -> None:
        """Sets the matrix that is multiplied; sparse features stay apart from the dense columns."""
        self._extra = extra
        self.intercept = self._features.shape[1]
        self.n_rows, self.n_columns = extra.shape[0], self.intercept + extra.shape[1]
        self.dtype = extra.dtype
        if sp.issparse(self._features):
            self._transposed = self._features.T.tocsr()
            squares = np.asarray(self._features.multiply(self._features).mean(axis=0)).ravel()
        else:
            self._features = np.ascontiguousarray(np.hstack([self._features, extra]))
            squares = np.einsum("ij,ij->j", self._features, self._features)[: self.intercept] / self.n_rows
        self.mean_squares = np.concatenate([squares, (extra.astype(np.float64) ** 2).mean(axis=0)])

    def scores(self, coef: Floats) -> Array:
        """The product (n, B) with coefficients (D, B)."""
        coef = coef.astype(self.dtype, copy=False)
        if sp.issparse(self._features):
            return matmul(self._features, coef[: self.intercept]) + self._extra @ coef[self.intercept :]
        return np.asarray(self._features @ coef)

    def gradient(self, residual: Array) -> Floats:
        """The product (D, B) of the transposed matrix with residuals (n, B)."""
        if sp.issparse(self._features):
            parts = [matmul(self._transposed, residual), self._extra.T @ residual]
            return np.concatenate(parts).astype(np.float64, copy=False)
        # Residuals first: BLAS then walks the large matrix along its rows, in up to half of the time.
        return np.ascontiguousarray((residual.T @ self._features).T, dtype=np.float64)

    def leading(self, size: int) -> Floats:
        """The features along their first principal axes, (n, size) or fewer; sparse features are not centred."""
        features = self._features[:, : self.intercept]
        if self._basis is not None or not self.intercept:
            order = np.argsort(self.mean_squares[: self.intercept])[::-1]
            return np.asarray(features[:, order[:size]], dtype=np.float64)
        # Random directions of the columns, not of the rows: the order of the rows does not matter.
        size = min(size, *features.shape)
        left, values, _ = randomized_svd(features, size, transpose=False, random_state=0)
        return np.asarray(left * values, dtype=np.float64)

    def take(self, rows: Array) -> Self:
        """The same columns for some rows: coefficients keep their meaning."""
        other = object.__new__(type(self))
        other.__dict__.update(self.__dict__)
        features = self._features[rows]
        other._features = features if sp.issparse(features) else features[:, : self.intercept]
        other._attach(self._extra[rows])
        return other

    def single(self) -> Self:
        """The same matrix in single precision, in which dense products take half the time; sparse ones stay."""
        if sp.issparse(self._features) or self.dtype == np.float32:
            return self
        other = object.__new__(type(self))
        other.__dict__.update(self.__dict__)
        other._features = self._features[:, : self.intercept].astype(np.float32)
        other._attach(self._extra.astype(np.float32))
        return other

    def to_features(self, coef: Floats) -> LinearScores:
        """Coefficients (D, B) of the design, or of its features alone, as functions of the features as they came."""
        used = coef[: self.intercept] if self._basis is None else self._basis @ coef[: self.intercept]
        used = used / self._scale[:, None]
        features = np.zeros((self.n_features, coef.shape[1]))
        features[self._used] = used
        labels = coef[self.intercept + 1 :] * self.label_scale
        centre = self._mean @ used + self.label_means[: len(labels)] @ labels
        return LinearScores(features, coef[self.intercept] - centre, labels)


def _scaled_csr(X: Matrix, used: Array, scale: Floats, dtype: npt.DTypeLike) -> Matrix:
    columns = X.tocsr()[:, used].astype(dtype)
    columns.data /= scale.astype(dtype)[columns.indices]
    return columns


def _principal_axes(Z: Floats) -> Floats:
    """An orthonormal basis (d, r) of the row space of ``Z``, r at most min(n, d)."""
    n, d = Z.shape
    if d <= n:
        return np.asarray(np.linalg.eigh(Z.T @ Z)[1])
    values, left = np.linalg.eigh(Z @ Z.T)
    keep = values > values[-1] * 1e-12
    return np.asarray(Z.T @ (left[:, keep] / np.sqrt(values[keep])))
