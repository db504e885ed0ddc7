"""Numbers as half of the world writes them: a comma before the decimals."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

_COMMA = re.compile(r"[+-]?\d*,\d+(e[+-]?\d+)?", re.IGNORECASE)
_POINT = re.compile(r"[+-]?\d*\.\d*(e[+-]?\d+)?", re.IGNORECASE)
_WHOLE = re.compile(r"[+-]?\d+(e[+-]?\d+)?", re.IGNORECASE)


def with_point(entry: str) -> str:
    """A number that has a decimal comma with a point; anything else as it is.

    Examples
    --------
    >>> with_point("-1,5"), with_point("red, round")
    ('-1.5', 'red, round')
    """
    return entry.replace(",", ".") if _COMMA.fullmatch(entry.strip()) else entry


def first_comma(entries: Iterable[Any]) -> str | None:
    """The first entry with a comma where all are numbers if commas stand before decimals; else None.

    Examples
    --------
    >>> first_comma(["2", "1,5"]), first_comma(["2", "1.5"]), first_comma(["1,5", "red"])
    ('1,5', None, None)
    """
    words = [str(entry).strip() for entry in entries]
    commas = [word for word in words if _COMMA.fullmatch(word)]
    return commas[0] if commas and all(_COMMA.fullmatch(w) or _WHOLE.fullmatch(w) for w in words) else None


def has_point(entry: str) -> bool:
    """Whether an entry is a number with a point, which no decimal stands behind where commas do that."""
    return _POINT.fullmatch(entry.strip()) is not None
