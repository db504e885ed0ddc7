"""Numbers with a decimal comma."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from setwise.errors import Parameter
from setwise.tables.table import Table

_COMMA = re.compile(r"[+-]?\d*,\d+(e[+-]?\d+)?", re.IGNORECASE)
_POINT = re.compile(r"[+-]?\d*\.\d*(e[+-]?\d+)?", re.IGNORECASE)
_WHOLE = re.compile(r"[+-]?\d+(e[+-]?\d+)?", re.IGNORECASE)

READ_COMMAS = ("if the comma is a decimal separator, pass ", Parameter("decimal", ","))
"""The hint for numbers that only commas keep from being numbers."""


def with_point(entry: str) -> str:
    """Replace the decimal comma of a number by a point; return anything else unchanged.

    Examples
    --------
    >>> with_point("-1,5"), with_point("red, round")
    ('-1.5', 'red, round')
    """
    return entry.replace(",", ".") if _COMMA.fullmatch(entry.strip()) else entry


def with_points(table: Table) -> Table:
    """Replace the decimal commas of a whole table, in numbers only."""
    return replace(table, columns=[[with_point(entry) for entry in column] for column in table.columns])


def first_comma(entries: Iterable[Any]) -> str | None:
    """Find the first decimal comma, if every entry is a number once commas are read as decimal separators.

    Examples
    --------
    >>> first_comma(["2", "1,5"]), first_comma(["2", "1.5"]), first_comma(["1,5", "red"])
    ('1,5', None, None)
    """
    words = [str(entry).strip() for entry in entries]
    commas = [word for word in words if _COMMA.fullmatch(word)]
    return commas[0] if commas and all(_COMMA.fullmatch(w) or _WHOLE.fullmatch(w) for w in words) else None


def refuse_points(table: Table, numbers: Iterable[str]) -> None:
    """Refuse 1.234 among numbers with decimal commas: it may be a thousand. ``numbers`` are the columns of numbers."""
    for name in numbers:
        column = table.names.index(name)
        for row, entry in enumerate(table.columns[column]):
            if _POINT.fullmatch(entry.strip()):
                message = f"expected numbers with decimal commas in column {name!r}, found {entry.strip()!r}"
                hint = ("write it without the point, or leave out ", Parameter("decimal"))
                raise table.error(message, row, column, hint=hint)
