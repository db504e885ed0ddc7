"""The rows of an ARFF file as a numeric matrix: a kernel reads simple lines, Python all others."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
from scipy import sparse

from setwise.contract import Array, Floats, Matrix
from setwise.datasets.arff.line import LineParser
from setwise.datasets.arff.values import Values
from setwise.kernels import implementation as kernels

_FIRST = re.compile(rb"\s*(\S)")


class _Entries(NamedTuple):
    """Sparse rows: the number of entries of each, their columns and numbers."""

    counts: Array
    columns: Array
    numbers: Floats


def read_rows(blocks: Iterable[bytes], values: Values, path: str | os.PathLike[str], n_lines: int) -> Matrix:
    """Read all rows as one matrix, CSR if any is sparse; ``n_lines`` lines come before them."""
    rows = _Rows(values, path, n_lines)
    for text in blocks:
        rows.add(text)
    return rows.matrix()


class _Rows:
    def __init__(self, values: Values, path: str | os.PathLike[str], n_lines: int) -> None:
        self.values = values
        self.path = path
        self.n_lines = n_lines
        self.parts: list[Floats | _Entries] = []

    def add(self, text: bytes) -> None:
        """Read a block of whole lines with the kernel; lines that it cannot read are read in Python."""
        view = np.frombuffer(text, dtype=np.uint8)
        position = 0
        while (first := _FIRST.match(text, position)) is not None:
            simple = self.sparse if first.group(1) == b"{" else self.dense
            position = simple(text, view, position)
            if position < len(text):
                position = self.one_line(text, position)

    def dense(self, text: bytes, view: Array, position: int) -> int:
        numbers, words, stop, n_lines = kernels.arff_dense_rows(view, position, self.values.coded)
        columns = words[:, 0] % len(self.values.types)
        if not self.fill(numbers, columns, words, text) or not _are_binary(numbers[:, self.values.binary]):
            return self.line_by_line(text, position, stop)
        self.parts.append(numbers)
        self.n_lines += n_lines
        return int(stop)

    def sparse(self, text: bytes, view: Array, position: int) -> int:
        numbers, words, stop, n_lines, columns, counts = kernels.arff_sparse_rows(
            view, position, self.values.coded
        )
        if not self.fill(numbers, columns[words[:, 0]], words, text) or not _are_binary(
            numbers[self.values.binary[columns]]
        ):
            return self.line_by_line(text, position, stop)
        self.parts.append(_Entries(counts, columns, numbers))
        self.n_lines += n_lines
        return int(stop)

    def fill(self, numbers: Array, columns: Array, words: Array, text: bytes) -> bool:
        """Whether all words found by a kernel have a number."""
        try:
            self.values.fill(numbers, columns, words, text)
        except ValueError:
            return False
        return True

    def line_by_line(self, text: bytes, position: int, stop: int) -> int:
        """Read the lines of the kernel again in Python if they have a wrong word; the error then names its position."""
        while position < stop:
            position = self.one_line(text, position)
        return position

    def one_line(self, text: bytes, position: int) -> int:
        """Read one line in Python, and return the position after it."""
        end = text.find(b"\n", position)
        end = len(text) if end < 0 else end
        self.n_lines += 1
        line = text[position:end].decode(self.values.encoding, "replace")
        row = line.strip()
        if row and row[0] != "%":
            parser = LineParser(self.values, line, self.path, self.n_lines)
            if row[0] == "{":
                entries = sorted(parser.sparse().items())
                columns = np.array([column for column, _ in entries], dtype=np.int64)
                self.parts.append(
                    _Entries(np.array([len(entries)]), columns, np.array([n for _, n in entries]))
                )
            else:
                self.parts.append(np.array([parser.dense()]))
        return end + 1

    def matrix(self) -> Matrix:
        """Everything read so far."""
        width = len(self.values.types)
        if not any(isinstance(part, _Entries) for part in self.parts):
            return np.concatenate([np.zeros((0, width)), *self.parts])
        parts = [part if isinstance(part, _Entries) else _entries(part) for part in self.parts]
        counts, columns, numbers = (np.concatenate(pieces) for pieces in zip(*parts))
        indptr = np.concatenate([[0], np.cumsum(counts)])
        matrix = sparse.csr_array((numbers, columns, indptr), shape=(len(counts), width))
        matrix.eliminate_zeros()
        return matrix


def _entries(rows: Floats) -> _Entries:
    n_rows, width = rows.shape
    return _Entries(np.full(n_rows, width), np.tile(np.arange(width), n_rows), rows.ravel())


def _are_binary(numbers: Array) -> bool:
    return bool(((numbers == 0) | (numbers == 1) | np.isnan(numbers)).all())
