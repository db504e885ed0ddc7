"""The memory that one block of rows may take."""

from __future__ import annotations

BLOCK_BYTES = 1 << 25
"""32 MB: large enough that the loop over blocks costs little, small enough for several threads."""
CELL_BYTES = 8


def block_rows(cells_per_row: int, *, cell_bytes: int = CELL_BYTES) -> int:
    """Number of rows that fit the budget of a block, at least one.

    Parameters
    ----------
    cells_per_row : int
        Array entries that the work on one row needs at a time.
    cell_bytes : int, default=8
        Bytes of one number.

    Returns
    -------
    int

    Examples
    --------
    >>> block_rows(1000)
    4194
    """
    return max(1, BLOCK_BYTES // (max(1, cells_per_row) * cell_bytes))
