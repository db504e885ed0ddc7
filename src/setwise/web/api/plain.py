"""Arrays of answers as plain data: finite numbers, None for minus infinity, sets as lists of names."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from setwise.arrays import FREE, Array, Labels
from setwise.errors import InputError

Answers = list[dict[str, Any]]
"""One dictionary per row."""


def numbers(values: Array, what: str, *, may_be_unknown: bool = False) -> list[Any]:
    """Numbers of each row, None if infinite, or if NaN and that may be.

    An answer is never NaN unless the features are so extreme that the model cannot compute with them, which is an
    error that names the row.

    Examples
    --------
    >>> numbers(np.array([0.5, -np.inf]), "log-probability")
    [0.5, None]
    """
    finite = np.isfinite(values)
    if finite.all():
        return values.tolist()
    unknown = np.isnan(values).reshape(len(values), -1).any(axis=1)
    if unknown.any() and not may_be_unknown:
        row = int(unknown.argmax())
        message = f"the model has no {what} for row {row}"
        raise InputError(message, row=row, hint="are some of its features extremely large?")
    plain = values.astype(object)
    plain[~finite] = None
    return plain.tolist()


def sets(labels: Labels, names: Sequence[str]) -> list[list[str] | None]:
    """The names of the labels that are on in each row (n, L); None in a row without an answer.

    Examples
    --------
    >>> sets(np.array([[1, 0], [-1, -1]]), ["sand", "sea"])
    [['sand'], None]
    """
    return [None if FREE in row else [name for name, on in zip(names, row) if on] for row in labels.tolist()]


def by_label(values: Array, names: Sequence[str], what: str) -> list[dict[str, Any]]:
    """A number of each label by its name, for each row (n, L).

    Examples
    --------
    >>> by_label(np.array([[0.25, 1.0]]), ["sand", "sea"], "probability")
    [{'sand': 0.25, 'sea': 1.0}]
    """
    return [dict(zip(names, row)) for row in numbers(values, what)]
