"""What kind of column some entries make, if nobody says it."""

from __future__ import annotations

import datetime as dt
import numbers
import re
from collections.abc import Sequence
from typing import Any

import numpy as np

from setwise.tables.columns import Boolean, Category, Column, Date, LeftOut, Number, Tags, Text, Vector
from setwise.tables.columns.boolean import on_or_off
from setwise.tables.columns.column import Entries, is_missing
from setwise.tables.columns.number import number_format
from setwise.tables.columns.text import is_unspaced
from setwise.tables.columns.vector import read_vector
from setwise.tables.date_formats import date_format
from setwise.tables.labels.tag_lists import COLLECTIONS, looks_like_tags

FEW_VALUES = 20
"""Words that differ more often than this, and in more than half of the rows, are text."""
SENTENCE = 3
"""Mean number of words from which entries that mostly differ are text, however few they are."""
LOOKED_AT = 5000
"""Entries that are looked at to tell lists of tags from text, which takes longer."""

_IDENTIFIER_NAME = re.compile(
    r"(.*[_\s-])?(id|uuid|guid|index|idx|rowid|row|pk|key)|.*[a-z]I[dD]|unnamed: 0|#|no\.?|nr\.?",
    re.IGNORECASE,
)
_IDENTIFIER = re.compile(
    r"[0-9a-f]{8}(-?[0-9a-f]{4}){3}-?[0-9a-f]{12}|[0-9a-f]{16,}|https?://\S+|[A-Za-z_#:/-]{0,12}\d+",
    re.IGNORECASE,
)
"""Names of columns that count rows, and entries that do: UUIDs, digests, addresses, letters with a number."""

Guess = type[Column] | LeftOut
"""A kind of column, or why a column is left out."""


def guess_kind(name: str, entries: Entries, *, keep: bool = False) -> Guess:
    """Guess the kind of a column from its name and entries.

    Parameters
    ----------
    name : str
    entries : sequence
        All entries of the training table.
    keep : bool, default=False
        Whether constants, empty columns and whole numbers under the name of an identifier stay.

    Returns
    -------
    class of Column, or a LeftOut with the reason

    Examples
    --------
    >>> guess_kind("size", ["1", "2.5", ""]).kind, guess_kind("when", ["2024-01-31"] * 2 + ["2024-02-01"]).kind
    ('number', 'date')
    >>> guess_kind("note", ["Where is my refund?", "I was charged twice"]).kind
    'text'
    >>> guess_kind("ticket_id", ["17", "18", "19"]).made()
    'an identifier, different in every row'
    """
    if isinstance(entries, np.ndarray) and entries.dtype.kind in "biufM":
        return _guess_array(name, entries, keep)
    known = [entry for entry in entries if not is_missing(entry)]
    if not known:
        return Number if keep else LeftOut("every value is missing")
    if any(isinstance(entry, (dict, bytes)) for entry in known):
        return LeftOut("entries that are not single values")
    if any(isinstance(entry, COLLECTIONS) for entry in known):
        return Vector if all(map(_is_vector, known)) else Tags
    if len(known) == len(entries) > 1 and len(set(map(str, known))) == 1 and not keep:
        return LeftOut("the same value in every row")
    return _guess_values(name, known, keep)


def _guess_array(name: str, entries: np.ndarray, keep: bool) -> Guess:
    known = entries if entries.dtype.kind in "biu" else entries[entries == entries]
    if not len(known) and not keep:
        return LeftOut("every value is missing")
    if len(known) == len(entries) > 1 and (known == known[0]).all() and not keep:
        return LeftOut("the same value in every row")
    if entries.dtype.kind == "M":
        return Date
    return Boolean if entries.dtype.kind == "b" else _guess_number(name, known.astype(np.float64), keep)


def _guess_values(name: str, known: Sequence[Any], keep: bool) -> Guess:
    if all(isinstance(entry, (dt.date, np.datetime64)) for entry in known):
        return Date
    if number_format(known) is not None and not all(isinstance(e, (bool, np.bool_)) for e in known):
        values = np.array([float(entry) if _is_plain(entry) else np.nan for entry in known])
        return _guess_number(name, values, keep)
    if all(on_or_off(entry) is not None for entry in known):
        return Boolean
    if date_format(known) is not None:
        return Date
    return _guess_words(name, [str(entry).strip() for entry in known])


def _is_plain(entry: Any) -> bool:
    try:
        float(entry)
    except (TypeError, ValueError):
        return False
    return True


def _guess_number(name: str, values: np.ndarray, keep: bool) -> Guess:
    """Whole numbers under the name of an identifier count rows, or are categories if they recur."""
    whole = not np.isnan(values).any() and bool((values == np.floor(values)).all())
    if keep or not whole or not _IDENTIFIER_NAME.fullmatch(name.strip()) or len(values) < 3:
        return Number
    distinct = len(np.unique(values))
    if distinct == len(values):
        return LeftOut("an identifier, different in every row")
    return Category if distinct > 2 else Number


def _guess_words(name: str, words: Sequence[str]) -> Guess:
    distinct = set(words)
    n_different = len(distinct)
    if n_different == len(words) >= 3 and (
        _IDENTIFIER_NAME.fullmatch(name.strip())
        or (len(words) > FEW_VALUES and all(map(_IDENTIFIER.fullmatch, words)))
    ):
        return LeftOut("an identifier, different in every row")
    if n_different > 1 and looks_like_tags(words[:LOOKED_AT]):
        return Vector if all(read_vector(text) is not None for text in words) else Tags
    differ = n_different > len(words) / 2
    if differ and (n_different > FEW_VALUES or _mean_words(words) >= SENTENCE):
        return Text
    return Text if n_different > FEW_VALUES and _mean_words(words) > SENTENCE else Category


def _mean_words(texts: Sequence[str]) -> float:
    """Mean number of words; a word of a script without spaces has about two letters."""
    looked_at = texts[:LOOKED_AT]
    return sum(len(text) / 2 if is_unspaced(text) else len(text.split()) for text in looked_at) / len(
        looked_at
    )


def _is_vector(entry: Any) -> bool:
    """Whether an entry is a list of numbers, not of names."""
    if isinstance(entry, np.ndarray):
        return entry.ndim == 1 and entry.dtype.kind in "iuf"
    return isinstance(entry, (list, tuple)) and all(
        isinstance(item, numbers.Real) and not isinstance(item, bool) for item in entry
    )
