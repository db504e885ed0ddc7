"""Tables from files of every format, whole or some rows at a time."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from setwise.tables.files.csv import csv_chunks
from setwise.tables.files.excel import excel_chunks
from setwise.tables.files.parquet import parquet_chunks
from setwise.tables.table import Table

CSV = (".csv", ".tsv")
TABLES = (*CSV, ".parquet", ".xlsx")
"""Suffixes of the files that hold tables."""


def read_table(path: str | os.PathLike[str], delimiter: str | None = None) -> Table:
    """Read a table; ``delimiter`` is that of a CSV file."""
    return next(table_chunks(path, delimiter))


def table_chunks(
    path: str | os.PathLike[str], delimiter: str | None = None, n_rows: int | None = None
) -> Iterator[Table]:
    """Read a table, some rows at a time; without rows there is one empty table.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder) / "toy.csv"
    ...     _ = path.write_text("size\\n1\\n2\\n")
    ...     [table.columns for table in table_chunks(path, n_rows=1)]
    [[['1']], [['2']]]
    """
    suffixes = [suffix.lower() for suffix in Path(path).suffixes]
    if ".parquet" in suffixes:
        return parquet_chunks(path, n_rows)
    return excel_chunks(path, n_rows) if ".xlsx" in suffixes else csv_chunks(path, delimiter, n_rows)
