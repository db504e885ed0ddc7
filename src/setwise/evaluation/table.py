"""A table as text, CSV, Markdown and HTML; whatever the cells hold is escaped."""

from __future__ import annotations

import html
import io
import re
from dataclasses import dataclass, field

import numpy as np

from setwise.datasets.writing import write_csv_lines
from setwise.evaluation.protocol import Estimate

LONG = 40
"""Rows above which the HTML table is folded."""
NUMBER = re.compile(r"[-+]?[\d.,]+( ± [\d.,]+)?[%*]?|-|[-+]?inf|nan|")


@dataclass(frozen=True)
class Table:
    """Rows of text under a title, with notes below.

    Examples
    --------
    >>> print(Table("Scores", ["method", "score"], [["BR", "0.265"], ["SC", "0.322"]], ["ten folds"]))
    Scores
    method  score
    ------  -----
    BR      0.265
    SC      0.322
    * ten folds
    """

    title: str
    columns: list[str]
    rows: list[list[str]]
    notes: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        cells = [self.columns, *self.rows]
        widths = [max(len(row[j]) for row in cells) for j in range(len(self.columns))]
        lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip() for row in cells]
        rule = "  ".join("-" * width for width in widths)
        return "\n".join([self.title, lines[0], rule, *lines[1:], *(f"* {note}" for note in self.notes)])

    def to_csv(self) -> str:
        """The table as CSV, header first."""
        out = io.StringIO()
        write_csv_lines(out, [self.columns, *self.rows])
        return out.getvalue()

    def to_markdown(self) -> str:
        """The table as Markdown, under a heading of the third level."""
        rule = "|".join("---:" if self._is_numeric(j) else "---" for j in range(len(self.columns)))
        lines = [_markdown_row(self.columns), f"|{rule}|", *map(_markdown_row, self.rows)]
        notes = [f"\n{note}" for note in self.notes]
        return "\n".join([f"### {self.title}\n", *lines, *notes]) + "\n"

    def to_html(self) -> str:
        """The table as a part of a page; a long one is folded."""
        escape = html.escape
        kinds = [' class="n"' if self._is_numeric(j) else "" for j in range(len(self.columns))]
        head = "".join(f"<th{kind}>{escape(column)}</th>" for kind, column in zip(kinds, self.columns))
        body = "\n".join(_html_row(row, kinds) for row in self.rows)
        table = f"<table><thead><tr>{head}</tr></thead>\n<tbody>{body}</tbody></table>"
        if len(self.rows) > LONG:
            table = f"<details><summary>{len(self.rows)} rows</summary>{table}</details>"
        notes = "".join(f"<li>{escape(note)}</li>" for note in self.notes)
        title = f"<h3>{escape(self.title)}</h3>" if self.title else ""
        return f'{title}<div class="wide">{table}</div>' + (f"<ul>{notes}</ul>" if notes else "")

    def _is_numeric(self, column: int) -> bool:
        return all(NUMBER.fullmatch(row[column]) for row in self.rows)


VERDICTS = ("better", "level", "worse", "not built", "failed", "no data")


def _html_row(row: list[str], kinds: list[str]) -> str:
    verdict = next((verdict.replace(" ", "-") for verdict in VERDICTS if verdict in row[-1:]), "plain")
    cells = "".join(f"<td{kind}>{html.escape(cell)}</td>" for kind, cell in zip(kinds, row))
    return f'<tr class="{verdict}">{cells}</tr>'


def _markdown_row(row: list[str]) -> str:
    return "| " + " | ".join(cell.replace("|", r"\|").replace("\n", " ") for cell in row) + " |"


def number(estimate: Estimate) -> str:
    """A mean with its standard error, as wide as its size asks for.

    Examples
    --------
    >>> number(Estimate(0.2512, 0.0123, 10)), number(Estimate(153.04, 2.21, 10))
    ('0.251 ± 0.012', '153.0 ± 2.2')
    """
    digits = 3 if abs(estimate.mean) < 10 else 1
    error = "" if np.isnan(estimate.standard_error) else f" ± {estimate.standard_error:.{digits}f}"
    return f"{estimate.mean:.{digits}f}{error}"
