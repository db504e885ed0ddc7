"""A reader of one row of an ARFF file in any form that the format allows; errors name line and column."""

from __future__ import annotations

import os
import re
from typing import NamedTuple

from setwise.datasets.arff.header import QUOTED, unquote
from setwise.datasets.arff.values import Values
from setwise.files.errors import DataFormatError

_QUOTED_WORD = re.compile(rf"\s*({QUOTED})\s*")
_BARE_WORD = re.compile(r"\s*([^,]*)")
_SPACED_WORD = re.compile(rf"\s*({QUOTED}|\S+)")
_INDEX = re.compile(r"\s*(\d{1,18})\s+", re.ASCII)
_ENTRY_VALUE = re.compile(rf"({QUOTED}|[^\s,}}'\"][^,}}]*)\s*")
_COMMENT = re.compile(r"(?:^|\s)%")


class _Word(NamedTuple):
    text: str
    place: int


class LineParser:
    """Reads one dense or sparse line."""

    def __init__(self, values: Values, line: str, path: str | os.PathLike[str], number: int) -> None:
        self.values = values
        self.line = line
        self.path = path
        self.line_number = number

    def dense(self) -> list[float]:
        """Read the numbers of a dense row."""
        words, width = self.words(), len(self.values.types)
        if len(words) != width and "," not in self.line:
            words = [_Word(unquote(m.group(1)), m.start(1)) for m in _SPACED_WORD.finditer(self.line)]
        if len(words) == width + 1 and words[-1].text.startswith("{"):
            raise self.error("weights of rows are not supported", words[-1].place)
        if len(words) != width:
            raise self.error(
                f"expected {width} values, one per attribute, found {len(words)}", len(self.line.rstrip())
            )
        return [self.number(column, word) for column, word in enumerate(words)]

    def words(self) -> list[_Word]:
        """Read the words between commas, unquoted, up to a comment."""
        words, place = [], 0
        while True:
            quoted = _QUOTED_WORD.match(self.line, place)
            if quoted is not None:
                words.append(_Word(unquote(quoted.group(1)), quoted.start(1)))
                place = quoted.end()
            else:
                word, place = self.bare_word(place)
                words.append(word)
            if place >= len(self.line) or self.line[place] == "%":
                return words
            if self.line[place] != ",":
                raise self.error("expected ',' after a quoted value", place)
            place += 1

    def bare_word(self, place: int) -> tuple[_Word, int]:
        """Read the word up to the next comma, and return the position after it; a comment ends the line."""
        match = _BARE_WORD.match(self.line, place)
        assert match is not None, "it matches nothing, too"
        text = match.group(1)
        comment = _COMMENT.search(text)
        if comment is None:
            return _Word(text.strip(), match.start(1)), match.end()
        return _Word(text[: comment.start()].strip(), match.start(1)), len(self.line)

    def sparse(self) -> dict[int, float]:
        """Read the columns and numbers of a sparse row, written in braces."""
        row: dict[int, float] = {}
        place = self.line.index("{") + 1
        if self.line[place:].lstrip().startswith("}"):
            self.check_end(self.line.index("}") + 1)
            return row
        while True:
            place = self.entry(place, row)
            end = self.line[place : place + 1]
            if end == "}":
                self.check_end(place + 1)
                return row
            if end != ",":
                raise self.error("expected ',' or '}' after an entry of a sparse row", place)
            place += 1

    def entry(self, place: int, row: dict[int, float]) -> int:
        """Read ``index value`` into ``row``, and return the position after it."""
        index = _INDEX.match(self.line, place)
        value = _ENTRY_VALUE.match(self.line, index.end()) if index else None
        if index is None or value is None:
            raise self.error("expected '<index> <value>' in a sparse row", place)
        column, width = int(index.group(1)), len(self.values.types)
        if column >= width:
            raise self.error(f"expected an index below {width}, the number of attributes", index.start(1))
        if column in row:
            raise self.error(f"index {column} occurs twice in a row", index.start(1))
        row[column] = self.number(column, _Word(unquote(value.group(1).strip()), value.start(1)))
        return value.end()

    def number(self, column: int, word: _Word) -> float:
        """Convert a word to a number, or raise the error at its position."""
        try:
            return self.values.number(column, word.text)
        except ValueError as error:
            raise self.error(str(error), word.place) from None

    def check_end(self, place: int) -> None:
        """Refuse text after the closing brace of a sparse row."""
        rest = self.line[place:].strip()
        if rest.replace(" ", "").startswith(",{"):
            raise self.error("weights of rows are not supported", place)
        if rest and not rest.startswith("%"):
            raise self.error("expected the end of the line after '}'", place)

    def error(self, message: str, place: int) -> DataFormatError:
        """Make the error at a position of the line, counted from 0."""
        return DataFormatError(message, file=self.path, line=self.line_number, position=place + 1)
