"""Text files as blocks of whole lines, compressed or not."""

from __future__ import annotations

import bz2
import codecs
import gzip
import io
import os
import zlib
from collections.abc import Iterator
from typing import Any, BinaryIO

from setwise.files.errors import DataFormatError, too_large
from setwise.files.limits import limits
from setwise.files.progress import reading

BLOCK = 2**20
_PACKED_READ = 2**12
"""Bytes of a compressed file read at a time: few, so that the count of bytes unpacked from them is exact."""


def blocks(path: str | os.PathLike[str]) -> Iterator[bytes]:
    r"""Yield the bytes of a text file in blocks of whole lines with ``\n`` at their ends; the last may lack it."""
    rest: list[bytes] = []
    line = 1
    for block in _unix_lines(path):
        end = block.rfind(b"\n") + 1
        if end:
            whole = b"".join([*rest, block[:end]])
            line += whole.count(b"\n")
            yield whole
            rest = [block[end:]]
        else:
            rest.append(block)
        if sum(map(len, rest)) > limits().line_bytes:
            raise too_large(f"a line of more than {limits().line_bytes} bytes", path, line)
    if any(rest):
        yield b"".join(rest)


def text_lines(path: str | os.PathLike[str]) -> Iterator[str]:
    """Yield the lines of a text file in UTF-8; from the first block that is not, they are read as Latin-1."""
    encoding = "utf-8-sig"  # without the mark at the beginning
    for block in blocks(path):
        try:
            text = block.decode(encoding)
        except UnicodeDecodeError:
            text = block.removeprefix(codecs.BOM_UTF8).decode("latin-1")
            encoding = "latin-1"
        yield from io.StringIO(text, newline="")
        encoding = encoding.removesuffix("-sig")


def _unix_lines(path: str | os.PathLike[str]) -> Iterator[bytes]:
    """Convert the line ends of Windows and old Macs to those of Unix; UTF-16 is refused."""
    held = b""
    for number, block in enumerate(unpacked(path)):
        if number == 0 and block.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
            message = "expected text in UTF-8, found UTF-16"
            raise DataFormatError(message, file=path, line=1, hint="save the file as UTF-8")
        block, held = held + block, b""
        if block.endswith(b"\r"):  # the line feed may begin the next block
            block, held = block[:-1], b"\r"
        yield block.replace(b"\r\n", b"\n").replace(b"\r", b"\n") if b"\r" in block else block
    if held:
        yield b"\n"


def unpacked(path: str | os.PathLike[str]) -> Iterator[bytes]:
    """Yield the bytes of a file, decompressed if they start like gzip or bzip2, whatever the file is called.

    A compressed part that unpacks to more than the limits allow is refused before any of its bytes are yielded.
    """
    with open(path, "rb") as file:
        magic = file.peek(3)[:3]
        packed = _Counted(file)
        try:
            if magic[:2] == b"\x1f\x8b":
                yield from _checked(gzip.GzipFile(fileobj=packed), packed, path)
            elif magic == b"BZh":
                yield from _checked(bz2.BZ2File(packed), packed, path)
            else:
                while block := packed.take(BLOCK):
                    yield block
        except (EOFError, OSError, zlib.error) as error:
            raise DataFormatError(f"the file is damaged: {error}", file=path) from error


class _Counted:
    """A file that counts the bytes read from it."""

    def __init__(self, file: BinaryIO) -> None:
        self._file, self.count = file, 0
        self._size = max(1, os.fstat(file.fileno()).st_size)

    def take(self, size: int) -> bytes:
        """Read at most ``size`` bytes."""
        data = self._file.read(size)
        self.count += len(data)
        reading().share = min(1.0, self.count / self._size)
        return data

    def read(self, size: int = -1, /) -> bytes:
        return self.take(_PACKED_READ if size < 0 else min(size, _PACKED_READ))

    def seekable(self) -> bool:
        return False

    def seek(self, offset: int, /) -> int:
        raise io.UnsupportedOperation("a compressed file is read once, from its beginning")


def _checked(file: Any, packed: _Counted, path: str | os.PathLike[str]) -> Iterator[bytes]:
    """Yield unpacked bytes in windows, after comparing the size of each with the bytes it was unpacked from."""
    total = 0
    while True:
        window = _window(file)
        total += sum(map(len, window))
        if total > limits().unpacked(limits().text_bytes, packed.count):
            raise too_large(f"the file unpacks to more than {limits().expansion} times its size", path)
        if not window:
            return
        yield from window


def _window(file: Any) -> list[bytes]:
    """Read the next blocks, a little more than is always allowed."""
    window, size = [], 0
    while size <= limits().text_bytes and (block := file.read(BLOCK)):
        window.append(block)
        size += len(block)
    return window


def decode(text: bytes) -> tuple[str, str]:
    """Decode text as UTF-8, or as Latin-1 if that fails; also return the encoding."""
    text = text.removeprefix(b"\xef\xbb\xbf")
    try:
        return text.decode(), "utf-8"
    except UnicodeDecodeError:
        return text.decode("latin-1"), "latin-1"
