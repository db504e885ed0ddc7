"""Consecutive blocks of rows with bounded memory."""

from __future__ import annotations

from collections.abc import Iterator

from setwise.blocks.budget import CELL_BYTES, block_rows


def row_slices(
    n_rows: int, cells_per_row: int, *, cell_bytes: int = CELL_BYTES, min_rows: int = 1
) -> Iterator[slice]:
    """Split rows into consecutive slices that fit the memory budget.

    Without rows there is one empty slice, so that the caller always has a part to concatenate.

    Parameters
    ----------
    n_rows : int
    cells_per_row : int
        Array entries that the work on one row needs at a time.
    cell_bytes : int, default=8
        Bytes of one number.
    min_rows : int, default=1
        Smallest number of rows of a block, even if the budget allows fewer.

    Yields
    ------
    slice

    Examples
    --------
    >>> list(row_slices(10_000, 1000))
    [slice(0, 4194, None), slice(4194, 8388, None), slice(8388, 10000, None)]
    >>> list(row_slices(0, 1000))
    [slice(0, 0, None)]
    """
    step = max(min_rows, block_rows(cells_per_row, cell_bytes=cell_bytes))
    for start in range(0, max(1, n_rows), step):
        yield slice(start, min(start + step, n_rows))
