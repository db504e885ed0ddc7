"""The compact protocol of Apache Thrift, in which Parquet files describe themselves.

Only what is needed to find sizes: integers, and structs and lists that contain integers. Everything else is skipped.
Specification: https://github.com/apache/thrift/blob/master/doc/specs/thrift-compact-protocol.md
"""

from __future__ import annotations

from mmap import mmap
from typing import Any

TRUE, FALSE, BYTE, DOUBLE, BINARY, LIST, SET, MAP, STRUCT = 1, 2, 3, 7, 8, 9, 10, 11, 12
_INTEGERS = (4, 5, 6)
_MAX_DEPTH = 32


class ThriftReader:
    """Reads structs from bytes; every defect is a ValueError.

    Examples
    --------
    >>> ThriftReader(bytes([0x15, 0x04, 0x00])).struct()
    {1: 2}
    """

    def __init__(self, data: bytes | mmap, position: int = 0) -> None:
        self.data, self.position = data, position

    def struct(self, depth: int = 0) -> dict[int, Any]:
        """Read a struct as a dictionary of its integers, structs and lists, by field number."""
        if depth > _MAX_DEPTH:
            raise ValueError("structs are nested too deeply")
        fields: dict[int, Any] = {}
        number = 0
        while head := self._byte():
            number = number + (head >> 4) if head >> 4 else self._zigzag()
            value = self._value(head & 15, depth, in_struct=True)
            if value is not None:
                fields[number] = value
        return fields

    def _value(self, kind: int, depth: int, in_struct: bool = False) -> Any:
        if kind in _INTEGERS:
            return self._zigzag()
        if kind == STRUCT:
            return self.struct(depth + 1)
        if kind in (LIST, SET):
            return self._list(depth + 1)
        if kind == BINARY:
            self._skip(self._varint())
        elif kind == DOUBLE:
            self._skip(8)
        elif kind == MAP:
            self._map(depth + 1)
        elif kind == BYTE or (kind in (TRUE, FALSE) and not in_struct):
            self._skip(1)
        elif kind not in (TRUE, FALSE):
            raise ValueError(f"unknown type {kind}")
        return None

    def _list(self, depth: int) -> list[Any]:
        head = self._byte()
        size = self._varint() if head >> 4 == 15 else head >> 4
        self._check_count(size, depth)
        return [self._value(head & 15, depth) for _ in range(size)]

    def _map(self, depth: int) -> None:
        size = self._varint()
        self._check_count(size, depth)
        kinds = self._byte() if size else 0
        for _ in range(size):
            self._value(kinds >> 4, depth)
            self._value(kinds & 15, depth)

    def _check_count(self, size: int, depth: int) -> None:
        """Read a list. Every item takes at least a byte, so it cannot be longer than the remaining bytes."""
        if size > len(self.data) - self.position or depth > _MAX_DEPTH:
            raise ValueError("a list is longer than the file")

    def _skip(self, size: int) -> None:
        if size > len(self.data) - self.position:
            raise ValueError("a value extends past the end of the file")
        self.position += size

    def _byte(self) -> int:
        self._skip(1)
        return self.data[self.position - 1]

    def _varint(self) -> int:
        value = shift = 0
        while shift < 70:
            byte = self._byte()
            value |= (byte & 127) << shift
            if byte < 128:
                return value
            shift += 7
        raise ValueError("a number of more than 64 bits")

    def _zigzag(self) -> int:
        value = self._varint()
        return (value >> 1) ^ -(value & 1)
