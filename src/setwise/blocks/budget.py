"""The memory that one block of rows may take."""

from __future__ import annotations

BLOCK_BYTES = 1 << 25
"""32 MB: large enough that a block's work hides the loop around it, small enough for several threads."""
CELL_BYTES = 8


def block_rows(cells_per_row: int, *, cell_bytes: int = CELL_BYTES) -> int:
    """Count the rows of a block: as many as fit the budget, at least one.

    Parameters
    ----------
    cells_per_row : int
        Numbers that the work on one row holds at a time.
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
