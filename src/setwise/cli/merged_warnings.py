"""Warnings about data that are read in parts: each is given once, at the end."""

from __future__ import annotations

import warnings
from collections.abc import Hashable, Iterator
from contextlib import contextmanager

from setwise.tables.diagnosis import CountedEntries


@contextmanager
def merged_warnings() -> Iterator[None]:
    """Hold warnings back until the block ends; those about entries of one column become one with their number.

    Examples
    --------
    >>> from setwise.tables.diagnosis import NewEntries
    >>> with warnings.catch_warnings(record=True) as caught:
    ...     warnings.simplefilter("always")
    ...     with merged_warnings():
    ...         for new in (2, 3):
    ...             warnings.warn(NewEntries(new, "pink", "toy.csv", "colour"), stacklevel=1)
    >>> [str(warning.message)[:41] for warning in caught]
    ["toy.csv: 5 entries of column 'colour' are"]
    """
    merged: dict[Hashable, Warning] = {}
    try:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", CountedEntries)  # their texts may be the same
            yield
    finally:
        for warning in caught:
            message = (
                warning.message if isinstance(warning.message, Warning) else UserWarning(warning.message)
            )
            if not isinstance(message, CountedEntries):
                merged[str(message)] = message
                continue
            place = type(message), message.file, message.column
            before = merged.get(place)
            merged[place] = before.together(message) if isinstance(before, CountedEntries) else message
        for message in merged.values():
            warnings.warn(message, stacklevel=2)
