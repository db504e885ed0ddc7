"""Answers as lines: CSV, TSV and JSON lines."""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator
from typing import Any

from setwise.cli.answers.answers import Answers
from setwise.cli.output_files import Output
from setwise.cli.terminal import json_text
from setwise.tables.files.csv_safety import safe_cell
from setwise.views.csv_lines import write_csv_lines


def write_csv(parts: Iterable[Answers], file: Output, delimiter: str = ",", *, safe: bool = False) -> None:
    """Write a header and a line for each row; ``safe`` quotes what a spreadsheet would run."""
    for number, part in enumerate(parts):
        lines = io.StringIO(newline="")
        rows: Iterable[Iterable[Any]] = table_rows(part, with_header=number == 0)
        if safe:
            rows = ([safe_cell(cell) for cell in row] for row in rows)
        write_csv_lines(lines, rows, delimiter)
        file.write(lines.getvalue().encode(errors="backslashreplace"))


def write_json_lines(parts: Iterable[Answers], file: Output) -> None:
    """Write one object for each row."""
    for part in parts:
        file.write("".join(json_text(record) + "\n" for record in part.records()).encode())


def table_rows(part: Answers, *, with_header: bool) -> Iterator[list[Any]]:
    """The answers as rows of a table."""
    columns = part.columns()
    if with_header:
        yield list(columns)
    for row in zip(*(column.tolist() for column in columns.values())):
        yield list(row)
