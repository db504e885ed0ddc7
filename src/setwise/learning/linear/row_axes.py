"""The principal axes of few sparse rows of many features, kept as products of the rows."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from setwise.arrays import Array, Floats, Matrix

LEAST_AXIS = 1e-12
"""Share of the largest variance below which an axis of the rows is rounding."""


class RowAxes:
    """An orthonormal basis (d, r) of the space of centred rows (n, d), r at most n; it multiplies as a matrix does.

    The axes are combinations of the rows. They are never written down, as thousands of dense axes of 60,000 words would
    fill a gigabyte.

    Parameters
    ----------
    rows : CSR of shape (n, d)
    mean : ndarray of shape (d,)
        Subtracted from each row.
    combinations : ndarray of shape (n, r)
        The axes as combinations of the centred rows.

    Examples
    --------
    >>> from scipy.sparse import csr_array
    >>> axes, along = RowAxes.of(csr_array([[3.0, 0.0], [0.0, 1.0]]), np.zeros(2), np.ones(2))
    >>> np.abs(along).round(6).tolist(), np.abs(axes @ np.eye(2)).round(6).tolist()
    ([[0.0, 3.0], [1.0, 0.0]], [[0.0, 1.0], [1.0, 0.0]])
    """

    def __init__(self, rows: Matrix, mean: Floats, combinations: Floats) -> None:
        self.rows, self.mean, self.combinations = rows, mean, combinations

    @classmethod
    def of(cls, rows: Matrix, mean: Floats, weights: Floats) -> tuple[Self, Floats]:
        """The axes of weighted rows (n, d), and the coordinates (n, r) of the rows on them."""
        along = rows @ mean
        products = (rows @ rows.T).toarray()
        products += mean @ mean - along[:, None] - along
        root = np.sqrt(weights)
        values, left = np.linalg.eigh(root[:, None] * products * root)
        keep = values > values[-1] * LEAST_AXIS
        combinations = root[:, None] * left[:, keep] / np.sqrt(values[keep])
        return cls(rows, mean, combinations), np.asarray(products @ combinations)

    def __len__(self) -> int:
        return len(self.mean)

    def __matmul__(self, coef: Array) -> Floats:
        """Combine the axes: (d, r) times (r, B)."""
        combined = self.combinations @ coef
        return np.asarray(self.rows.T @ combined - np.multiply.outer(self.mean, combined.sum(axis=0)))

    @property
    def T(self) -> _Transposed:
        """What multiplies vectors of features (d, B) to coordinates (r, B)."""
        return _Transposed(self)


class _Transposed:
    """The transposed axes (r, d)."""

    def __init__(self, axes: RowAxes) -> None:
        self.axes = axes

    def __matmul__(self, features: Any) -> Floats:
        axes = self.axes
        return np.asarray(axes.combinations.T @ (axes.rows @ features - axes.mean @ features))
