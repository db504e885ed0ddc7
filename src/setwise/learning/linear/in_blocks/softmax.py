"""A softmax regression on rows in blocks, whose targets are the last array of each block."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from setwise.arrays import Array, Floats
from setwise.blocks import Blocks, add_parts
from setwise.kernels import implementation
from setwise.learning.linear.columns import DesignColumns
from setwise.learning.linear.descent import descend
from setwise.learning.linear.in_blocks.design import BlockDesign
from setwise.learning.linear.in_blocks.made_columns import ColumnMaker
from setwise.learning.linear.in_blocks.problems import BlockWalk, Sums, in_pieces
from setwise.learning.linear.softmax import PATIENCE, SoftmaxFit, SoftmaxObjective
from setwise.learning.linear.walk import Walk


def fit_block_softmax(
    design: BlockDesign, blocks: Blocks, *, l2: float, start: Floats, tol: float = 1e-9, max_iter: int = 1000
) -> SoftmaxFit:
    """Fit a softmax regression; see :func:`~setwise.learning.linear.softmax.fit_softmax`.

    Parameters
    ----------
    design : BlockDesign
    blocks : Blocks
        Their first arrays are the rows, weights and labels; the first K columns of the last are the targets.
    l2 : float
    start : ndarray of shape (D, K)
    tol : float, default=1e-9
    max_iter : int, default=1000

    Returns
    -------
    SoftmaxFit
    """
    objective = _BlockSoftmax(design, blocks, start.shape[1], l2)
    found = descend(objective, start, tol=tol, max_iter=max_iter, patience=PATIENCE)
    rest = found.objective[0], found.n_iter[0], found.converged[0]
    return SoftmaxFit(found.coef, float(rest[0]), int(rest[1]), bool(rest[2]))


class _BlockSoftmax(SoftmaxObjective):
    """One softmax regression with K classes."""

    def __init__(self, design: BlockDesign, blocks: Blocks, n_classes: int, l2: float) -> None:
        ends = np.array([0, n_classes])
        described: Any = design
        super().__init__(described, np.empty((0, n_classes)), ends, np.full(n_classes, l2))
        self.problems = _SoftmaxSums(blocks)

    def walk(self, coef: Floats) -> Walk:
        return BlockWalk(self, coef)


@dataclass(frozen=True)
class _SoftmaxSums:
    blocks: Blocks

    def sums(self, design: BlockDesign, coef: Floats, which: Array) -> Sums:
        function = partial(softmax_sums, maker=design.maker, coef=design.to_blocks(coef))
        loss, curvature, gradient = self.blocks.total(function, add_parts)
        return loss, curvature, design.from_blocks(gradient)


def softmax_sums(*arrays: Any, maker: ColumnMaker, coef: Floats) -> Sums:
    """Sum the losses, curvatures and gradients of a softmax regression over the rows of a block.

    Parameters
    ----------
    *arrays : arrays
        Rows X (n, d) or their columns, their weights, labels (n, L), and in the last array the targets.
    maker : ColumnMaker
    coef : ndarray of shape (D, K)

    Returns
    -------
    tuple of ndarrays
    """
    K = coef.shape[1]
    ends, which, coef = np.array([0, K], np.int32), np.zeros(1, np.int32), coef.astype(maker.dtype)

    def piece(columns: DesignColumns, *rows: Any) -> Sums:
        targets = np.ascontiguousarray(rows[-1][:, :K], dtype=np.float64)
        z = np.ascontiguousarray(columns.scores(coef), dtype=np.float64)
        out, residual = np.empty_like(z), np.empty_like(z)
        loss, curvature, _ = implementation.softmax_step(
            z, z, np.zeros(1), targets, ends, which, out, residual
        )
        gradient = columns.gradient(residual.astype(maker.dtype, copy=False))
        return np.asarray(loss), np.asarray(curvature), gradient.astype(np.float64)

    return in_pieces(piece, maker, arrays, 5 * K)
