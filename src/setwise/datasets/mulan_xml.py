"""Mulan's label files: the names of the labels, and their hierarchy, as XML."""

from __future__ import annotations

import os
import zlib
from collections.abc import Sequence
from typing import BinaryIO, NamedTuple
from xml.parsers import expat
from xml.sax.saxutils import quoteattr

from setwise.atomic import replacing
from setwise.datasets.source import DataFormatError, open_binary

NAMESPACE = "http://mulan.sourceforge.net/labels"


class LabelFile(NamedTuple):
    """Labels in file order; ``parents[i]`` is the place of label i's parent, -1 for a root."""

    names: tuple[str, ...]
    parents: tuple[int, ...]


def read_label_file(path: str | os.PathLike[str]) -> LabelFile:
    """Read the labels that a Mulan .xml file lists, nested ones included.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> folder = tempfile.TemporaryDirectory()
    >>> path = pathlib.Path(folder.name) / "toy.xml"
    >>> _ = path.write_text('<labels><label name="a"><label name="b"/></label></labels>')
    >>> read_label_file(path)
    LabelFile(names=('a', 'b'), parents=(-1, 0))
    """
    reader = _Reader(str(path))
    with open_binary(path) as file:
        reader.read(file)
    if not reader.names:
        raise DataFormatError(str(path), 1, 1, 'expected at least one <label name="...">')
    return LabelFile(tuple(reader.names), tuple(reader.parents))


def write_label_file(names: Sequence[str], path: str | os.PathLike[str]) -> None:
    """Write a Mulan .xml file of labels without hierarchy."""
    lines = [f"<label name={quoteattr(name)}></label>" for name in names]
    head = f'<?xml version="1.0" encoding="utf-8"?>\n<labels xmlns="{NAMESPACE}">'
    with replacing(path) as file:
        file.write("\n".join([head, *lines, "</labels>\n"]).encode())


class _Reader:
    """Collects label elements; entities are refused, because they can swell without bound."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.names: list[str] = []
        self.parents: list[int] = []
        self._open: list[int] = []
        self._seen: set[str] = set()
        self.parser = expat.ParserCreate()
        self.parser.StartElementHandler = self._start
        self.parser.EndElementHandler = self._end
        self.parser.EntityDeclHandler = self._entity

    def read(self, file: BinaryIO) -> None:
        """Parse a file; every failure is a DataFormatError."""
        try:
            self.parser.ParseFile(file)
        except DataFormatError:
            raise
        except expat.ExpatError as error:
            raise self._error(f"not well-formed XML: {expat.ErrorString(error.code)}") from None
        except (EOFError, OSError, zlib.error, LookupError, ValueError) as error:
            raise self._error(f"damaged file: {error}") from error

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        kind = tag.rpartition(":")[2]
        if kind == "labels":
            return
        name = attributes.get("name")
        if kind != "label" or name is None:
            raise self._error(f'expected <label name="...">, found <{tag}>')
        if name in self._seen:
            raise self._error(f"label {name!r} occurs twice")
        self._seen.add(name)
        self.parents.append(self._open[-1] if self._open else -1)
        self._open.append(len(self.names))
        self.names.append(name)

    def _end(self, tag: str) -> None:
        if self._open and tag.rpartition(":")[2] == "label":
            self._open.pop()

    def _entity(self, *_: object) -> None:
        raise self._error("entities are not supported in a label file")

    def _error(self, message: str) -> DataFormatError:
        return DataFormatError(
            self.path, self.parser.CurrentLineNumber, self.parser.CurrentColumnNumber + 1, message
        )
