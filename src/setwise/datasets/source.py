"""Files as blocks of whole lines, compressed or not, and the error that names a place in them."""

from __future__ import annotations

import bz2
import codecs
import gzip
import os
import zlib
from collections.abc import Iterator
from typing import Any, BinaryIO, cast

MAX_LINE = 2**26
"""Longest line read, in bytes: a damaged or hostile file must not fill the memory."""

MAX_UNPACKED = 2**30
MAX_EXPANSION = 300
"""A compressed file may grow to this many bytes, or to this multiple of its size."""

_BLOCK = 2**20


class DataFormatError(ValueError):
    """A data file that does not follow its format: where, what was expected, what was found."""

    def __init__(self, path: str | os.PathLike[str], line: int, column: int, message: str) -> None:
        super().__init__(f"{path}:{line}:{column}: {message}")
        self.path = str(path)
        self.line = line
        self.column = column
        self.message = message

    def __reduce__(self) -> tuple[Any, ...]:
        # an exception of several arguments would not come back from a worker process otherwise
        return type(self), (self.path, self.line, self.column, self.message)


def open_binary(path: str | os.PathLike[str]) -> BinaryIO:
    """The bytes of a file, decompressed if they start like gzip or bzip2, whatever the file is called."""
    file = open(path, "rb")  # noqa: SIM115, the caller closes it
    magic = file.peek(3)[:3]
    opener = gzip.open if magic[:2] == b"\x1f\x8b" else bz2.open if magic == b"BZh" else None
    if opener is None:
        return file
    file.close()
    return cast(BinaryIO, opener(path))


def blocks(path: str | os.PathLike[str]) -> Iterator[bytes]:
    r"""The bytes of a file in blocks of whole lines that end in ``\n``; the last may lack it."""
    rest, line, size = b"", 1, 0
    most = max(MAX_UNPACKED, MAX_EXPANSION * os.path.getsize(path))
    with open_binary(path) as file:
        while block := _read(file, path, line):
            if size == 0 and block.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
                raise DataFormatError(path, 1, 1, "the text is UTF-16; save it as UTF-8")
            size += len(block)
            if size > most:
                raise DataFormatError(path, line, 1, f"the file unpacks to more than {most} bytes")
            end = block.rfind(b"\n") + 1
            if end:
                whole = rest + block[:end]
                line += whole.count(b"\n")
                yield whole
                rest = block[end:]
            else:
                rest += block
            if len(rest) > MAX_LINE:
                raise DataFormatError(path, line, 1, f"a line of more than {MAX_LINE} bytes")
    if rest:
        yield rest


def decode(text: bytes) -> tuple[str, str]:
    """Text and its encoding: UTF-8, or Latin-1 where it is not."""
    text = text.removeprefix(b"\xef\xbb\xbf")
    try:
        return text.decode(), "utf-8"
    except UnicodeDecodeError:
        return text.decode("latin-1"), "latin-1"


def _read(file: BinaryIO, path: str | os.PathLike[str], line: int) -> bytes:
    """The next block, with the line ends of Windows and of old Macs made Unix's."""
    try:
        block = file.read(_BLOCK)
        while block.endswith(b"\r") and (more := file.read(1)):
            block += more
    except (EOFError, OSError, zlib.error) as error:
        raise DataFormatError(path, line, 1, f"damaged file: {error}") from error
    return block.replace(b"\r\n", b"\n").replace(b"\r", b"\n") if b"\r" in block else block
