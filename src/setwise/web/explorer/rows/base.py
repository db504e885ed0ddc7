"""The interface of explored rows: cells for a person, features for a model."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from setwise.contract import Array
from setwise.errors import InputError, quote_some

SUMMARY = 160
"""Characters of a row in a list."""
LONG = 40
"""Characters from which an entry counts as text that a person reads."""


class Cell(NamedTuple):
    """An entry of a row: the name of its column, its value, and whether it is a number."""

    name: str
    value: str | float | None
    is_number: bool


class ExploredRows(ABC):
    """n rows of columns.

    Attributes
    ----------
    columns : list of str
    n_rows : int
    """

    columns: list[str]
    n_rows: int

    @abstractmethod
    def features(self, rows: Array) -> Any:
        """What the model takes of these rows."""

    @abstractmethod
    def cells(self, row: int) -> list[Cell]:
        """The entries of a row that are worth reading."""

    @abstractmethod
    def column(self, name: str) -> Array:
        """The entries of a column, an object array of strings, numbers and None."""

    @abstractmethod
    def _changed(self, row: int, changes: Mapping[str, Any]) -> Any:
        """The features of one row with other entries in some columns."""

    def feature_names(self) -> list[str]:
        """Names of the features that the model takes; by default those of the columns."""
        return self.columns

    def changed(self, row: int, changes: Mapping[str, Any]) -> Any:
        """The features of one row with other entries in some columns; a column that is not there is an error."""
        unknown = [name for name in changes if name not in self.columns]
        if unknown:
            raise InputError(f"there is no column {unknown[0]!r}; the rows have {quote_some(self.columns)}")
        return self._changed(row, changes)

    def summary(self, row: int) -> str:
        """The row in one line: its text if it has one, otherwise its first entries."""
        cells = [cell for cell in self.cells(row) if cell.value not in (None, "")]
        texts = [str(cell.value) for cell in cells if not cell.is_number and len(str(cell.value)) >= LONG]
        if len(self.columns) == 1 and len(cells) == 1 and not cells[0].is_number:
            texts = [str(cells[0].value)]
        line = texts[0] if texts else ", ".join(f"{cell.name} {short(cell.value)}" for cell in cells[:6])
        return " ".join(line[: 4 * SUMMARY].split())[:SUMMARY]


def short(value: Any) -> str:
    """An entry in few characters."""
    return f"{value:.4g}" if isinstance(value, float) else str(value)[:LONG]


def as_number(value: Any, name: str) -> float:
    """A changed entry of a column of numbers; an InputError if it is something else."""
    if value is None or value == "":
        return math.nan
    try:
        return float(value)
    except (TypeError, ValueError):
        raise InputError(f"{str(value)[:40]!r} is not a number; {name!r} is a column of numbers") from None


def plain_entry(value: Any) -> str | float | None:
    """An entry as JSON can hold it."""
    if value is None or isinstance(value, (bool, np.bool_)):
        return None if value is None else str(bool(value))
    if isinstance(value, (int, float, np.integer, np.floating)):
        return float(value) if math.isfinite(value) else None
    return str(value)
