"""The header of an ARFF file: ``@relation``, ``@attribute`` lines, ``@data``."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from typing import Literal, NamedTuple

from setwise.datasets.arff.dates import strptime_format
from setwise.files.errors import DataFormatError, too_large
from setwise.files.limits import limits
from setwise.files.text import decode

Kind = Literal["numeric", "nominal", "string", "date"]

QUOTED = r"""'[^'\\]*(?:\\.[^'\\]*)*'|"[^"\\]*(?:\\.[^"\\]*)*\""""
"""Regular expression of a quoted word; a backslash keeps the next character from ending it."""

_DATA = re.compile(rb"^[ \t]*@data\b[^\n]*(?:\n|\Z)", re.IGNORECASE | re.MULTILINE)
_KEYWORD = re.compile(rb"@attribute\b", re.IGNORECASE)
_NAME = r"[^\s{}'\"%,][^\s{}]*"
_ATTRIBUTE = re.compile(rf"@attribute\s+({QUOTED}|{_NAME})\s*(\S.*)", re.IGNORECASE)
# headers have thousands of these
_USUAL_LINE = re.compile(
    rf"^@attribute[ \t]+({_NAME})[ \t]+(numeric|real|integer|string|\{{0, ?1\}})[ \t]*$",
    re.IGNORECASE | re.MULTILINE,
)
_RELATION = re.compile(rf"@relation\s*({QUOTED}|.*)", re.IGNORECASE)
_VALUE = re.compile(rf"\s*({QUOTED}|[^,}}'\"]*)\s*")
_DATE = re.compile(rf"date\b\s*({QUOTED}|[^\s%]*)\s*(?:%.*)?", re.IGNORECASE)
_COMMENT = re.compile(r"(?:^|\s)%")
_ESCAPE = re.compile(r"\\(u[0-9a-fA-F]{4}|.)", re.DOTALL)
_ESCAPED = {"n": "\n", "t": "\t", "r": "\r"}


class Type(NamedTuple):
    """The type of an attribute: the values of a nominal one, the strptime format of a date."""

    kind: Kind
    values: tuple[str, ...] = ()
    date_format: str = ""


NUMERIC = Type("numeric")
BINARY = Type("nominal", ("0", "1"))
"""Nominal with the values 0 and 1, the type of most labels."""

_TYPES = {
    "numeric": NUMERIC,
    "real": NUMERIC,
    "integer": NUMERIC,
    "string": Type("string"),
    "{0,1}": BINARY,
}


class Header(NamedTuple):
    """Everything before the rows: ``n_lines`` lines; ``rest`` is what was read beyond them."""

    relation: str
    names: list[str]
    types: list[Type]
    encoding: str
    n_lines: int
    rest: bytes


def read_header(blocks: Iterator[bytes], path: str | os.PathLike[str]) -> Header:
    """Consume the blocks up to and including the line ``@data``."""
    parts: list[bytes] = []
    for block in blocks:
        end = _DATA.search(block)
        if end is not None:
            return _parse(b"".join([*parts, block[: end.end()]]), block[end.end() :], path)
        parts.append(block)
        if sum(map(len, parts)) > 4 * limits().line_bytes:
            raise too_large(f"expected a line '@data' in the first {4 * limits().line_bytes} bytes", path)
    n_lines = sum(part.count(b"\n") for part in parts)
    raise DataFormatError("expected a line '@data', found none", file=path, line=n_lines + 1)


def unquote(text: str) -> str:
    """The word between quotes with its escapes resolved; a bare word is returned as it is."""
    if text[:1] not in ("'", '"'):
        return text
    return _ESCAPE.sub(_unescape, text[1:-1]) if "\\" in text else text[1:-1]


def _unescape(match: re.Match[str]) -> str:
    escaped = match.group(1)
    return chr(int(escaped[1:], 16)) if len(escaped) == 5 else _ESCAPED.get(escaped, escaped)


def _parse(head: bytes, rest: bytes, path: str | os.PathLike[str]) -> Header:
    n_attributes = len(_KEYWORD.findall(head))
    if n_attributes > limits().columns:
        raise too_large(f"{n_attributes} attributes, more than the {limits().columns} allowed", path)
    text, encoding = decode(head)
    header = Header("", [], [], encoding, head.count(b"\n"), rest)
    pieces = _USUAL_LINE.split(text)
    number = 1
    # the text before each usual line, its name, its type
    for before, name, kind in zip(pieces[::3], [*pieces[1::3], ""], [*pieces[2::3], ""]):
        if before != "\n":
            for i, line in enumerate(before.split("\n")):
                if line and not line.isspace():
                    header = _declare(header, _Line(line.strip(), number + i, path))
        number += before.count("\n")
        if name:
            header.names.append(name)
            header.types.append(_TYPES[kind.lower().replace(" ", "")])
    if not header.names:
        raise DataFormatError("expected an @attribute before @data", file=path, line=header.n_lines)
    return header


def _declare(header: Header, line: _Line) -> Header:
    """The header with what one more line declares."""
    keyword = line.text.split()[0].lower()
    if keyword == "@attribute":
        name, kind = line.attribute()
        header.names.append(name)
        header.types.append(kind)
    elif keyword == "@relation":
        return header._replace(relation=_relation(line.text))
    elif keyword != "@data" and keyword[0] != "%":
        raise line.error(f"expected @relation, @attribute or @data, found {line.text[:40]!r}", 0)
    return header


def _relation(line: str) -> str:
    match = _RELATION.match(line)
    text = match.group(1) if match else ""
    return unquote(text) if re.fullmatch(QUOTED, text) else _COMMENT.split(text)[0].strip()


class _Line:
    """An ``@attribute`` line of any form."""

    def __init__(self, text: str, number: int, path: str | os.PathLike[str]) -> None:
        self.text = text
        self.number = number
        self.path = path

    def attribute(self) -> tuple[str, Type]:
        match = _ATTRIBUTE.match(self.text)
        if match is None:
            raise self.error("expected '@attribute <name> <type>'", 0)
        name, kind, place = unquote(match.group(1)), match.group(2), match.start(2)
        if kind.startswith("{"):
            return name, Type("nominal", self.nominal_values(place + 1))
        date = _DATE.fullmatch(kind)
        if date is not None:
            return name, Type("date", (), self.date_format(unquote(date.group(1)), place))
        word = _COMMENT.split(kind)[0].strip().lower()
        if word not in _TYPES:
            raise self.error(
                f"expected numeric, real, integer, string, date or {{...}}, found {kind[:40]!r}", place
            )
        return name, _TYPES[word]

    def nominal_values(self, place: int) -> tuple[str, ...]:
        """Values up to the closing brace; ``place`` is that of the first character after the opening one."""
        if self.text.count(",") > limits().columns:
            message = f"the attribute has more than the {limits().columns} values allowed"
            raise too_large(message, self.path, self.number)
        values: list[str] = []
        end = ","
        while end != "}":
            match = _VALUE.match(self.text, place)
            place = match.end() if match else place
            end = self.text[place : place + 1]
            if match is None or end not in (",", "}") or not end:
                raise self.error("expected ',' or '}' after a value of the nominal attribute", place)
            values.append(unquote(match.group(1).strip()))
            place += 1
        rest = self.text[place:].strip()
        if rest and not rest.startswith("%"):
            raise self.error(f"expected the end of the line, found {rest[:40]!r}", place)
        if len(set(values)) < len(values):
            raise self.error("the nominal attribute lists a value twice", place - 1)
        return tuple(values) if values != [""] else ()

    def date_format(self, pattern: str, place: int) -> str:
        try:
            return strptime_format(pattern)
        except ValueError as error:
            raise self.error(str(error), place) from None

    def error(self, message: str, place: int) -> DataFormatError:
        return DataFormatError(message, file=self.path, line=self.number, position=place + 1)
