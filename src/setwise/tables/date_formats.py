"""Dates and times as people write them."""

from __future__ import annotations

import datetime as dt
import math
from collections.abc import Iterable, Sequence
from itertools import islice
from typing import Any

import numpy as np

from setwise.contract import Floats
from setwise.tables.entries import MANY, MOST

FORMATS = (
    "iso",
    "%Y/%m/%d",
    "%Y/%m/%d %H:%M",
    "%Y/%m/%d %H:%M:%S",
    "%d.%m.%Y",
    "%d.%m.%Y %H:%M",
    "%d.%m.%Y %H:%M:%S",
    "%m/%d/%Y",
    "%m/%d/%Y %H:%M",
    "%m/%d/%Y %H:%M:%S",
    "%m/%d/%Y %I:%M:%S %p",
    "%d/%m/%Y",
    "%d/%m/%Y %H:%M",
    "%d/%m/%Y %H:%M:%S",
    "%m/%d/%y",
    "%d/%m/%y",
    "%d-%m-%Y",
    "%d-%b-%Y",
    "%d-%b-%Y %H:%M:%S",
    "%d-%b-%Y %H:%M:%S.%f",
    "%d %b %Y",
    "%d %B %Y",
    "%b %d, %Y",
    "%B %d, %Y",
    "%a, %d %b %Y %H:%M:%S %z",
    "%a %b %d %H:%M:%S %z %Y",
    "%Y-%m",
)
"""ISO 8601 and the other ways that are known, by the codes of ``strptime``; the first that fits most entries counts."""

SPREAD = 50
"""Entries, evenly spread, of which a format must fit half before all are looked at: most codes are told from dates."""

_DAY = 86400.0
_EPOCH = dt.datetime(1970, 1, 1)


def days(entry: Any, form: str) -> float:
    """Days since 1970 of a date or time; a ValueError if it is written otherwise.

    Examples
    --------
    >>> days("1970-01-02T12:00", "iso"), days("26-FEB-1987 15:01:01.79", "%d-%b-%Y %H:%M:%S.%f") > 6000
    (1.5, True)
    """
    if isinstance(entry, np.datetime64):
        return (
            math.nan
            if np.isnat(entry)
            else float(entry.astype("datetime64[us]").astype(np.int64)) / (1e6 * _DAY)
        )
    if isinstance(entry, str):
        text = entry.strip()
        entry = dt.datetime.fromisoformat(text) if form == "iso" else dt.datetime.strptime(text, form)
    if not isinstance(entry, dt.datetime):
        if not isinstance(entry, dt.date):
            raise ValueError(entry)
        entry = dt.datetime(entry.year, entry.month, entry.day)
    if entry.tzinfo is not None:
        entry = entry.astimezone(dt.UTC).replace(tzinfo=None)
    return (entry - _EPOCH).total_seconds() / _DAY


def date_format(entries: Sequence[Any]) -> str | None:
    """The format that some known entries have, all of them or nearly all; digits alone are numbers, not dates.

    A few entries may be odd, such as a time with a letter behind it: at most one in ten, beside ten dates or more.

    Examples
    --------
    >>> date_format(["24.12.2023", "01.02.2024"]), date_format(["12/25/2023"]), date_format(["soon"])
    ('%d.%m.%Y', '%m/%d/%Y', None)
    """
    allowed = int((1 - MOST) * len(entries)) if MOST * len(entries) >= MANY else 0
    unlike = (isinstance(entry, str) and not _may_be_date(entry.strip()) for entry in entries)
    if not len(entries) or _count(unlike, allowed) > allowed:
        return None
    some = entries[:: max(1, len(entries) // SPREAD)]
    fewest, best = allowed, None
    for form in FORMATS:
        if 2 * sum(_is_day(entry, form) for entry in some) < len(some):
            continue
        if (odd := _count((not _is_day(entry, form) for entry in entries), fewest)) <= fewest:
            if not odd:
                return form
            fewest, best = odd - 1, form
    return best


def _count(flags: Iterable[bool], enough: int) -> int:
    """Number of true flags; counting stops when there are more than enough."""
    return sum(1 for _ in islice(filter(None, flags), enough + 1))


def _may_be_date(text: str) -> bool:
    return 6 <= len(text) <= 40 and not text.isdigit() and sum(map(str.isdigit, text)) >= 4


def _is_day(entry: Any, form: str) -> bool:
    try:
        return days(entry, form) == days(entry, form)
    except (ValueError, OverflowError, TypeError):
        return False


def read_days(entries: Sequence[Any], form: str, is_missing: Any) -> tuple[Floats, list[int]]:
    """Days since 1970 (n,), NaN where a date is missing, and the rows that hold something else."""
    out, odd = np.full(len(entries), math.nan), []
    for row, entry in enumerate(entries):
        if is_missing(entry):
            continue
        try:
            out[row] = days(entry, form)
        except (ValueError, OverflowError, TypeError):
            odd.append(row)
    return out, odd
