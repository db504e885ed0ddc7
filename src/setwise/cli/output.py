"""Reports of the commands: on the terminal, as JSON, and as files."""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from typing import Any

from setwise.cli.arguments import add_csv_safe_argument
from setwise.cli.output_files import write_output
from setwise.cli.terminal import print_heading, print_json, print_table
from setwise.reports import Report
from setwise.tables.files.csv_safety import safe_table
from setwise.views import Table


def add_experiment_arguments(parser: argparse.ArgumentParser) -> None:
    """How to run experiments, and where the results go."""
    parser.add_argument("--jobs", type=int, metavar="N", help="tasks at a time (default: one per core)")
    parser.add_argument(
        "--journal", metavar="FILE", help="keep results here; a stopped run continues from it"
    )
    add_report_arguments(parser)


def add_report_arguments(parser: argparse.ArgumentParser) -> None:
    """Where the results go."""
    parser.add_argument("--csv", metavar="FILE", help="write the numbers as one CSV table, not rounded")
    parser.add_argument("--markdown", metavar="FILE", help="write the tables as Markdown")
    parser.add_argument("--html", metavar="FILE", help="write a self-contained report with figures")
    parser.add_argument("--json", action="store_true", help="print JSON instead of tables")
    add_csv_safe_argument(parser)


def finish(
    report: Report,
    flat: Table,
    records: list[dict[str, Any]],
    options: argparse.Namespace,
    page: Report | None = None,
) -> None:
    """Write the requested files, then print the tables of the report, or the records as JSON.

    The files come first, because standard output may be closed. The CSV file contains ``flat``: one table with one kind
    of row, for programs. ``page`` is what HTML and Markdown show if that is more than the terminal does.
    """
    page = page or report
    contents = {
        options.csv: (safe_table(flat) if options.csv_safe else flat).to_csv,
        options.markdown: page.to_markdown,
        options.html: page.to_html,
    }
    for path, content in contents.items():
        if path is not None:
            write_output(content().encode(), path)
    if options.json:
        print_json({"title": report.title, "subtitle": report.subtitle, "records": records})
        return
    print_heading(report.title, report.subtitle)
    for table in report.tables():
        print_table(table)


def flat_table(columns: list[str], rows: Iterable[Iterable[Any]]) -> Table:
    """A table of values for programs: numbers to the last bit, empty cells for missing values."""
    return Table("", columns, [["" if value is None else str(value) for value in row] for row in rows])
