"""What an entry of a table means: nothing, a number, on or off."""

from __future__ import annotations

from typing import Any

MISSING = frozenset(["", "?", "NA", "N/A", "NaN", "nan", "null", "None"])
"""Entries that mean that the value is missing."""

_MISSING_NUMBER = frozenset([*(word.lower() for word in MISSING), "-"])
"""The same among numbers, in lower case: there neither ``none`` nor a dash can be a category."""

ON_OFF = {
    **dict.fromkeys(["1", "1.0", "true", "yes", "t", "y"], 1),
    **dict.fromkeys(["0", "0.0", "false", "no", "f", "n"], 0),
}
"""Words, in lower case, for a label that is on or off."""

MANY = 10
MOST = 0.9
"""A column is taken for numbers, or for one label, if at least this many of its entries are, and this share."""


def word(entry: Any) -> str:
    """The text of an entry, empty if it is None."""
    return "" if entry is None else str(entry).strip()


def shown(entry: Any) -> str:
    """The entry as a message quotes it, cut if it is long."""
    return repr(word(entry)[:40])


def is_missing_number(entry: Any) -> bool:
    """Whether an entry of a column of numbers means that the number is missing."""
    return entry is None or str(entry).strip().lower() in _MISSING_NUMBER


def is_number(entry: Any) -> bool:
    """Whether an entry is a number."""
    try:
        float(entry)
    except (TypeError, ValueError):
        return False
    return True
