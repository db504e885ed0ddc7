"""Dates in ARFF files: Java's patterns, and dates as seconds."""

from __future__ import annotations

import re
from datetime import UTC, datetime

MAX_PATTERN = 100
"""Longest date pattern: one is compiled to a regular expression."""

_ISO = "yyyy-MM-dd'T'HH:mm:ss"
_PART = re.compile(r"'([^']*)'|([A-Za-z])\2*|[^A-Za-z']+|'")
_STRPTIME = {
    **dict.fromkeys(("y", "yyyy"), "%Y"),
    **dict.fromkeys(("M", "MM"), "%m"),
    **dict.fromkeys(("d", "dd"), "%d"),
    **dict.fromkeys(("H", "HH"), "%H"),
    **dict.fromkeys(("h", "hh"), "%I"),
    **dict.fromkeys(("m", "mm"), "%M"),
    **dict.fromkeys(("s", "ss"), "%S"),
    **dict.fromkeys(("S", "SSS"), "%f"),
    **{"yy": "%y", "MMM": "%b", "MMMM": "%B", "EEE": "%a", "EEEE": "%A", "a": "%p", "Z": "%z", "X": "%z"},
}


def strptime_format(pattern: str) -> str:
    """Convert a Java date pattern (ISO 8601 if empty) to a format of ``strptime``.

    Examples
    --------
    >>> strptime_format("yyyy-MM-dd'T'HH:mm")
    '%Y-%m-%dT%H:%M'
    """
    if len(pattern) > MAX_PATTERN:
        raise ValueError(f"the date pattern has more than {MAX_PATTERN} characters")
    parts = []
    for match in _PART.finditer(pattern or _ISO):
        text = match.group()
        if match.group(2) is None:
            parts.append((match.group(1) or "'" if text.startswith("'") else text).replace("%", "%%"))
        elif _STRPTIME.get(text) in parts:
            raise ValueError(f"the date pattern has {text!r} twice")
        elif text in _STRPTIME:
            parts.append(_STRPTIME[text])
        else:
            raise ValueError(f"the date pattern has {text!r}, which is not supported")
    return "".join(parts)


def seconds(text: str, date_format: str) -> float:
    """Convert a date to seconds since 1970; without a zone it is in UTC.

    Examples
    --------
    >>> seconds("1970-01-02", "%Y-%m-%d")
    86400.0
    """
    moment = datetime.strptime(text, date_format)
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
