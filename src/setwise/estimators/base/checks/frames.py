"""Checks of data frames before they become arrays. Errors name the column and say what to do."""

from __future__ import annotations

from typing import Any

import numpy as np

from setwise.printable import plain_repr

ENCODE = "for example with TableEncoder in a SetPipeline"


def check_collected(table: Any, what: str) -> None:
    """Raise a TypeError for a lazy frame, whose rows are not in memory.

    Examples
    --------
    >>> import polars as pl
    >>> check_collected(pl.LazyFrame({"a": [1]}), "X")
    Traceback (most recent call last):
    TypeError: X is a LazyFrame, whose rows are not in memory; pass X.collect()
    """
    if callable(getattr(type(table), "collect", None)):
        kind = type(table).__name__
        raise TypeError(f"{what} is a {kind}, whose rows are not in memory; pass {what}.collect()")


def check_numeric(X: Any) -> None:
    """Raise a ValueError for the first column of a DataFrame that is not numeric.

    Examples
    --------
    >>> import pandas as pd
    >>> check_numeric(pd.DataFrame({"size": [1, 2], "colour": ["red", "blue"]}))
    Traceback (most recent call last):
    ValueError: column 'colour' of X is 'red' in row 0; expected a number. Encode the column first, for example with ...
    """
    for name in getattr(X, "columns", ()):
        values = np.asarray(X[name])
        if values.ndim == 1 and values.dtype.kind in "mM":
            raise ValueError(
                f"column {name!r} of X has the type {values.dtype}; expected numbers. Convert times to numbers first, "
                "for example to days since a date"
            )
        if values.ndim == 1 and values.dtype.kind in "OUST":
            _check_cells(name, values)


def _check_cells(name: Any, values: Any) -> None:
    for row, cell in enumerate(values.tolist()):
        if not _is_number(cell):
            raise ValueError(
                f"column {name!r} of X is {plain_repr(cell)} in row {row}; expected a number. Encode the column first, "
                f"{ENCODE}"
            )


def _is_number(cell: Any) -> bool:
    """Whether a cell converts to a float; None and pandas' NA are missing numbers."""
    if cell is None or type(cell).__name__ in ("NAType", "NaTType"):
        return True
    try:
        float(cell)
    except (TypeError, ValueError):
        return False
    return True
