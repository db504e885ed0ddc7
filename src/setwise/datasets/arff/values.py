"""Conversion of the words of an ARFF row to numbers.

A nominal value becomes its index in the attribute's list, so that 0 is what a sparse row omits. A date becomes seconds
since 1970. A missing value becomes NaN, and so does every string.
"""

from __future__ import annotations

import contextlib
import math
import re

import numpy as np

from setwise.contract import Array
from setwise.datasets.arff.dates import seconds
from setwise.datasets.arff.header import BINARY, NUMERIC, Header, Type

_NUMBER = re.compile(
    r"[+-]?(?:(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?|inf(?:inity)?|nan)", re.IGNORECASE | re.ASCII
)


class Values:
    """The numbers of the words of each column.

    ``binary`` (columns,) marks the columns with the values 0 and 1, whose words are numbers already; ``coded``
    (columns,) marks those that are neither binary nor numeric.
    """

    def __init__(self, header: Header) -> None:
        self.names = header.names
        self.types = header.types
        self.encoding = header.encoding
        self.binary = np.array([kind.values == BINARY.values for kind in self.types], dtype=bool)
        self.coded = np.array([kind is not NUMERIC for kind in self.types], dtype=bool)
        self.coded[self.binary] = False
        self.known: dict[int, dict[bytes, float]] = {}
        for column in np.flatnonzero(self.coded).tolist():
            values = self.types[column].values
            codes = {value.encode(self.encoding, "replace"): float(code) for code, value in enumerate(values)}
            self.known[column] = codes | {b"?": math.nan}

    def fill(self, numbers: Array, columns: Array, words: Array, text: bytes) -> None:
        """Set the cells whose ``words`` (k, 3) are located in ``text``; ``columns`` (k,) are their columns."""
        known, places, of = self.known, words.tolist(), columns.tolist()
        found = [known[column].get(text[begin:end]) for (_, begin, end), column in zip(places, of)]
        if None in found:
            found = [
                self.number(column, text[begin:end].decode(self.encoding, "replace"))
                if number is None
                else number
                for number, (_, begin, end), column in zip(found, places, of)
            ]
        numbers.reshape(-1)[words[:, 0]] = found

    def number(self, column: int, word: str) -> float:
        """Convert one word of a column to a number; a ValueError says what was expected."""
        kind = self.types[column]
        if word in ("", "?") or kind.kind == "string":
            return math.nan
        if kind.kind == "date":
            with contextlib.suppress(ValueError, OverflowError):
                return seconds(word, kind.date_format)
        elif word in kind.values:
            return float(kind.values.index(word))
        elif _NUMBER.fullmatch(word):
            number = float(word)
            if kind is NUMERIC or (kind.values == BINARY.values and number in (0, 1)):
                return number
        raise ValueError(
            f"expected {_described(kind)} for attribute {self.names[column]!r}, found {word[:40]!r}"
        )


def _described(kind: Type) -> str:
    if kind.kind == "nominal":
        return f"one of {', '.join(kind.values[:10])}{', ...' if len(kind.values) > 10 else ''}"
    return "a number" if kind is NUMERIC else f"a date of the form {kind.date_format!r}"
