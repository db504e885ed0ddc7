"""What every kind of column does: learn from the entries of a training table, and turn entries into features."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np

from setwise.contract import Bools, Floats, Matrix
from setwise.tables.entries import MISSING

Entries = Any
"""The cells of a column, a sequence or an array: text as a file has it, or Python and NumPy values; None is missing."""


@dataclass(frozen=True)
class Options:
    """How columns become features.

    Parameters
    ----------
    scale : bool
        Whether numbers and dates are centred and divided by their standard deviation.
    keep_missing : bool
        Whether a missing value stays NaN; it is imputed otherwise.
    least : int
        Categories of fewer rows are pooled.
    least_tags : int
        Tags of fewer rows have no feature.
    max_words : int
        Words and n-grams of a column of text that become features.
    """

    scale: bool = True
    keep_missing: bool = False
    least: int = 1
    least_tags: int = 1
    max_words: int = 30_000


class Encoded(NamedTuple):
    """Features (n, d) of a column, the rows whose entry the training table did not have, and those without a date."""

    features: Matrix
    new: tuple[int, ...] = ()
    odd: tuple[int, ...] = ()


class Unreadable(ValueError):
    """An entry that its column cannot hold: what was expected, and the row."""

    def __init__(self, expected: str, row: int) -> None:
        super().__init__(f"expected {expected} in row {row}")
        self.expected, self.row = expected, row


class Column(ABC):
    """How one column of a table becomes features. Subclasses are dataclasses of plain values and arrays."""

    kind: ClassVar[str]

    @classmethod
    @abstractmethod
    def fit(cls, entries: Entries, options: Options) -> Self:
        """Learn from the entries of the training table."""

    @abstractmethod
    def encode(self, entries: Entries) -> Encoded:
        """Turn entries into features."""

    @classmethod
    def fit_encode(cls, entries: Entries, options: Options) -> tuple[Self, Encoded]:
        """Learn from entries and turn them into features."""
        column = cls.fit(entries, options)
        return column, column.encode(entries)

    @abstractmethod
    def features(self, name: str) -> list[str]:
        """Names of the features of a column of this name."""

    @abstractmethod
    def made(self) -> str:
        """What became of the column, in a few words."""


def is_missing(entry: Any) -> bool:
    """Whether an entry means that the value is missing.

    Examples
    --------
    >>> [is_missing(entry) for entry in (None, float("nan"), " ", "NA", 0, "none")]
    [True, True, True, True, False, False]
    """
    if entry is None:
        return True
    if isinstance(entry, str):
        return entry.strip() in MISSING
    if isinstance(entry, (list, tuple, set, frozenset, dict, np.ndarray)):
        return False
    try:
        return bool(entry != entry)
    except (TypeError, ValueError):  # pandas.NA has no truth value
        return True


def missing_rows(entries: Entries) -> Bools:
    """Which entries (n,) are missing."""
    if isinstance(entries, np.ndarray) and entries.dtype.kind in "biufM":
        return (
            np.zeros(len(entries), dtype=bool)
            if entries.dtype.kind in "biu"
            else np.asarray(entries != entries)
        )
    return np.fromiter(map(is_missing, entries), dtype=bool, count=len(entries))


def deviation(values: Floats) -> float:
    """Standard deviation of the known values, 1 if they do not differ."""
    known = values[~np.isnan(values)]
    largest = float(np.abs(known).max(initial=0.0))
    spread = float((known / largest).std()) if largest else 0.0  # squares of huge numbers would overflow
    return spread * largest if spread > 1e-12 else 1.0


def with_flag(features: Floats, missing: Bools, flagged: bool) -> Floats:
    """Append a feature that marks missing values, if the column has one."""
    return np.column_stack([features, missing]) if flagged else features
