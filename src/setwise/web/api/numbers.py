"""Rows of numbers as JSON has them: cells by name or by place, null for a missing one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from operator import itemgetter
from typing import Any

import numpy as np

from setwise.arrays import Floats
from setwise.errors import InputError, quote_some


def number_rows(rows: Sequence[Any], columns: Sequence[str], n_features: int | None) -> list[Sequence[Any]]:
    """The cells of each row in the order of the features.

    Examples
    --------
    >>> number_rows([{"b": 2, "a": 1}, [3, 4]], ["a", "b"], 2)
    [(1, 2), [3, 4]]
    """
    pick = itemgetter(*columns) if len(columns) > 1 else None
    wanted = len(columns) or n_features
    cells = []
    for number, row in enumerate(rows):
        if isinstance(row, Mapping):
            row = _by_name(row, number, columns, pick)
        elif isinstance(row, str):
            raise InputError(f"row {number} is a text; the model takes numbers", row=number)
        elif wanted is not None and len(row) != wanted:
            message = f"row {number} has {len(row)} features; the model has {wanted}"
            raise InputError(message, row=number)
        cells.append(row)
    return cells


def _by_name(row: Mapping[str, Any], number: int, columns: Sequence[str], pick: Any) -> Sequence[Any]:
    if not columns:
        message = f"row {number} names its features; those of the model have no names"
        raise InputError(message, row=number, hint="send a list of numbers")
    try:
        return [row[columns[0]]] if pick is None else tuple(pick(row))
    except KeyError:
        missing = [name for name in columns if name not in row]
        message = f"{len(missing)} of the {len(columns)} features of the model are missing in row {number}, "
        message += f"first {missing[0]!r}; the row has {quote_some([str(name)[:60] for name in row])}"
        raise InputError(message, row=number, column=missing[0]) from None


def as_numbers(cells: Sequence[Sequence[Any]], columns: Sequence[str]) -> Floats:
    """Cells as an array, NaN where one is missing; an error names the first that is not a finite number.

    Examples
    --------
    >>> as_numbers([[1, None]], [])
    array([[ 1., nan]])
    """
    try:
        values = np.array(cells)
    except ValueError:  # rows of different lengths, or lists in cells
        values = np.empty(0, dtype=object)
    if values.dtype.kind in "iuf" and values.ndim == 2 and np.isfinite(values).all():
        return values.astype(np.float64)
    return np.array([[_number(c, i, j, columns) for j, c in enumerate(row)] for i, row in enumerate(cells)])


def _number(cell: Any, row: int, column: int, columns: Sequence[str]) -> float:
    if cell is None:
        return np.nan
    name = columns[column] if columns else str(column)
    try:
        value = float(cell) if isinstance(cell, (int, float)) else np.nan
    except OverflowError:
        value = np.inf
    if not np.isfinite(value):
        message = f"expected a finite number in column {name!r} of row {row}, found {_shown(cell)}"
        raise InputError(message, row=row, column=name, hint="null marks a missing value")
    return value


def _shown(cell: Any) -> str:
    """The cell as a message quotes it."""
    if isinstance(cell, (str, float)):
        return repr(cell if isinstance(cell, float) else cell[:40])
    return {list: "a list", dict: "an object", int: "a number of too many digits"}.get(type(cell), "nothing")
