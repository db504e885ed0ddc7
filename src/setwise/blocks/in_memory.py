"""Rows in memory, split into blocks."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any, Self, TypeVar

from setwise.blocks.protocol import Blocks
from setwise.blocks.slices import row_slices

Part = TypeVar("Part")


@dataclass(frozen=True)
class ArrayBlocks(Blocks):
    """Arrays with the same rows, split into blocks that fit the memory budget.

    Parameters
    ----------
    arrays : tuple of arrays or CSR with n rows, or None
        A function mapped over the blocks is called with one argument for each, None for None.
    n_rows : int
    cells_per_row : int
        Array entries that the function needs for one row.
    min_rows : int, default=1
        Smallest number of rows of a block, so that working on them takes longer than merging the results.

    Examples
    --------
    >>> import numpy as np
    >>> from setwise.blocks import merge
    >>> X, weights = np.ones((10_000, 1000)), np.ones(10_000)
    >>> blocks = ArrayBlocks((X, weights), 10_000, cells_per_row=1000)
    >>> list(blocks.map(lambda X, w: len(X)))
    [4194, 4194, 1612]
    >>> merge(blocks.map(lambda X, w: w @ X))[:2]
    array([10000., 10000.])
    """

    arrays: tuple[Any, ...]
    n_rows: int
    cells_per_row: int
    min_rows: int = 1

    def map(self, function: Callable[..., Part]) -> Iterator[Part]:
        """Call a function with the arrays of each block; see :class:`Blocks`."""
        for rows in row_slices(self.n_rows, self.cells_per_row, min_rows=self.min_rows):
            whole = rows.stop - rows.start == self.n_rows
            yield function(*self.arrays if whole else (a if a is None else a[rows] for a in self.arrays))

    def through(self, function: Callable[..., tuple[Any, ...]]) -> Self:
        """Replace the arrays by those that a function makes of all of them at once."""
        arrays = function(*self.arrays)
        return replace(self, arrays=arrays, n_rows=arrays[0].shape[0])

    def kept(self, function: Callable[..., tuple[Any, ...]]) -> Self:
        """Replace the arrays as :meth:`through` does: they are in memory in any case."""
        return self.through(function)

    def also(self, function: Callable[..., Any]) -> Self:
        """Add an array that a function makes of the others, all at once."""
        return replace(self, arrays=(*self.arrays, function(*self.arrays)))
