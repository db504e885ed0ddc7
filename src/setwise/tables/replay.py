"""Another table read as the training table was: the same columns, by name, and the same categories."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from setwise.contract import Floats
from setwise.errors import InputError, quote_some
from setwise.files.errors import DataFormatError
from setwise.tables.column_types import features
from setwise.tables.decimal_commas import READ_COMMAS, first_comma
from setwise.tables.diagnosis import warn_about_new
from setwise.tables.entries import MISSING, ON_OFF, is_missing_number, shown, word
from setwise.tables.schema import Schema
from setwise.tables.table import Table

FOR_MISSING = "fill it in, leave the row out, or fit the model to rows of which some have missing values"
"""What to do about a missing feature that a model cannot take."""

NEW = -1.0
"""Code of a word that is not among the known categories."""


def replay_features(table: Table, like: Schema, *, allow_missing: bool) -> tuple[Any, list[str]]:
    """Make the features of a training table from another table.

    Parameters
    ----------
    table : Table
    like : Schema
        Of the training table.
    allow_missing : bool
        Whether values may be missing; if not, the first that is missing is named in an error.

    Returns
    -------
    X : features (n, d)
    names : list of str
    """
    missing = [name for name in like.columns if name not in table.names]
    if missing:
        message = f"column {missing[0]!r} of the training table is missing; the columns are {quote_some(table.names)}"
        raise InputError(message, file=table.path, column=missing[0])
    table.check_names(like.columns)
    table.check_values(like.columns)
    return features(table, [_encode_like(table, name, like, allow_missing) for name in like.columns], like)


def _encode_like(table: Table, name: str, like: Schema, allow_missing: bool) -> Floats:
    """A column as numbers, or as codes of known categories."""
    column, values = table.names.index(name), like.categories.get(name)
    codes = None if values is None else {value: float(code) for code, value in enumerate(values)}
    out = np.empty(table.n_rows)
    for row, entry in enumerate(table.columns[column]):
        missing = is_missing_number(entry) if codes is None else word(entry) in MISSING
        if missing and not allow_missing:
            message = f"the value of column {name!r} is missing, which the model cannot take"
            raise table.error(message, row, column, hint=FOR_MISSING)
        try:
            out[row] = math.nan if missing else float(entry) if codes is None else _code(codes, word(entry))
        except (TypeError, ValueError):
            raise _unexpected(table, row, column, codes) from None
    new = np.flatnonzero(out == NEW).tolist() if codes is not None else []
    if new:
        warn_about_new(table, column, [word(table.columns[column][row]) for row in new])
    return out


def _code(codes: Mapping[str, float], text: str) -> float:
    """The code of a word; words for on and off are the same in upper and lower case.

    A new word among two categories is an error, because the other value of its one feature would be a guess.
    """
    if text not in codes and text.lower() in ON_OFF:
        text = next((known for known in codes if known.lower() == text.lower()), text)
    if text not in codes and len(codes) < 3:
        raise ValueError(text)
    return codes.get(text, NEW)


def _unexpected(table: Table, row: int, column: int, codes: Mapping[str, float] | None) -> DataFormatError:
    entry = table.columns[column][row]
    expected = "a number" if codes is None else " or ".join(map(repr, codes))
    message = f"expected {expected} in column {table.names[column]!r}, found {shown(entry)}"
    commas = codes is None and first_comma([entry]) is not None
    return table.error(message, row, column, hint=READ_COMMAS if commas else ())
