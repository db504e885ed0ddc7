"""Mulan's label files: the names of the labels, and their hierarchy, as XML."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from typing import NamedTuple
from xml.parsers import expat
from xml.sax.saxutils import quoteattr

from setwise.atomic import replacing
from setwise.files.errors import DataFormatError, too_large
from setwise.files.limits import limits
from setwise.files.text import unpacked

NAMESPACE = "http://mulan.sourceforge.net/labels"


class LabelFile(NamedTuple):
    """The labels of a Mulan file.

    Parameters
    ----------
    names : tuple of str
        In file order.
    parents : tuple of int
        Index of each label's parent, -1 for a root.

    Examples
    --------
    >>> LabelFile(("animal", "dog"), (-1, 0)).parents
    (-1, 0)
    """

    names: tuple[str, ...]
    parents: tuple[int, ...]


def read_label_file(path: str | os.PathLike[str]) -> LabelFile:
    """Read the labels that a Mulan .xml file lists, nested ones included.

    Parameters
    ----------
    path : str or path

    Returns
    -------
    LabelFile

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
    reader.read(unpacked(path))
    if not reader.names:
        raise DataFormatError('expected at least one <label name="...">', file=path, line=1)
    return LabelFile(tuple(reader.names), tuple(reader.parents))


def write_label_file(names: Sequence[str], path: str | os.PathLike[str]) -> None:
    """Write a Mulan .xml file of labels without hierarchy.

    Parameters
    ----------
    names : sequence of str
    path : str or path

    Examples
    --------
    >>> import tempfile, pathlib
    >>> folder = tempfile.TemporaryDirectory()
    >>> path = pathlib.Path(folder.name) / "toy.xml"
    >>> write_label_file(["a", "b"], path)
    >>> read_label_file(path).names
    ('a', 'b')
    """
    lines = [f"<label name={quoteattr(name)}></label>" for name in names]
    head = f'<?xml version="1.0" encoding="utf-8"?>\n<labels xmlns="{NAMESPACE}">'
    with replacing(path) as file:
        file.write("\n".join([head, *lines, "</labels>\n"]).encode())


class _Reader:
    """Collects label elements; entities are refused, because they can grow without bound."""

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

    def read(self, blocks: Iterable[bytes]) -> None:
        """Parse the blocks of a file; every failure is a DataFormatError."""
        size = 0
        try:
            for block in blocks:
                size += len(block)
                if size > limits().text_bytes:
                    raise too_large(f"a label file of more than {limits().text_bytes} bytes", self.path)
                self.parser.Parse(block, False)
            self.parser.Parse(b"", True)
        except DataFormatError:
            raise
        except expat.ExpatError as error:
            raise self._error(f"not well-formed XML: {expat.ErrorString(error.code)}") from None
        except (LookupError, ValueError) as error:
            raise self._error(f"the file is damaged: {error}") from error

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        kind = tag.rpartition(":")[2]
        if kind == "labels":
            return
        name = attributes.get("name")
        if kind != "label" or name is None:
            raise self._error(f'expected <label name="...">, found <{tag}>')
        if name in self._seen:
            raise self._error(f"label {name!r} occurs twice")
        if len(self._open) >= limits().depth:
            message = f"labels are nested more than {limits().depth} deep"
            raise too_large(message, self.path, self.parser.CurrentLineNumber)
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
        parser = self.parser
        return DataFormatError(
            message, file=self.path, line=parser.CurrentLineNumber, position=parser.CurrentColumnNumber + 1
        )
