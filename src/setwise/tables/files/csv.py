"""CSV and TSV files as tables."""

from __future__ import annotations

import csv
import io
import os
from collections.abc import Sequence
from pathlib import Path

from setwise.errors import InputError, Parameter
from setwise.files.errors import DataFormatError, too_large
from setwise.files.limits import limits
from setwise.files.text import blocks, decode
from setwise.tables.entries import is_number
from setwise.tables.files.decimal_commas import with_point
from setwise.tables.table import Table


def csv_table(path: str | os.PathLike[str], delimiter: str | None = None) -> Table:
    """Read the columns of a CSV or TSV file; entries stay text, also those that mean a missing value."""
    delimiter = csv_delimiter(path) if delimiter is None else delimiter
    if len(delimiter) != 1:
        raise InputError("expected one character", parameter=Parameter("delimiter", delimiter), file=path)
    text, _ = decode(b"".join(blocks(path)))
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    rows, lines = [], []
    try:
        names = [name.strip() for name in next(reader, [])]
        _check_header(names, delimiter, path)
        for row in reader:
            if len(row) == len(names):
                rows.append(row)
                lines.append(reader.line_num)
            elif row:
                message = f"expected {len(names)} fields, found {len(row)}"
                position = min(len(row), len(names)) + 1
                raise DataFormatError(message, file=path, line=reader.line_num, position=position)
    except csv.Error as error:
        message = f"expected fields between {delimiter!r}: {error}"
        raise DataFormatError(message, file=path, line=reader.line_num) from error
    columns = list(zip(*rows)) if rows else [()] * len(names)
    return Table(names, columns, lines.__getitem__, path)


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
