"""The design matrix of rows in blocks: its columns are described once, and made wherever a block is."""

from __future__ import annotations

from functools import partial
from typing import Any, Self

import numpy as np

from setwise.arrays import Floats, Labels, Matrix
from setwise.blocks import ArrayBlocks, Blocks
from setwise.kernels.matrices import moments_in_blocks
from setwise.learning.linear.coordinates import Coordinates
from setwise.learning.linear.design import ROTATED_COLUMNS, sparse_is_faster
from setwise.learning.linear.in_blocks.made_columns import LEAST_ROWS, ColumnMaker, LabelColumns


class BlockDesign(Coordinates):
    """The coordinates of :class:`~setwise.learning.linear.design.Design` for rows in blocks.

    Dense features are not rotated in the blocks: coefficients are, on their way there, and gradients on their way
    back. Sparse columns, which take long to make, stay with the blocks as far as there is memory.

    Parameters
    ----------
    blocks : Blocks
        Their first arrays are the rows (n, d), their weights (n,) or None, and their labels (n, L).
    n_rows : int
        Number of rows of all blocks.
    total : float
        Sum of their weights.
    dtype : dtype
        Of the columns.
    shares : ndarray of shape (L,), optional
        Weighted share of the rows with each label, if labels are used as features.
    standardize : bool, default=True
    label_scale : float, optional
    signed : bool, default=False
        Whether a label that is off is the feature -1, not 0.
    """

    def __init__(
        self,
        blocks: Blocks,
        n_rows: int,
        total: float,
        dtype: np.dtype[Any],
        *,
        shares: Floats | None = None,
        standardize: bool = True,
        label_scale: float | None = None,
        signed: bool = False,
    ) -> None:
        moments = moments_in_blocks(blocks, total)
        super().__init__(moments, standardize=standardize, label_scale=label_scale)
        self.dtype = np.dtype(dtype)
        times, plus = (2.0, -1.0) if signed else (1.0, 0.0)
        known = np.empty(0) if shares is None else shares
        self.label_means = times * known + plus
        labels = None if shares is None else LabelColumns(times, plus, self.label_means, self.label_scale)
        filled = float(moments.filled[self._used].sum()) / max(len(self._used), 1)
        sparse = sparse_is_faster(n_rows, len(self._used), filled)
        self.maker = ColumnMaker(self._used, self._mean, self._scale, sparse, self.dtype, labels, filled)
        self.cells = int(n_rows * len(self._used) * (filled if sparse else 1.0)) + n_rows * (1 + len(known))
        variances = (moments.deviation[self._used] / self._scale) ** 2
        if not sparse and 0 < len(self._used) <= ROTATED_COLUMNS:
            variances = self._rotate(blocks, total)
        self.blocks = blocks.kept(self.maker.keep) if sparse else blocks
        self.intercept = len(variances)
        self.n_columns = self.intercept + 1 + len(known)
        extra = (times * self.label_scale) ** 2 * known * (1.0 - known)
        self.mean_squares = np.concatenate([variances, [1.0], extra])

    def _rotate(self, blocks: Blocks, total: float) -> Floats:
        """Set the principal axes of the features; return the variances (r,) along them."""
        products: Floats = blocks.total(partial(_cross_products, maker=self.maker))
        values, axes = np.linalg.eigh(products)
        keep = values > max(values[-1], 0.0) * 1e-12
        self._basis = axes[:, keep]
        return np.asarray(values[keep] / total)

    @property
    def n_rows(self) -> int:
        """Fewest rows that are worked on at a time: pieces are smaller the more problems share a round."""
        return LEAST_ROWS

    def single(self) -> Self:
        """Return the design itself: its columns have the precision that was asked for."""
        return self

    def to_blocks(self, coef: Floats) -> Floats:
        """Convert coefficients (D, C) to those of the columns in the blocks."""
        if self._basis is None:
            return coef
        return np.vstack([self._basis @ coef[: self.intercept], coef[self.intercept :]])

    def from_blocks(self, gradient: Floats) -> Floats:
        """Convert gradients of the columns in the blocks to those (D, C) of the design."""
        if self._basis is None:
            return gradient
        first = len(self._basis)
        return np.vstack([self._basis.T @ gradient[:first], gradient[first:]])


def _cross_products(X: Matrix, weights: Floats | None, Y: Labels, *_: Any, maker: ColumnMaker) -> Floats:
    """Sum the products (f, f) of the scaled features of a block."""

    def piece(X: Matrix, weights: Floats | None, Y: Labels) -> Floats:
        Z = np.asarray(maker(X, Y).features, dtype=np.float64)
        return np.asarray((Z if weights is None else Z * weights[:, None]).T @ Z)

    return ArrayBlocks((X, weights, Y), X.shape[0], 3 * maker.cells, 1024).total(piece)
