"""Escaping of untrusted text, which makes it safe to show on a terminal, in Markdown or in a log."""

from __future__ import annotations

import re
from typing import Any

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


def plain_repr(value: Any) -> str:
    """Write a value for an error: a NumPy scalar as a Python number, an array by its shape.

    Examples
    --------
    >>> import numpy as np
    >>> plain_repr(np.float64(0.3)), plain_repr(np.zeros((2, 3))), plain_repr([np.int64(7)]), plain_repr("f2")
    ('0.3', 'an array of shape (2, 3)', '[7]', "'f2'")
    """
    if isinstance(value, (list, tuple)):
        inside = ", ".join(map(plain_repr, value))
        return f"[{inside}]" if isinstance(value, list) else f"({inside}{',' * (len(value) == 1)})"
    shape = getattr(value, "shape", None)
    if not isinstance(shape, tuple) or not hasattr(value, "dtype"):
        return repr(value)
    return f"an array of shape {shape}" if shape else repr(value.item())
