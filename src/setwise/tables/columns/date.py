"""Columns of dates and times."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Self

import numpy as np

from setwise.contract import Floats
from setwise.tables.columns.column import (
    Column,
    Encoded,
    Entries,
    Options,
    Unreadable,
    deviation,
    is_missing,
    with_flag,
)
from setwise.tables.columns.number import FLAG_ROWS
from setwise.tables.date_formats import FORMATS as FORMATS
from setwise.tables.date_formats import date_format, read_days

YEAR = 365.2425
HARMONICS = 2
"""Sines and cosines of a cycle: the second one lets its two halves differ."""
WEEK = ("Thursday", "Friday", "Saturday", "Sunday", "Monday", "Tuesday", "Wednesday")
"""The days of the week, from that of the first of January 1970."""


@dataclass(frozen=True)
class Date(Column):
    """Dates and times: the age in years, the place in the year, the day of the week and the time of day.

    None of them is unknown in a new year. The age of a date before or after those of the training table is that of the
    first or last of them: what a linear model learned from six weeks says nothing about the sixth month after. A cycle
    is left out if the training table does not show it: the year if all dates are within two months, the week if they
    are on one day of it, the time of day if there are dates only. If a few entries of the training table were no dates,
    they and later ones like them count as missing.

    Parameters
    ----------
    form : str
        How they are written: "iso" or codes of ``strptime``.
    center, scale : float
        Mean and deviation of the days since 1970.
    first, last : float
        The days between which the age grows.
    cycles : tuple of str
        Among "year", "week" and "day".
    flagged : bool
        Whether a feature marks missing values.
    keep_missing : bool
        Whether a missing value makes NaN of all features.
    odd : int
        Entries of the training table that were no dates.

    Examples
    --------
    >>> Date.fit(["2023-01-01", "2023-07-01", "2024-01-01"], Options()).features("when")[:3]
    ['when', 'when: year sin', 'when: year cos']
    """

    kind = "date"

    form: str
    center: float
    scale: float
    first: float
    last: float
    cycles: tuple[str, ...]
    flagged: bool = False
    keep_missing: bool = False
    odd: int = 0

    @classmethod
    def fit(cls, entries: Entries, options: Options) -> Self:
        """See :class:`Column`."""
        known = [entry for entry in entries if not is_missing(entry)]
        form = date_format(known)
        values, odd = _read(entries, form or "iso", may_be_odd=form is not None)
        there = values[~np.isnan(values)]
        flagged = not options.keep_missing and values.size - there.size >= FLAG_ROWS
        center = float(there.mean()) if options.scale and there.size else 0.0
        scale = deviation(there) if options.scale else YEAR
        first, last = (float(there.min()), float(there.max())) if there.size else (0.0, 0.0)
        cycles = _cycles(there)
        return cls(form or "iso", center, scale, first, last, cycles, flagged, options.keep_missing, len(odd))

    def encode(self, entries: Entries) -> Encoded:
        """See :class:`Column`."""
        values, odd = _read(entries, self.form, may_be_odd=self.odd > 0)
        missing = np.isnan(values)
        known = np.where(missing, self.center, values)
        parts = [((np.clip(known, self.first, self.last) - self.center) / self.scale)[:, None]]
        parts += [_PARTS[cycle](known) for cycle in self.cycles]
        features = np.hstack(parts)
        features[missing] = math.nan if self.keep_missing else 0.0
        return Encoded(with_flag(features, missing, self.flagged), odd=tuple(odd))

    def features(self, name: str) -> list[str]:
        """See :class:`Column`."""
        parts = [f"{name}: {part}" for cycle in self.cycles for part in _NAMES[cycle]]
        return [name, *parts, *([f"{name} is missing"] if self.flagged else [])]

    def made(self) -> str:
        """See :class:`Column`."""
        cycles = "".join(f", {_WORDS[cycle]}" for cycle in self.cycles)
        odd = f", {self.odd} unreadable" if self.odd else ""
        return "age" + cycles + odd + (", marked if missing" if self.flagged else "")


def _read(entries: Entries, form: str, *, may_be_odd: bool) -> tuple[Floats, list[int]]:
    """Days since 1970 (n,), and the rows that hold something else, if there may be some."""
    values, odd = read_days(entries, form, is_missing)
    if odd and not may_be_odd:
        raise Unreadable("a date" if form == "iso" else f"a date written as {form}", odd[0])
    return values, odd


def _cycles(values: Floats) -> tuple[str, ...]:
    """The cycles that the dates of a training table show."""
    if not values.size:
        return ()
    shown = {
        "year": float(np.ptp(values)) > 60,
        "week": len(np.unique(np.floor(values) % 7)) > 1,
        "day": bool((values % 1 != 0).any()),
    }
    return tuple(cycle for cycle, is_shown in shown.items() if is_shown)


def _waves(phase: Floats) -> Floats:
    angles = [2 * math.pi * k * phase for k in range(1, HARMONICS + 1)]
    return np.column_stack([wave(angle) for angle in angles for wave in (np.sin, np.cos)])


def _wave_names(cycle: str) -> list[str]:
    numbers = ["", *(f" {k}" for k in range(2, HARMONICS + 1))]
    return [f"{cycle} {wave}{number}" for number in numbers for wave in ("sin", "cos")]


CYCLES = ("year", "week", "day")
_PARTS: dict[str, Callable[[Floats], Floats]] = {
    "year": lambda values: _waves(values / YEAR % 1),
    "week": lambda values: np.equal.outer(np.floor(values) % 7, np.arange(7.0)).astype(np.float64),
    "day": lambda values: _waves(values % 1),
}
_NAMES = {"year": _wave_names("year"), "week": list(WEEK), "day": _wave_names("day")}
_WORDS = {"year": "time of the year", "week": "day of the week", "day": "time of the day"}
