"""The rows of ARFF files: numbers are read, other words are located.

Both functions read whole lines of ``text`` (uint8) from byte ``start`` and stop at the first line that is not simple:
one with escapes, comments after values, numbers out of range, indices that do not increase, or an error. ``coded``
(columns,) marks the columns whose words are not numbers. ``words`` (k, 3) has a row per such word: its cell, and its
first and last position in ``text``. ``stop`` is the first byte not read.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable

import numpy as np

from setwise.contract import Array, Bools, Floats
from setwise.kernels.checks import check_array

_BLANK = b" \t\r\f\v"
_NUMBER = re.compile(rb"\+?-?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?")
_WORD = re.compile(rb"[^'\"\\%{}]+")
_QUOTED = re.compile(rb"('[^'\\]*'|\"[^\"\\]*\")[ \t\r\f\v]*")
_INDEX = re.compile(rb"\d{1,18}(?=[ \t\r\f\v])")


def arff_dense_rows(text: Array, start: int, coded: Bools) -> tuple[Floats, Array, int, int]:
    """``numbers`` (rows, columns), ``words``, ``stop`` and the number of lines read."""
    reader = _Reader(text, start, coded)
    reader.lines(start, lambda begin, end: reader.raw[begin] != ord("{") and reader.dense(begin, end))
    numbers = np.array(reader.numbers, dtype=np.float64).reshape(len(reader.counts), len(coded))
    return numbers, reader.spans(), reader.stop, reader.n_lines


def arff_sparse_rows(text: Array, start: int, coded: Bools) -> tuple[Floats, Array, int, int, Array, Array]:
    """``numbers`` and column ``indices`` (entries,), with the ``counts`` (rows,) of entries of each row."""
    reader = _Reader(text, start, coded)
    reader.lines(start, lambda begin, end: reader.raw[begin] == ord("{") and reader.sparse(begin, end))
    return (
        np.array(reader.numbers, dtype=np.float64),
        reader.spans(),
        reader.stop,
        reader.n_lines,
        np.array(reader.indices, dtype=np.int64),
        np.array(reader.counts, dtype=np.int64),
    )


class _Reader:
    def __init__(self, text: Array, start: int, coded: Bools) -> None:
        check_array("text", text, np.uint8, (None,))
        check_array("coded", coded, np.bool_, (None,))
        if not 0 <= start <= len(text):
            raise ValueError(f"start must be between 0 and {len(text)}, got {start}")
        self.raw = bytes(text)
        self.coded = coded.tolist()
        self.numbers: list[float] = []
        self.indices: list[int] = []
        self.counts: list[int] = []
        self.words: list[tuple[int, int, int]] = []
        self.stop = self.n_lines = 0

    def spans(self) -> Array:
        return np.array(self.words, dtype=np.int64).reshape(len(self.words), 3)

    def lines(self, position: int, read: Callable[[int, int], bool]) -> None:
        """Read one row per line, and discard what was read of an unreadable line."""
        while position < len(self.raw):
            end = self.find(b"\n", position, len(self.raw))
            begin, last = self.trimmed(position, end)
            if begin < last and self.raw[begin] != ord("%"):
                before = len(self.numbers), len(self.words)
                if not read(begin, last):
                    del self.numbers[before[0] :], self.indices[before[0] :], self.words[before[1] :]
                    break
                self.counts.append(len(self.numbers) - before[0])
            self.n_lines += 1
            position = min(end + 1, len(self.raw))
        self.stop = position

    def dense(self, position: int, limit: int) -> bool:
        for column, is_coded in enumerate(self.coded):
            position = self.trimmed(position, limit)[0]
            quoted = _QUOTED.match(self.raw, position, limit) if is_coded else None
            if quoted is not None:
                end = quoted.end()
                self.locate(quoted.start(1) + 1, quoted.end(1) - 1)
            else:
                end = self.find(b",", position, limit)
                if not self.value(column, *self.trimmed(position, end)):
                    return False
            if (end == limit) != (column + 1 == len(self.coded)):
                return False
            if end < limit and self.raw[end] != ord(","):
                return False
            position = end + 1
        return True

    def sparse(self, position: int, limit: int) -> bool:
        if limit - position < 2 or self.raw[limit - 1] != ord("}"):
            return False
        position, limit = self.trimmed(position + 1, limit - 1)
        previous = -1
        while position < limit:
            end = self.find(b",", position, limit)
            begin, last = self.trimmed(position, end)
            index = _INDEX.match(self.raw, begin, last)
            if index is None or not previous < int(index.group()) < len(self.coded):
                return False
            previous = int(index.group())
            if not self.value(previous, *self.trimmed(index.end(), last)):
                return False
            self.indices.append(previous)
            position = end + 1
            if position == limit:
                return False
        return True

    def value(self, column: int, begin: int, end: int) -> bool:
        word = self.raw[begin:end]
        if self.coded[column]:
            if not _WORD.fullmatch(word):
                return False
            self.locate(begin, end)
            return True
        number = math.nan if word == b"?" else math.inf
        if _NUMBER.fullmatch(word) and not word.startswith(b"+-"):
            number = float(word)
        self.numbers.append(number)
        return not math.isinf(number)

    def locate(self, begin: int, end: int) -> None:
        self.words.append((len(self.numbers), begin, end))
        self.numbers.append(0.0)

    def find(self, wanted: bytes, position: int, limit: int) -> int:
        found = self.raw.find(wanted, position, limit)
        return limit if found < 0 else found

    def trimmed(self, begin: int, end: int) -> tuple[int, int]:
        while begin < end and self.raw[begin] in _BLANK:
            begin += 1
        while begin < end and self.raw[end - 1] in _BLANK:
            end -= 1
        return begin, end
