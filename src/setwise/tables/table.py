"""A table as it was read: columns of entries, and where each entry is in its file."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from setwise.errors import Hint, InputError, Parameter, quote_some
from setwise.files.errors import DataFormatError

LISTS = "lists"
"""What :attr:`Table.nested` says of a column of lists, which may be tags."""


@dataclass(frozen=True)
class Table:
    """Columns of entries, None where one is missing.

    Attributes
    ----------
    names : list of str
    columns : sequence of sequences
    line : callable
        Gives the line of the file on which a row is.
    path : path of the file, or None for a table of Python
    nested : mapping of str to str
        Columns whose entries are not single values, such as lists, with what they hold.
    positions : sequence of int, optional
        Places of the columns in the file, counted from 1, if others were left out.
    height : int
        Number of rows of a table without columns.
    """

    names: list[str]
    columns: Sequence[Sequence[Any]]
    line: Callable[[int], int]
    path: str | os.PathLike[str] | None
    nested: Mapping[str, str] = field(default_factory=dict)
    positions: Sequence[int] | None = None
    height: int = 0

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return len(self.columns[0]) if self.columns else self.height

    def take(self, places: Sequence[int]) -> Table:
        """Some of the columns; messages still say where they are in the file."""
        return replace(
            self,
            names=[self.names[place] for place in places],
            columns=[self.columns[place] for place in places],
            positions=[self.position(place) for place in places],
            height=self.n_rows,
        )

    def take_rows(self, rows: Sequence[int]) -> Table:
        """Some of the rows; messages still say on which line of the file they are."""
        return replace(
            self,
            columns=[[column[row] for row in rows] for column in self.columns],
            line=lambda place: self.line(rows[place]),
            height=len(rows),
        )

    def position(self, column: int) -> int:
        """Place of a column in its file, counted from 1."""
        return column + 1 if self.positions is None else self.positions[column]

    def error(self, message: str, row: int, column: int, *, hint: Hint = ()) -> InputError:
        """The error about one entry."""
        if self.path is None:
            return InputError(f"{message}, row {row}", row=row, column=self.names[column], hint=hint)
        return DataFormatError(
            message,
            file=self.path,
            line=self.line(row),
            position=self.position(column),
            column=self.names[column],
            hint=hint,
        )

    def check_names(self, used: Sequence[str]) -> None:
        """Refuse two columns of one name: a second file is read by names."""
        counts = Counter(self.names)
        twice = [name for name in used if counts[name] > 1]
        if twice:
            raise InputError(
                f"{counts[twice[0]]} columns are called {twice[0]!r}",
                file=self.path,
                column=twice[0],
                hint="give each column a different name",
            )

    def check_values(self, used: Sequence[str]) -> None:
        """Refuse columns whose entries are not single values."""
        nested = [name for name in used if name in self.nested]
        if nested:
            raise InputError(
                f"expected one value in each row of column {nested[0]!r}, found {self.nested[nested[0]]}",
                file=self.path,
                column=nested[0],
                hint=["leave the column out with ", Parameter("ignore", [nested[0]])],
            )

    def check_there(self, names: Sequence[str], parameter: str) -> None:
        """Refuse names of columns that the table does not have."""
        missing = [name for name in names if name not in self.names]
        if missing:
            raise InputError(
                f"column {missing[0]!r} not found; the columns are {quote_some(self.names)}",
                parameter=parameter,
                file=self.path,
                column=missing[0],
            )
