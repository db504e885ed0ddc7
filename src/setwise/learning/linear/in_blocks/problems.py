"""Logistic and softmax regressions on rows in blocks, which only send sums."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any, ClassVar, Self

import numpy as np

from setwise.arrays import Array, Bools, Floats
from setwise.blocks import Blocks, add_parts, merge
from setwise.kernels import implementation
from setwise.learning.linear.columns import DesignColumns
from setwise.learning.linear.descent import Descent
from setwise.learning.linear.in_blocks.descent import RoundDescent
from setwise.learning.linear.in_blocks.design import BlockDesign
from setwise.learning.linear.in_blocks.made_columns import ColumnMaker
from setwise.learning.linear.logistic_problems import LogisticProblems
from setwise.learning.linear.walk import Walk

Sums = tuple[Floats, Floats, Floats]
"""Losses (B,), curvatures (C,) and gradients (D, C)."""


class BlockWalk:
    """A walk over rows in blocks, one round a step: nothing as long as the rows is kept anywhere.

    The slope along a direction follows from the gradient, so that scores need not be remembered.

    Parameters
    ----------
    objective : Objective
        Its problems have ``sums``.
    coef : ndarray of shape (D, C)
    """

    def __init__(self, objective: Any, coef: Floats) -> None:
        self.objective, self.coef, self.direction = objective, coef, np.zeros_like(coef)
        self.summed = np.zeros(coef.shape)
        B = len(objective.first) - 1
        self.loss, self.curvature, _ = self.try_steps(np.zeros(B), np.arange(B))

    def aim(self, coef: Floats, direction: Array) -> None:
        """Set out from coefficients (D, C) along directions (D, C)."""
        self.coef, self.direction = coef, direction

    def try_steps(self, step: Floats, which: Array) -> tuple[Floats, Floats, Floats]:
        """Compute the losses (B,), curvatures (C,) and slopes (B,) of problems ``which`` after steps (B,)."""
        objective, chosen = self.objective, np.zeros(len(step), bool)
        chosen[which] = True
        columns = np.flatnonzero(objective.by_column(chosen))
        trial = self.coef[:, columns] + objective.by_column(step)[columns] * self.direction[:, columns]
        loss, curvature, slope = np.zeros(len(step)), np.zeros(self.coef.shape[1]), np.zeros(len(step))
        loss[which], curvature[columns], self.summed[:, columns] = objective.problems.sums(
            objective.design, trial, which
        )
        slope[which] = objective.dots(self.direction.astype(np.float64, copy=False), self.summed)[which]
        return loss, curvature, slope

    def accept(self) -> None:
        """Do nothing: the solver keeps the coefficients."""

    def gradient(self, objective: Any, intercepts: Floats) -> Array:
        """Compute the gradient (D, C), without that of the L2 penalty, after the last steps."""
        gradient: Array = objective.penalized(self.summed.astype(objective.design.dtype), intercepts)
        return gradient

    def take(self, objective: Any, stays: Bools) -> Self:
        """Keep the columns (C,) of some problems."""
        self.objective, self.summed = objective, np.compress(stays, self.summed, axis=1)
        return self


@dataclass(frozen=True)
class BlockProblems(LogisticProblems):
    """Logistic regressions whose targets and weights are made where the rows are.

    Parameters
    ----------
    blocks : Blocks
        Their first arrays are the rows, their weights and their labels.
    rows_of : callable
        Makes all problems of the weights, labels and other arrays of a block.
    which : ndarray of int
        The problems that are left of them.
    """

    blocks: Any = None
    rows_of: Callable[..., LogisticProblems] = field(default=LogisticProblems.of)
    which: Array = field(default_factory=lambda: np.empty(0, int))

    solver: ClassVar[type[Descent]] = RoundDescent

    @classmethod
    def on(
        cls,
        blocks: Blocks,
        rows_of: Callable[..., LogisticProblems],
        empty: tuple[Any, ...],
        *,
        l2: Floats,
        columns: Bools | None = None,
    ) -> Self:
        """Make problems on blocks; ``empty`` are the arrays of a block without rows."""
        head = rows_of(*empty[1:])
        rows = head.targets, head.target, head.weights, head.weight
        return cls(*rows, l2, columns, head.smoothing, blocks, rows_of, np.arange(len(head)))

    def take(self, problems: Array) -> Self:
        """Select problems, by index or mask."""
        taken = super().take(problems)
        object.__setattr__(taken, "which", self.which[problems])
        return taken

    def compact(self) -> Self:
        """Return the problems themselves: they have no rows."""
        return self

    def totals(self) -> tuple[Floats, Floats]:
        """Sum the weights of the positive targets and of all known targets, (B,) each."""
        positive, total = self.blocks.total(partial(_totals, rows_of=self.rows_of), add_parts)
        return positive[self.which], total[self.which]

    def walk(self, objective: Any, coef: Floats) -> Walk:
        """Go to coefficients (D, C), from where the solver sets out."""
        return BlockWalk(objective, coef)

    def sums(self, design: BlockDesign, coef: Floats, which: Array) -> Sums:
        """Sum losses, curvatures and gradients of problems ``which`` at coefficients (D, C) in one round."""
        sums = partial(
            logistic_sums,
            maker=design.maker,
            rows_of=self.rows_of,
            which=self.which[which],
            coef=design.to_blocks(coef),
        )
        loss, curvature, gradient = self.blocks.total(sums, add_parts)
        return loss, curvature, design.from_blocks(gradient)


def logistic_sums(
    *arrays: Any,
    maker: ColumnMaker,
    rows_of: Callable[..., LogisticProblems],
    which: Array,
    coef: Floats,
) -> Sums:
    """Sum losses, curvatures and gradients over the rows of a block, a piece at a time.

    Parameters
    ----------
    *arrays : arrays
        Rows X (n, d) or their columns, weights (n,) or None, labels (n, L), and others that ``rows_of`` takes.
    maker : ColumnMaker
    rows_of : callable
        Makes the problems of the rows, of all arrays but the first.
    which : ndarray of int
        The problems that are evaluated.
    coef : ndarray of shape (D, C)

    Returns
    -------
    tuple of ndarrays
    """
    coef = np.ascontiguousarray(coef, dtype=maker.dtype)

    def piece(columns: DesignColumns, *rows: Any) -> Sums:
        p = rows_of(*rows).take(which).as_dtype(maker.dtype)
        z = np.ascontiguousarray(columns.scores(coef))
        out, residual = np.empty_like(z), np.empty_like(z)
        loss, curvature, _ = implementation.logistic_step(
            z, z, np.zeros(len(which)), p.targets, p.target, p.weights, p.weight, out, residual
        )
        return loss, curvature, columns.gradient(residual).astype(np.float64)

    return in_pieces(piece, maker, arrays, 4 * coef.shape[1])


def in_pieces(piece: Callable[..., Sums], maker: ColumnMaker, arrays: tuple[Any, ...], cells: int) -> Sums:
    """Add up what a function makes of the columns and the other arrays of each piece of a block.

    It needs ``cells`` numbers for a row, beside those of its columns.
    """
    X, *others = arrays
    pieces = maker.pieces(X, arrays[2], maker.cells + cells)
    return merge(
        (piece(columns, *(a if a is None else a[rows] for a in others)) for rows, columns in pieces),
        add_parts,
    )


def _totals(X: Any, *others: Any, rows_of: Callable[..., LogisticProblems]) -> tuple[Floats, Floats]:
    return rows_of(*others).totals()
