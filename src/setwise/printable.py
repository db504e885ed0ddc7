"""Escaping of untrusted text, which makes it safe to show on a terminal, in Markdown or in a log."""

from __future__ import annotations

import re

_UNSAFE = re.compile(
    "[\x00-\x1f\x7f-\x9f"  # control characters; an escape sequence starts with one
    "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"  # bidirectional marks, which reorder what follows
    "\u2028\u2029\ud800-\udfff"  # line separators, and surrogates, which cannot be encoded
    "\ufffe\uffff]"  # characters that XML, and so SVG, forbids
)


def printable(text: str) -> str:
    r"""Show control and bidirectional characters as escapes.

    Parameters
    ----------
    text : str

    Returns
    -------
    str
        The text on one line, with every other character unchanged.

    Examples
    --------
    >>> print(printable("red\x1b[2J\u202eround"))
    red\x1b[2J\u202eround
    >>> printable("ünï")
    'ünï'
    """
    return _UNSAFE.sub(_escape, text)


def json_printable(text: str) -> str:
    r"""The same for JSON text, whose escapes are written with four digits.

    Examples
    --------
    >>> print(json_printable('{"a": "\x9b\u202e"}'))
    {"a": "\u009b\u202e"}
    """
    return _UNSAFE.sub(
        lambda found: found.group() if found.group() == "\n" else f"\\u{ord(found.group()):04x}", text
    )


def _escape(found: re.Match[str]) -> str:
    return found.group().encode("unicode_escape").decode()
