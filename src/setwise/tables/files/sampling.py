"""A random sample of the rows of a table that is read some rows at a time."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from setwise.contract import Floats
from setwise.tables.table import Table


def sample_rows(tables: Iterable[Table], n_wanted: int) -> Table:
    """Choose rows at random, in their order; all if there are no more than wanted. The same rows each time.

    Parameters
    ----------
    tables : iterable of Table
        At least one, all with the same columns.
    n_wanted : int

    Returns
    -------
    Table

    Examples
    --------
    >>> parts = (Table(["size"], [[str(i), str(i)]], lambda row: row, None) for i in range(50))
    >>> sample_rows(parts, 3).columns
    [['1', '5', '46']]
    """
    rng, parts, share = np.random.default_rng(0), list[tuple[Table, Floats]](), 1.0
    for table in tables:
        parts.append(_below(table, rng.random(table.n_rows), share))
        # No more than twice as many rows as wanted stay in memory.
        while sum(len(numbers) for _, numbers in parts) > 2 * n_wanted:
            share /= 2
            parts = [_below(*part, share) for part in parts]
    numbers = np.sort(np.concatenate([numbers for _, numbers in parts]))
    share = numbers[n_wanted] if len(numbers) > n_wanted else 1.0
    return _stacked([_below(*part, share)[0] for part in parts])


def _below(table: Table, numbers: Floats, share: float) -> tuple[Table, Floats]:
    """The rows whose numbers are below a share. They keep nothing of the other rows in memory, as a view would."""
    kept = numbers < share
    rows = np.flatnonzero(kept).tolist()
    columns = [[column[row] for row in rows] for column in table.columns]
    lines = [table.line(row) for row in rows]
    return replace(table, columns=columns, line=lines.__getitem__, height=len(rows)), numbers[kept]


def _stacked(parts: list[Table]) -> Table:
    first = parts[0]
    columns = [
        [entry for part in parts for entry in part.columns[place]] for place in range(len(first.names))
    ]
    lines = [part.line(row) for part in parts for row in range(part.n_rows)]
    return replace(first, columns=columns, line=lines.__getitem__, height=len(lines))
