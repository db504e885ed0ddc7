"""What the commands that run experiments share: a progress bar, and tables to the terminal and to files."""

from __future__ import annotations

import argparse
import json
import math
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from rich import progress as bars
from rich.console import Console
from rich.markup import escape
from rich.table import Table as RichTable

from setwise.atomic import check_target, replacing
from setwise.evaluation.journal import Record
from setwise.evaluation.runner import Watcher
from setwise.reports import Report
from setwise.views import Table

COLOURS = {
    "better": "green",
    "level": "green",
    "worse": "red",
    "failed": "red",
    "not built": "dim",
    "no data": "dim",
}


def add_output_arguments(parser: argparse.ArgumentParser) -> None:
    """How to run, and where the results go."""
    parser.add_argument("--jobs", type=int, metavar="N", help="tasks at a time (default: one per core)")
    parser.add_argument("--journal", metavar="FILE", help="keep results here; a stopped run goes on from it")
    add_report_arguments(parser)


def add_report_arguments(parser: argparse.ArgumentParser) -> None:
    """Where the results go."""
    parser.add_argument("--csv", metavar="FILE", help="write the numbers as one CSV table, not rounded")
    parser.add_argument("--markdown", metavar="FILE", help="write the tables as Markdown")
    parser.add_argument("--html", metavar="FILE", help="write a self-contained report with figures")
    parser.add_argument("--json", action="store_true", help="print JSON instead of tables")


def check_outputs(outputs: Iterable[str | None], read: Iterable[str | os.PathLike[str]]) -> None:
    """Before any work: an error where a file could not be written, or would take the place of one that is read.

    An output that is None was not asked for. Two outputs must be two files.
    """
    asked = [output for output in outputs if output is not None]
    for output in asked:
        check_target(output)
    _check_apart(asked, read)


def check_reports(options: argparse.Namespace, read: Iterable[str | os.PathLike[str]]) -> None:
    """:func:`check_outputs` of the files that :func:`finish` writes, and of the journal of a command that has one."""
    read = list(read)
    check_outputs([options.csv, options.markdown, options.html], read)
    files = [options.csv, options.markdown, options.html, getattr(options, "journal", None)]
    _check_apart([file for file in files if file is not None], read)  # a journal makes its folder itself


def _check_apart(outputs: list[str], read: Iterable[str | os.PathLike[str]]) -> None:
    taken = [path for path in read if Path(path).is_file()]
    for place, output in enumerate(outputs):
        if any(_is_same(output, path) for path in taken):
            raise ValueError(f"{output} is a file that is read; name another")
        if any(_is_same(output, other) for other in outputs[:place]):
            raise ValueError(f"{output} would be written twice; name two files")


def _is_same(one: str | os.PathLike[str], other: str | os.PathLike[str]) -> bool:
    """Whether two paths lead to one file, which need not exist yet."""
    if os.path.exists(one) and os.path.exists(other):
        return os.path.samefile(one, other)
    return os.path.realpath(one) == os.path.realpath(other)


@contextmanager
def progress(title: str, options: argparse.Namespace) -> Iterator[Watcher]:
    """A progress bar with the time left, on standard error; failures are told as they come."""
    console = Console(stderr=True)
    columns = (
        bars.TextColumn("[bold]{task.description}"),
        bars.BarColumn(),
        bars.MofNCompleteColumn(),
        bars.TimeElapsedColumn(),
        bars.TimeRemainingColumn(),
        bars.TextColumn("{task.fields[last]}"),
    )
    with bars.Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
        shown = bar.add_task(title, total=None, last="")

        def watch(record: Record, done: int, total: int) -> None:
            last = escape(f"{record['data']} {record['method']} {record['repeat']}")
            bar.update(shown, completed=done, total=total, last=last)
            if "error" in record:
                bar.console.print(f"[red]failed[/] {last}: {escape(record['error'])}")
                if options.debug:
                    bar.console.print(escape(record.get("traceback", "")))

        yield watch


def finish(report: Report, flat: Table, records: list[dict[str, Any]], options: argparse.Namespace) -> None:
    """Print the tables of the report, or the records as JSON, and write the files asked for.

    The CSV file holds ``flat``: one table of one kind of row, as programs read it.
    """
    _write_files(report, flat, options)
    if options.json:
        print_json({"title": report.title, "subtitle": report.subtitle, "records": records})
    else:
        console = Console()
        console.print(f"[bold]{escape(report.title)}[/]\n{escape(report.subtitle)}\n")
        for table in report.tables():
            print_table(table)


def flat_table(columns: list[str], rows: Iterable[Iterable[Any]]) -> Table:
    """A table of values for programs: numbers to the last bit, nothing where there is none."""
    return Table("", columns, [["" if value is None else str(value) for value in row] for row in rows])


def _write_files(report: Report, flat: Table, options: argparse.Namespace) -> None:
    """The files come before the terminal, whose other end may be closed; each is whole or not there."""
    contents = {
        options.csv: flat.to_csv,
        options.markdown: report.to_markdown,
        options.html: report.to_html,
    }
    for path, content in contents.items():
        if path is not None:
            with replacing(path) as file:
                file.write(content().encode())


def print_json(value: Any) -> None:
    """Print strict JSON."""
    print(json_text(value, indent=1))


def json_text(value: Any, indent: int | None = None) -> str:
    """Strict JSON; what it has no form for, such as a date, is its text."""
    return json.dumps(_strict(value), indent=indent, ensure_ascii=False, default=str)


def print_table(table: Table) -> None:
    """Print a table, in parts where it is wider than the terminal."""
    console = Console()
    for part in _fitting(table, console.width):
        console.print(_rich(part))


def _fitting(table: Table, width: int) -> list[Table]:
    """The table in parts as wide as the terminal, each with the first column."""
    needs = [max(len(row[j]) for row in [table.columns, *table.rows]) + 3 for j in range(len(table.columns))]
    parts: list[list[int]] = [[0]]
    for j in range(1, len(needs)):
        if len(parts[-1]) > 1 and 1 + sum(needs[i] for i in parts[-1]) + needs[j] > width:
            parts.append([0])
        parts[-1].append(j)
    return [
        Table(
            table.title if number == 0 else "",
            [table.columns[j] for j in part],
            [[row[j] for j in part] for row in table.rows],
            table.notes if number == len(parts) - 1 else [],
        )
        for number, part in enumerate(parts)
    ]


def _rich(table: Table) -> RichTable:
    shown = RichTable(title=escape(table.title) or None, title_justify="left", caption_justify="left")
    for j, column in enumerate(table.columns):
        shown.add_column(escape(column), justify="left" if j == 0 else "right")
    for row in table.rows:
        shown.add_row(*map(escape, row), style=COLOURS.get(row[-1]))
    shown.caption = escape("\n".join(f"* {note}" for note in table.notes)) or None
    return shown


def _strict(value: Any) -> Any:
    """JSON has no infinities: they become the strings "inf", "-inf" and "nan"."""
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    if isinstance(value, dict):
        return {name: _strict(inner) for name, inner in value.items()}
    return [_strict(inner) for inner in value] if isinstance(value, (list, tuple)) else value
