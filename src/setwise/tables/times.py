"""The entries of a column as points in time, to put rows in order."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from setwise.contract import Array, Floats
from setwise.errors import InputError
from setwise.tables.columns.column import Unreadable, is_missing
from setwise.tables.columns.number import read_numbers
from setwise.tables.date_formats import date_format, read_days
from setwise.tables.entries import shown


def column_times(name: str, entries: Sequence[Any] | Array, file: Any = None) -> Floats:
    """Read dates, times or numbers (n,) that order the rows.

    Parameters
    ----------
    name : str
        Name of the column.
    entries : sequence
    file : path, optional
        Named in errors.

    Returns
    -------
    ndarray of shape (n,)

    Examples
    --------
    >>> column_times("opened", ["2024-01-02", "2024-01-01"]).argsort()
    array([1, 0])
    """
    empty = [row for row, entry in enumerate(entries) if is_missing(entry)]
    if empty:
        raise InputError(
            f"column {name!r} is empty in row {empty[0]}",
            file=file,
            column=name,
            row=empty[0],
            hint="fill it in",
        )
    try:
        return read_numbers(entries)
    except Unreadable as error:
        form = date_format(list(entries))
        if form is None:
            message = f"column {name!r} holds neither dates nor numbers, first in row {error.row}"
            raise InputError(message, file=file, column=name, row=error.row) from None
    values, odd = read_days(list(entries), form, is_missing)
    if odd:
        message = f"column {name!r} holds dates, but row {odd[0]} is {shown(entries[odd[0]])}"
        raise InputError(message, file=file, column=name, row=odd[0])
    return values
