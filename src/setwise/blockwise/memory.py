"""How many rows of a table a memory limit allows at a time."""

from __future__ import annotations

import re

UNITS = {"": 1, "B": 1, "KB": 10**3, "MB": 10**6, "GB": 10**9, "TB": 10**12}
FIXED_BYTES = 250 * 10**6
"""What Python, NumPy and the solver take without any rows."""
COPIES = 8
"""Copies of the numbers of a block that work on it may hold at a time, in double precision."""
LEAST_ROWS, MOST_ROWS = 256, 1 << 18
"""Larger blocks are not faster."""


def bytes_of(limit: int | str) -> int:
    """Read an amount of memory.

    Examples
    --------
    >>> bytes_of("1.5GB"), bytes_of(2000)
    (1500000000, 2000)
    """
    if isinstance(limit, int) and not isinstance(limit, bool) and limit > 0:
        return limit
    found = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([KMGT]?B?)\s*", str(limit).upper())
    unit = found and (found[2] if found[2].endswith("B") or not found[2] else found[2] + "B")
    if not found or float(found[1]) <= 0:
        raise ValueError(f"the memory limit is {limit!r}; expected an amount such as '500MB' or '2GB'")
    return int(float(found[1]) * UNITS[str(unit)])


def room_to_keep(limit: int, *, sparse: bool) -> int:
    """Count the bytes that blocks may keep between visits: some of a large limit, and none for dense rows.

    Dense rows need little work at each visit.

    Examples
    --------
    >>> room_to_keep(10**9, sparse=True), room_to_keep(10**9, sparse=False)
    (250000000, 0)
    """
    return max(0, limit // 2 - FIXED_BYTES) if sparse else 0


def rows_within(limit: int, n_features: int, n_labels: int) -> int:
    """Count the rows that a block may have under a memory limit; a MemoryError if that is too little.

    Examples
    --------
    >>> rows_within(10**9, 1000, 50)
    11160
    """
    rows = (limit - FIXED_BYTES) // (8 * COPIES * (n_features + n_labels))
    if rows < LEAST_ROWS:
        need = FIXED_BYTES + LEAST_ROWS * 8 * COPIES * (n_features + n_labels)
        raise MemoryError(
            f"a memory limit of {limit / 1e6:.0f} MB is too little for {n_features} features and {n_labels} labels; "
            f"give at least {need / 1e6:.0f} MB"
        )
    return int(min(rows, MOST_ROWS))
