"""Warnings about data that are read in parts: each is given once, at the end."""

from __future__ import annotations

import warnings
from collections.abc import Hashable, Iterator
from contextlib import contextmanager

from setwise.tables.diagnosis import NewEntries


@contextmanager
def merged_warnings() -> Iterator[None]:
    """Hold warnings back until the block ends; those about new entries of one column become one with their number.

    Examples
    --------
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
            warnings.simplefilter("always", NewEntries)  # their texts may be the same
            yield
    finally:
        for warning in caught:
            message = (
                warning.message if isinstance(warning.message, Warning) else UserWarning(warning.message)
            )
            if not isinstance(message, NewEntries):
                merged[str(message)] = message
                continue
            before = merged.get((message.file, message.column))
            merged[message.file, message.column] = (
                before.together(message) if isinstance(before, NewEntries) else message
            )
        for message in merged.values():
            warnings.warn(message, stacklevel=2)
