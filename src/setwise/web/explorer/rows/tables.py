"""Rows of a person's table, which an encoder turned into features."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from setwise.contract import Array, Matrix
from setwise.tables.entries import is_number
from setwise.tables.table import Table
from setwise.web.explorer.rows.base import Cell, ExploredRows, plain_entry


class TableRows(ExploredRows):
    """Rows of a table with entries of any kind; the model sees their features.

    Parameters
    ----------
    table : Table
        The columns that a person reads.
    X : matrix of shape (n, d), or None
        The features of all rows; None: they are made when they are needed.
    encode : callable
        Makes features of a table with the same columns.
    names : sequence of str
        Names of the features.
    """

    def __init__(
        self, table: Table, X: Matrix | None, encode: Callable[[Table], Any], names: Sequence[str] = ()
    ) -> None:
        self.table, self.X, self.encode, self._names = table, X, encode, list(names)
        self.n_rows, self.columns = table.n_rows, list(table.names)
        self._numeric = [_is_numeric(column) for column in table.columns]

    def features(self, rows: Array) -> Any:
        """The features of these rows."""
        return self.encode(self.table.take_rows(rows.tolist())) if self.X is None else self.X[rows]

    def feature_names(self) -> list[str]:
        """Names that the encoder gave to the features."""
        return self._names

    def cells(self, row: int) -> list[Cell]:
        """All entries, as the file has them."""
        return [
            Cell(name, plain_entry(column[row]), numeric)
            for name, column, numeric in zip(self.columns, self.table.columns, self._numeric)
        ]

    def column(self, name: str) -> Array:
        """The entries of a column."""
        entries = np.empty(self.n_rows, dtype=object)
        entries[:] = [plain_entry(value) for value in self.table.columns[self.columns.index(name)]]
        return entries

    def _changed(self, row: int, changes: Mapping[str, Any]) -> Any:
        columns = [
            (changes.get(name, column[row]),) for name, column in zip(self.columns, self.table.columns)
        ]
        return self.encode(replace(self.table, columns=columns, line=lambda _: self.table.line(row)))


def _is_numeric(column: Any) -> bool:
    """Whether the first entries of a column that are not missing are numbers."""
    some = [value for value in list(column[:200]) if value not in (None, "")]
    return bool(some) and all(isinstance(v, (int, float)) or is_number(str(v)) for v in some)
