"""Rows of a DataFrame, as a pipeline takes it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from sklearn.utils import _safe_indexing

from setwise.contract import Array
from setwise.tables.frames import as_table
from setwise.web.explorer.rows.base import Cell, ExploredRows, as_number
from setwise.web.explorer.rows.tables import TableRows


class FrameRows(ExploredRows):
    """Rows of a DataFrame of pandas or polars.

    Examples
    --------
    >>> import pandas as pd
    >>> rows = FrameRows(pd.DataFrame({"size": [1.5], "colour": ["red"]}))
    >>> rows.summary(0), rows.changed(0, {"size": "2"})["size"].tolist()
    ('size 1.5, colour red', [2.0])
    """

    def __init__(self, frame: Any) -> None:
        self.frame = frame
        self._shown = TableRows(as_table(frame), frame, lambda table: table)
        self.n_rows, self.columns = self._shown.n_rows, self._shown.columns

    def features(self, rows: Array) -> Any:
        """These rows of the frame."""
        return _safe_indexing(self.frame, np.asarray(rows))

    def cells(self, row: int) -> list[Cell]:
        """All entries."""
        return self._shown.cells(row)

    def column(self, name: str) -> Array:
        """The entries of a column."""
        return self._shown.column(name)

    def _changed(self, row: int, changes: Mapping[str, Any]) -> Any:
        one = self.features(np.array([row]))
        numeric = {cell.name: cell.is_number for cell in self.cells(row)}
        entries: dict[str, Any] = {name: list(one[name]) for name in one.columns}
        for name, value in changes.items():
            entries[name] = [as_number(value, name) if numeric[name] else value]
        return type(one)(entries)
