"""Checks for suspicious content of tables: errors if it must be a mistake, warnings if it may be intended."""

from __future__ import annotations

import os
import warnings
from collections.abc import Mapping, Sequence
from typing import Any

from setwise.errors import InputWarning, Parameter, quote_some
from setwise.tables.columns.column import Encoded
from setwise.tables.entries import MANY, MOST, is_missing_number, is_number, shown
from setwise.tables.files.decimal_commas import READ_COMMAS, first_comma
from setwise.tables.table import Table


def check_numbers(table: Table, column: int, *, may_be_codes: bool) -> bool:
    """Name the first word of a column that is nearly all numbers.

    Parameters
    ----------
    table : Table
    column : int
    may_be_codes : bool
        If the column has so few different entries that its numbers may be codes, it is a warning; otherwise an error.

    Returns
    -------
    bool
        Whether there was anything to name.
    """
    known = {row: entry for row, entry in enumerate(table.columns[column]) if not is_missing_number(entry)}
    words = [row for row, entry in known.items() if not is_number(entry)]
    n_numbers = len(known) - len(words)
    if not words or n_numbers < max(MANY, MOST * len(known)):
        return False
    name, row = table.names[column], words[0]
    message = (
        f"expected a number in column {name!r}, found {shown(known[row])}: {n_numbers} of its {len(known)} "
        "entries are numbers"
    )
    hint: tuple[str | Parameter, ...] = (
        "correct it, leave it empty if it is missing, or leave the column out with ",
        without(table, name),
    )
    if decimal_comma(table, column) is not None:
        hint += ("; ", *READ_COMMAS)
    if not may_be_codes:
        raise table.error(message, row, column, hint=hint)
    _warn(
        InputWarning(
            f"{message}; all of its entries are read as categories",
            file=table.path,
            line=table.line(row),
            position=table.position(column),
            column=name,
            hint=hint,
        )
    )
    return True


def without(table: Table, name: str) -> Parameter:
    """The parameter that leaves out a column: of the reader of a file, or of the encoder of a table of Python."""
    return Parameter("columns", {name: "ignore"}) if table.path is None else Parameter("ignore", [name])


def decimal_comma(table: Table, column: int) -> str | None:
    """The first decimal comma of a column that would be numbers with it."""
    return first_comma(entry for entry in table.columns[column] if not is_missing_number(entry))


def warn_about_commas(table: Table, commas: Mapping[int, str]) -> None:
    """Columns that are numbers if commas are decimal separators, each with an example."""
    if not commas:
        return
    column, comma = next(iter(commas.items()))
    name = table.names[column]
    others = f" and in {len(commas) - 1} more columns" if len(commas) > 1 else ""
    message = f"expected numbers with a decimal point, found {comma!r} in column {name!r}{others}"
    _warn(InputWarning(message, file=table.path, column=name, hint=READ_COMMAS))


def warn_about_nameless(table: Table, columns: Sequence[int]) -> None:
    """Columns without a name, mostly the row numbers that pandas writes."""
    places = ", ".join(str(table.position(column)) for column in columns)
    message = f"ignoring columns without a name, such as the row numbers of pandas: column {places}"
    _warn(InputWarning(message, file=table.path))


def warn_about_text(path: str | os.PathLike[str], names: Sequence[str]) -> None:
    """Columns of free text, which no model takes."""
    _warn(InputWarning(f"ignoring columns of free text: {quote_some(names)}", file=path, column=names[0]))


class CountedEntries(InputWarning):
    """Entries of a column that are read as nothing known: how many, and what is said of them."""

    said: str
    counted: str

    def __init__(self, n: int, example: str, file: Any, column: str) -> None:
        entries, they = ("entry", "it counts") if n == 1 else ("entries", "they count")
        are = "is" if n == 1 else "are"
        message = f"{n} {entries} of column {column!r} {are} {self.said}, such as {shown(example)}"
        super().__init__(f"{message}; {they} as {self.counted}", file=file, column=column)
        self.n, self.example = n, example

    def together(self, other: CountedEntries) -> CountedEntries:
        """One warning about both, of the same column."""
        return type(self)(self.n + other.n, self.example, self.file, str(self.column))


class NewEntries(CountedEntries):
    """Entries of a column of categories that the training table did not have."""

    said, counted = "new", "none of the known categories"


class OddEntries(CountedEntries):
    """Entries of a column of dates that hold something else."""

    said, counted = "written otherwise than the dates", "missing"


def warn_about_entries(table: Table, column: int, found: Encoded) -> None:
    """Categories that the training table did not have, and dates that cannot be read."""
    for kind, rows in ((NewEntries, found.new), (OddEntries, found.odd)):
        if rows:
            example = str(table.columns[column][rows[0]])
            _warn(kind(len(rows), example, table.path, table.names[column]))


def _warn(warning: InputWarning) -> None:
    warnings.warn(warning, stacklevel=6)  # roughly where the caller called a reader
