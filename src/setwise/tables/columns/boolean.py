"""Columns of yes and no."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from setwise.tables.columns.column import Column, Encoded, Entries, Options, Unreadable, is_missing, with_flag
from setwise.tables.columns.number import FLAG_ROWS
from setwise.tables.entries import ON_OFF


@dataclass(frozen=True)
class Boolean(Column):
    """True and false, yes and no, t and f, 1 and 0: one feature, and a second one if values were missing in training.

    Parameters
    ----------
    fill : float
        In the place of a missing value: the share of true ones, or NaN if it stays missing.
    flagged : bool
        Whether a feature marks missing values.

    Examples
    --------
    >>> Boolean.fit(["yes", "no", "no", "no"], Options()).encode(["YES", ""]).features
    array([[1.  ],
           [0.25]])
    """

    kind = "boolean"

    fill: float = math.nan
    flagged: bool = False

    @classmethod
    def fit(cls, entries: Entries, options: Options) -> Self:
        """See :class:`Column`."""
        values = _read(entries)
        known = values[~np.isnan(values)]
        flagged = not options.keep_missing and values.size - known.size >= FLAG_ROWS
        fill = math.nan if options.keep_missing or not known.size else float(known.mean())
        return cls(fill, flagged)

    def encode(self, entries: Entries) -> Encoded:
        """See :class:`Column`."""
        values = _read(entries)
        missing = np.isnan(values)
        return Encoded(with_flag(np.where(missing, self.fill, values)[:, None], missing, self.flagged))

    def features(self, name: str) -> list[str]:
        """See :class:`Column`."""
        return [name, f"{name} is missing"] if self.flagged else [name]

    def made(self) -> str:
        """See :class:`Column`."""
        return "1 if true" + (", marked if missing" if self.flagged else "")


def on_or_off(entry: Any) -> int | None:
    """1, 0, or None for an entry that is neither.

    Examples
    --------
    >>> on_or_off(True), on_or_off("no"), on_or_off(0.0), on_or_off("maybe")
    (1, 0, 0, None)
    """
    return ON_OFF.get(str(entry).strip().lower())


def _read(entries: Entries) -> np.ndarray:
    out = np.empty(len(entries))
    for row, entry in enumerate(entries):
        value = math.nan if is_missing(entry) else on_or_off(entry)
        if value is None:
            raise Unreadable("true or false", row)
        out[row] = value
    return out
