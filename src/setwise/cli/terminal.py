"""Tables, text and JSON on standard output."""

from __future__ import annotations

import json
import math
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.table import Table as RichTable

from setwise.printable import json_printable, printable
from setwise.views import Table

COLOURS = {
    "better": "green",
    "level": "green",
    "worse": "red",
    "failed": "red",
    "not built": "dim",
    "no data": "dim",
}
"""Colours of rows by their last cell."""


def shown(text: str) -> str:
    """Escape text from data for rich: no markup, no control characters.

    Examples
    --------
    >>> print(shown("[bold]red\\x1b[2J"))
    \\[bold]red\\x1b[2J
    """
    return escape(printable(text))


def print_heading(title: str, subtitle: str) -> None:
    """Print a title in bold, and a line below."""
    Console().print(f"[bold]{shown(title)}[/]\n{shown(subtitle)}\n")


def print_json(value: Any) -> None:
    """Print strict JSON."""
    print(json_text(value, indent=1))


def json_text(value: Any, indent: int | None = None) -> str:
    """Convert to strict JSON; a value without a JSON form, such as a date, becomes text."""
    return json_printable(json.dumps(_strict(value), indent=indent, ensure_ascii=False, default=str))


def print_table(table: Table) -> None:
    """Print a table, in parts if it is wider than the terminal."""
    console = Console()
    for part in _fitting(table, console.width):
        console.print(_rich(part))


def _fitting(table: Table, width: int) -> list[Table]:
    """Split a table into parts as wide as the terminal, each with the first column."""
    cells = [[printable(cell) for cell in row] for row in [table.columns, *table.rows]]
    needs = [max(len(row[j]) for row in cells) + 3 for j in range(len(table.columns))]
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
    made = RichTable(title=shown(table.title) or None, title_justify="left", caption_justify="left")
    for j, column in enumerate(table.columns):
        made.add_column(shown(column), justify="left" if j == 0 else "right")
    for row in table.rows:
        made.add_row(*map(shown, row), style=COLOURS.get(row[-1]))
    made.caption = "\n".join(f"* {shown(note)}" for note in table.notes) or None
    return made


def _strict(value: Any) -> Any:
    """Replace numbers that JSON lacks by the strings "inf", "-inf" and "nan"."""
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    if isinstance(value, dict):
        return {name: _strict(inner) for name, inner in value.items()}
    return [_strict(inner) for inner in value] if isinstance(value, (list, tuple)) else value
