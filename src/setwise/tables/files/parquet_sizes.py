"""What a Parquet file unpacks to, from its own description and that of every page, before anything is unpacked.

The numbers in the footer may lie, so the pages are counted too: a page is unpacked into as many bytes as its own
header says. https://github.com/apache/parquet-format/blob/master/src/main/thrift/parquet.thrift has the fields.
"""

from __future__ import annotations

import mmap
import os
import struct
from collections.abc import Iterator
from typing import Any

from setwise.files.errors import DataFormatError, too_large
from setwise.files.limits import limits
from setwise.files.thrift import ThriftReader

MAGIC = b"PAR1"
VALUE_BYTES = 8
"""Memory of a decoded value, at least."""


def check_parquet_sizes(path: str | os.PathLike[str]) -> None:
    """Refuse a file that would unpack to more than the limits allow, or is nested too deeply."""
    size = os.path.getsize(path)
    if size < 12:
        raise _damaged(path, "it is too short")
    with open(path, "rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
        try:
            footer = _footer(data, path)
            _check_schema(footer, path)
            allowed = limits().unpacked(limits().array_bytes, size)
            total = 0
            for needed in _needs(footer, data):
                total += needed
                if total > allowed:
                    raise too_large(f"the table unpacks to more than {allowed} bytes", path)
        except DataFormatError:
            raise
        except (ValueError, TypeError, KeyError, IndexError, AttributeError) as error:
            raise _damaged(path, error) from error


def _damaged(path: str | os.PathLike[str], why: object) -> DataFormatError:
    return DataFormatError(f"not a readable Parquet file: {why}", file=path)


def _footer(data: Any, path: str | os.PathLike[str]) -> dict[int, Any]:
    if data[:4] != MAGIC or data[-4:] != MAGIC:
        raise ValueError("its first or last bytes are wrong")
    (length,) = struct.unpack("<I", data[-8:-4])
    if length > len(data) - 12:
        raise ValueError("its footer is longer than the file")
    if length > limits().text_bytes:
        raise too_large(f"a footer of more than {limits().text_bytes} bytes", path)
    return ThriftReader(data, len(data) - 8 - length).struct()


def _check_schema(footer: dict[int, Any], path: str | os.PathLike[str]) -> None:
    """The schema is a tree written in depth-first order, each node with its number of children (field 5)."""
    elements = footer[2]
    if len(elements) > limits().columns:
        raise too_large(f"{len(elements)} columns, more than the {limits().columns} allowed", path)
    left: list[int] = []
    for element in elements:
        while left and left[-1] == 0:
            left.pop()
        if left:
            left[-1] -= 1
        left.append(element.get(5, 0))
        if len(left) > limits().depth:
            raise too_large(f"columns are nested more than {limits().depth} deep", path)


def _needs(footer: dict[int, Any], data: Any) -> Iterator[int]:
    """Bytes that each page needs; fields: 4 row groups, in them 1 column chunks, in them 3 the description."""
    yield VALUE_BYTES * max(0, footer.get(3, 0))
    for group in footer.get(4, []):
        for chunk in group[1]:
            about = chunk[3]
            yield VALUE_BYTES * max(0, about.get(5, 0))
            yield from _page_needs(about, data)


def _page_needs(about: dict[int, Any], data: Any) -> Iterator[int]:
    """Bytes that the pages of a column chunk need, unpacked and then decoded."""
    position = min(offset for offset in (about.get(9), about.get(11)) if offset)
    end = position + about[7]
    if not 0 < position <= end <= len(data):
        raise ValueError("a column is not inside the file")
    while position < end:
        reader = ThriftReader(data, position)
        page = reader.struct()
        unpacked, packed = page[2], page[3]
        if unpacked < 0 or packed < 0:
            raise ValueError("a page of negative size")
        values = max(
            page.get(kind, {}).get(1, 0) for kind in (5, 7, 8)
        )  # data, dictionary, data of version 2
        yield unpacked + VALUE_BYTES * max(0, values)
        position = reader.position + packed
