"""Blocks of arrays, memory-mapped or not."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from setwise.blocks import StreamedBlocks


@dataclass(frozen=True)
class Rows:
    """Loads some rows of arrays: their number among the blocks, features, labels and weights.

    A block of a memory-mapped array gets a map of its own, so that its pages leave memory with it.
    """

    number: int
    rows: slice
    arrays: tuple[Any, ...]

    def __call__(self) -> tuple[Any, ...]:
        """Load the rows."""
        return self.number, *(None if a is None else _loaded(a, self.rows) for a in self.arrays)


def _loaded(array: Any, rows: slice) -> Any:
    path = getattr(array, "filename", None)
    if not isinstance(array, np.memmap) or path is None or not array.flags.c_contiguous:
        return array.iloc[rows] if hasattr(array, "iloc") else array[rows]
    width = array.strides[0]
    shape = (rows.stop - rows.start, *array.shape[1:])
    block = np.fromfile(path, array.dtype, int(np.prod(shape)), offset=array.offset + rows.start * width)
    return block.reshape(shape)


def array_blocks(X: Any, y: Any, weights: Any, block_rows: int, *, room: int = 0) -> StreamedBlocks:
    """Split arrays of the same rows into blocks that are loaded when they are visited.

    Parameters
    ----------
    X : array or CSR of shape (n, d)
    y : array or CSR of shape (n, L)
    weights : array of shape (n,) or None
    block_rows : int
    room : int, default=0
        Bytes that the blocks may keep in memory between visits.

    Returns
    -------
    StreamedBlocks
        Each block has its number, features, labels and weights or None.

    Examples
    --------
    >>> import numpy as np
    >>> blocks = array_blocks(np.ones((5, 2)), np.ones((5, 3)), None, 2)
    >>> [(number, X.shape) for number, X in blocks.map(lambda number, X, y, w: (number, X))]
    [(0, (2, 2)), (1, (2, 2)), (2, (1, 2))]
    """
    n = X.shape[0]
    if y.shape[0] != n:
        raise ValueError(f"X has {n} rows but y has {y.shape[0]}: inconsistent numbers of samples")
    slices = [slice(a, min(a + block_rows, n)) for a in range(0, n, block_rows)]
    return StreamedBlocks(tuple(Rows(i, rows, (X, y, weights)) for i, rows in enumerate(slices)), room=room)
