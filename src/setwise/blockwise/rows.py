"""The rows of one fit in blocks, and what one round over them says."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, NamedTuple, Self

import numpy as np

from setwise.blocks import Blocks, add_parts
from setwise.contract import Array, Floats, Labels, Matrix
from setwise.kernels.matrices import stack_rows
from setwise.learning.by_content.sample import row_numbers
from setwise.learning.linear.in_blocks.design import BlockDesign
from setwise.learning.linear.in_blocks.problems import BlockProblems
from setwise.learning.linear.logistic_problems import LogisticProblems


class Sample(NamedTuple):
    """Rows X (m, d) with weights (m,) or None and labels Y (m, L)."""

    X: Matrix
    weights: Floats | None
    Y: Labels


@dataclass(frozen=True)
class BlockRows:
    """Checked rows in blocks, with their sums.

    Parameters
    ----------
    blocks : Blocks
        Of features (n, d), weights (n,) or None, and labels (n, L).
    empty : tuple
        The arrays of a block without rows.
    n_rows : int
    total : float
        Sum of the weights.
    on, known : ndarray of shape (L,)
        Weights of the rows with each label, and of those in which it is known.
    n_empty, n_complete : int
        Complete rows without any label, and complete rows.
    parts : sequence of (gate, experts)
        Of the mixtures that were fitted to the sample.
    """

    blocks: Blocks
    empty: tuple[Any, ...]
    n_rows: int
    total: float
    on: Floats
    known: Floats
    n_empty: int
    n_complete: int
    parts: Sequence[tuple[Any, Any]] = ()

    @classmethod
    def of(cls, blocks: Blocks, empty: tuple[Any, ...]) -> Self:
        """Count the rows of all blocks in one round."""
        sums = blocks.total(_sums, add_parts)
        if not sums[0]:
            raise ValueError("all labels of y are unknown (-1 or NaN) in the rows with positive weight")
        return cls(blocks, empty, *sums)

    @property
    def is_partial(self) -> bool:
        """Whether some label of some row is unknown."""
        return self.n_complete < self.n_rows

    @property
    def shares(self) -> Floats:
        """Weighted share (L,) of the rows with each label."""
        return np.asarray(self.on / self.total)

    def through(self, function: Callable[..., tuple[Any, ...]]) -> Self:
        """Replace the arrays of each block, as :class:`~setwise.blocks.Blocks` does."""
        return replace(self, blocks=self.blocks.through(function))

    def sample(self, n_wanted: int) -> Sample:
        """Collect about ``n_wanted`` rows, chosen by the hash of their features; all if there are fewer."""
        share = 1.0 if self.n_rows <= n_wanted else n_wanted / self.n_rows
        parts = self.blocks.total(partial(_chosen, share=share))
        filled = [part for part in parts if part.X.shape[0]]
        if not filled:
            raise ValueError(f"no row falls into a sample of {n_wanted} rows; pass a larger sample_rows")
        X, Y = stack_rows([part.X for part in filled]), np.concatenate([part.Y for part in filled])
        weights = [part.weights for part in filled if part.weights is not None]
        return Sample(X, np.concatenate(weights) if weights else None, Y)

    def design(self, *, standardize: bool, labels: bool = False, dtype: Any = None, **options: Any) -> Any:
        """Describe the design matrix of the rows, by default in their precision; see :class:`BlockDesign`."""
        shares = self.shares if labels else None
        dtype = self.empty[0].dtype if dtype is None else dtype
        return BlockDesign(
            self.blocks, self.n_rows, self.total, dtype, shares=shares, standardize=standardize, **options
        )

    def problems(
        self,
        design: BlockDesign,
        rows_of: Callable[..., LogisticProblems],
        l2: Any,
        columns: Array | None = None,
    ) -> BlockProblems:
        """Make logistic regressions on the blocks of a design; see :class:`BlockProblems`."""
        return BlockProblems.on(design.blocks, rows_of, self.empty, l2=np.asarray(l2, float), columns=columns)


def _sums(X: Matrix, weights: Floats | None, Y: Labels) -> tuple[Any, ...]:
    w = np.ones(len(Y)) if weights is None else weights
    complete = (Y != -1).all(axis=1)
    n_empty = int((complete & ~(Y == 1).any(axis=1)).sum())
    return len(Y), float(w.sum()), w @ (Y == 1), w @ (Y != -1), n_empty, int(complete.sum())


def _chosen(X: Matrix, weights: Floats | None, Y: Labels, share: float) -> list[Sample]:
    rows = np.flatnonzero(row_numbers(X) < share) if share < 1.0 else np.arange(len(Y))
    return [Sample(X[rows], None if weights is None else weights[rows], Y[rows])]
