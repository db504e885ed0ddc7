"""Columns of categories."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from setwise.contract import Floats
from setwise.kernels.matrices import missing_rows
from setwise.tables.columns.column import Column, Encoded, Entries, Options, is_missing
from setwise.tables.columns.indicators import indicators
from setwise.tables.columns.number import FLAG_ROWS
from setwise.tables.encode import on_code
from setwise.tables.entries import ON_OFF

MAX_VALUES = 2**15
"""Categories, or tags, that may have a feature."""
RARE = "(rare)"
"""Name of the feature of rare categories, and of those that the training table did not have."""


@dataclass(frozen=True)
class Category(Column):
    """Categories: one feature a category, a single one if there are two.

    Rare categories share a feature, and new categories get it too: of all that is known, they resemble the rare ones.
    Without rare ones a new category is none of the known.

    Parameters
    ----------
    values : tuple of str
        The categories that have a feature.
    pooled : bool
        Whether there were rare categories, which share a feature.
    flagged : bool
        Whether a feature marks missing values.
    keep_missing : bool
        Whether a missing value makes NaN of all features.
    share : float
        Of two categories, the share of rows with the one that is 1: it stands for values that are new or missing.

    Examples
    --------
    >>> column = Category.fit(["red", "blue", "green"], Options())
    >>> column.features("colour")
    ['colour=blue', 'colour=green', 'colour=red']
    >>> column.encode(["green", "pink"])
    Encoded(features=array([[0., 1., 0.],
           [0., 0., 0.]]), new=(1,), odd=())
    """

    kind = "category"

    values: tuple[str, ...]
    pooled: bool = False
    flagged: bool = False
    keep_missing: bool = False
    share: float = 0.0

    @classmethod
    def fit(cls, entries: Entries, options: Options) -> Self:
        """See :class:`Column`."""
        counts = Counter(category(entry) for entry in entries if not is_missing(entry))
        total = counts.total()
        values = tuple(sorted(value for value, count in counts.items() if count >= options.least))
        pooled = len(values) < len(counts)
        if len(values) > MAX_VALUES:
            values, pooled = tuple(sorted(value for value, _ in counts.most_common(MAX_VALUES))), True
        if not values:  # all are rare: pooling them would leave nothing
            values, pooled = tuple(sorted(counts)), False
        flagged = not options.keep_missing and len(entries) - total >= FLAG_ROWS and len(counts) > 1
        share = counts[values[on_code(values)]] / total if len(values) == 2 else 0.0
        return cls(values, pooled, flagged, options.keep_missing, share)

    @property
    def _is_single(self) -> bool:
        return len(self.values) <= 2 and not self.pooled

    def encode(self, entries: Entries) -> Encoded:
        """See :class:`Column`."""
        place = {value: code for code, value in enumerate(self.values)}
        lower = {value.lower(): code for value, code in place.items() if value.lower() in ON_OFF}
        codes = np.array([_code(entry, place, lower) for entry in entries], dtype=np.int64)
        new = () if self.pooled else tuple(np.flatnonzero(codes == NEW).tolist())
        if self._is_single:
            return Encoded(self._single(codes), new)
        codes = np.where(codes == NEW, len(self.values) if self.pooled else ABSENT, codes)
        missing = codes == GONE
        if self.flagged:
            codes = np.where(missing, self._width - 1, codes)
        rows = np.flatnonzero(codes >= 0)
        matrix = indicators(rows, codes[rows], (len(codes), self._width))
        if self.keep_missing and missing.any():
            matrix = missing_rows(matrix, missing)
        return Encoded(matrix, new)

    @property
    def _width(self) -> int:
        return len(self.values) + self.pooled + self.flagged

    def _single(self, codes: np.ndarray) -> Floats:
        """One feature of two categories, or of one."""
        on, missing = 0 if len(self.values) == 1 else on_code(self.values), codes == GONE
        filled = np.where(missing & self.keep_missing, math.nan, self.share)
        features = np.where(codes < 0, filled, (codes == on).astype(np.float64))
        return np.column_stack([features, missing]) if self.flagged else features[:, None]

    def features(self, name: str) -> list[str]:
        """See :class:`Column`."""
        last = [f"{name} is missing"] if self.flagged else []
        if self._is_single:
            return [name, *last]
        rare = [f"{name}={RARE}"] if self.pooled else []
        return [*(f"{name}={value}" for value in self.values), *rare, *last]

    def made(self) -> str:
        """See :class:`Column`."""
        count = "1 category" if len(self.values) == 1 else f"{len(self.values)} categories"
        pooled = ", rare ones pooled" if self.pooled else ""
        return count + pooled + (", marked if missing" if self.flagged else "")


NEW, GONE, ABSENT = -1, -2, -3
"""Codes of an entry that is new, of one that is missing, and of one that has no feature."""


def category(entry: Any) -> str:
    """The category of an entry: its text; whole numbers are the same with and without a decimal point.

    Examples
    --------
    >>> category(" red "), category(2.0), category("2.0"), category(2)
    ('red', '2', '2', '2')
    """
    text = str(entry).strip()
    return text[:-2] if text.endswith(".0") and text[:-2].lstrip("-").isdigit() else text


def _code(entry: Any, place: dict[str, int], lower: dict[str, int]) -> int:
    """The code of an entry; words for on and off are the same in upper and lower case."""
    if is_missing(entry):
        return GONE
    value = category(entry)
    return place[value] if value in place else lower.get(value.lower(), NEW)
