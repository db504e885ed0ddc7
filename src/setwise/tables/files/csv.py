"""CSV and TSV files as tables."""

from __future__ import annotations

import csv
import os
from array import array
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

from setwise.errors import InputError, Parameter
from setwise.files.errors import DataFormatError, too_large
from setwise.files.limits import limits
from setwise.files.progress import reading
from setwise.files.text import text_lines
from setwise.tables.entries import is_number
from setwise.tables.files.decimal_commas import with_point
from setwise.tables.table import Table

STEP = 2**12
"""Rows that become entries of columns at a time."""
FEW_ENTRIES = 2**10
"""Different entries of a column that are stored once, however often they recur."""


def csv_table(path: str | os.PathLike[str], delimiter: str | None = None) -> Table:
    """Read the columns of a CSV or TSV file; entries stay text, also those that mean a missing value."""
    return next(csv_chunks(path, delimiter))


def csv_chunks(
    path: str | os.PathLike[str], delimiter: str | None = None, n_rows: int | None = None
) -> Iterator[Table]:
    r"""Read the columns of a CSV or TSV file, some rows at a time; without rows there is one empty table.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder) / "toy.csv"
    ...     _ = path.write_text("size,colour\n1,red\n2,blue\n3,red\n")
    ...     [table.columns for table in csv_chunks(path, n_rows=2)]
    [[['1', '2'], ['red', 'blue']], [['3'], ['red']]]
    """
    delimiter = csv_delimiter(path) if delimiter is None else delimiter
    if len(delimiter) != 1:
        raise InputError("expected one character", parameter=Parameter("delimiter", delimiter), file=path)
    reader = csv.reader(text_lines(path), delimiter=delimiter, strict=True)
    try:
        names = [name.strip() for name in next(reader, [])]
        _check_header(names, delimiter, path)
        table = _take_rows(reader, names, path, n_rows)
        yield table
        while n_rows is not None and table.n_rows == n_rows:
            table = _take_rows(reader, names, path, n_rows)
            if table.n_rows:
                yield table
    except csv.Error as error:
        message = f"expected fields between {delimiter!r}: {error}"
        raise DataFormatError(message, file=path, line=reader.line_num) from error


def _take_rows(reader: Any, names: list[str], path: str | os.PathLike[str], n_rows: int | None) -> Table:
    """The next rows as columns; entries that recur share their memory."""
    lines = array("q")
    rows = islice(_rows(reader, len(names), path, lines), n_rows)
    columns: list[list[str]] = [[] for _ in names]
    known: list[dict[str, str]] = [{} for _ in names]
    while step := list(islice(rows, STEP)):
        for column, seen, entries in zip(columns, known, zip(*step)):
            column.extend(map(seen.setdefault, entries, entries) if len(seen) < FEW_ENTRIES else entries)
        reading().rows += len(step)
    return Table(names, columns, lines.__getitem__, path)


def _rows(reader: Any, n_fields: int, path: str | os.PathLike[str], lines: array[int]) -> Iterator[list[str]]:
    """Rows that have as many fields as the header; empty lines are not rows. The line of each is appended."""
    for row in reader:
        if len(row) == n_fields:
            lines.append(reader.line_num)
            yield row
        elif row:
            message = f"expected {n_fields} fields, found {len(row)}"
            position = min(len(row), n_fields) + 1
            raise DataFormatError(message, file=path, line=reader.line_num, position=position)


def csv_delimiter(path: str | os.PathLike[str]) -> str:
    """The usual delimiter of a file: a tab if it is called .tsv, else a comma."""
    return "\t" if ".tsv" in Path(path).suffixes else ","


def _check_header(names: Sequence[str], delimiter: str, path: str | os.PathLike[str]) -> None:
    """Refuse a first line that does not hold names; ``inf`` may be one, and whole numbers that all differ."""
    expected = "expected a header line with the names of the columns"
    if not names:
        raise DataFormatError(f"{expected}, found nothing", file=path, line=1)
    if len(names) > limits().columns:
        raise too_large(f"{len(names)} columns, more than the {limits().columns} allowed", path, 1)
    numbers = all(any(map(str.isdigit, name)) and is_number(with_point(name)) for name in names)
    counted = len(set(names)) == len(names) and all(name.isdecimal() for name in names)
    if numbers and not counted:
        message = f"{expected}, found numbers: {','.join(names)[:40]}"
        raise DataFormatError(message, file=path, line=1, hint="put a line with names first")
    others = [other for other in ",;\t" if other != delimiter and other in names[0]]
    if len(names) == 1 and others:
        message = f"expected {delimiter!r} between the names of the columns, found {names[0][:40]!r}"
        hint = (f"if {others[0]!r} is between them, pass ", Parameter("delimiter", others[0]))
        raise DataFormatError(message, file=path, line=1, hint=hint)
