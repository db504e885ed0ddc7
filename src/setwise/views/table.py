"""A table as text, CSV, Markdown and HTML; the content of cells is escaped."""

from __future__ import annotations

import io
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, overload

from setwise.printable import printable
from setwise.views.csv_lines import write_csv_lines
from setwise.views.frames import Library, data_frame
from setwise.views.text import escape_html, one_line, text_width

if TYPE_CHECKING:
    import pandas
    import polars

LONG = 40
"""Number of rows above which the HTML table is folded."""
LONGEST_CELL = 200
"""Maximum number of characters of a cell in a table of text."""
NUMERIC, TEXT = ' class="n"', ' style="text-align:left"'
NUMBER = re.compile(r"[-+]?[\d.,]+(e[-+]?\d+)?( ± [\d.,]+)?[%*]?|-|[-+]?inf|nan|")


@dataclass(frozen=True)
class Table:
    """Rows of text under a title, with notes below.

    Parameters
    ----------
    title : str
        Heading of the table; may be empty.
    columns : list of str
        Heads of the columns.
    rows : list of list of str
        Cells, row by row. They may hold anything: each format escapes them.
    notes : list of str
        Remarks, shown below.

    Examples
    --------
    >>> print(Table("Scores", ["method", "score"], [["BR", "0.265"], ["SC", "12.32"]], ["ten folds"]))
    Scores
    method  score
    ------  -----
    BR      0.265
    SC      12.32
    * ten folds
    """

    title: str
    columns: list[str]
    rows: list[list[str]]
    notes: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        cells = [[one_line(cell, LONGEST_CELL) for cell in row] for row in [self.columns, *self.rows]]
        widths = [max(map(text_width, column)) for column in zip(*cells)]
        right = [self._is_numeric(j) for j in range(len(self.columns))]
        lines = [
            "  ".join(map(_padded, row, widths, right)).rstrip()
            for row in [cells[0], ["-" * width for width in widths], *cells[1:]]
        ]
        title = [one_line(self.title, LONGEST_CELL)] if self.title else []
        return "\n".join([*title, *lines, *(f"* {one_line(note, LONGEST_CELL)}" for note in self.notes)])

    def _repr_html_(self) -> str:
        return self.to_html()

    @overload
    def to_frame(self, library: Literal["pandas"] = ...) -> pandas.DataFrame: ...
    @overload
    def to_frame(self, library: Literal["polars"]) -> polars.DataFrame: ...
    @overload
    def to_frame(self, library: Library) -> pandas.DataFrame | polars.DataFrame: ...
    def to_frame(self, library: Library = "pandas") -> pandas.DataFrame | polars.DataFrame:
        """Put the table in a data frame; a column whose cells are all numbers holds numbers.

        Parameters
        ----------
        library : {"pandas", "polars"}
            Which kind of data frame.

        Returns
        -------
        pandas.DataFrame or polars.DataFrame

        Examples
        --------
        >>> Table("", ["method", "score"], [["BR", "0.265"]]).to_frame()["score"].tolist()
        [0.265]
        """
        cells = zip(*self.rows) if self.rows else [()] * len(self.columns)
        return data_frame(dict(zip(self.columns, map(_numbers, cells))), library)

    def to_csv(self) -> str:
        """Write the table as CSV, header first.

        Returns
        -------
        str

        Examples
        --------
        >>> Table("", ["method", "score"], [["BR", "0.265"]]).to_csv()
        'method,score\\nBR,0.265\\n'
        """
        out = io.StringIO()
        write_csv_lines(out, [self.columns, *self.rows])
        return out.getvalue()

    def to_markdown(self) -> str:
        """Write the table as Markdown, under a heading of the second level.

        Returns
        -------
        str

        Examples
        --------
        >>> print(Table("Scores", ["method", "score"], [["BR", "0.265"]]).to_markdown())
        ## Scores
        <BLANKLINE>
        | method | score |
        |---|---:|
        | BR | 0.265 |
        <BLANKLINE>
        """
        rule = "|".join("---:" if self._is_numeric(j) else "---" for j in range(len(self.columns)))
        lines = [_markdown_row(self.columns), f"|{rule}|", *map(_markdown_row, self.rows)]
        notes = [f"\n{printable(note)}" for note in self.notes]
        return "\n".join([f"## {printable(self.title)}\n", *lines, *notes]) + "\n"

    def to_html(self) -> str:
        """Write the table as a part of a page; a long one is folded.

        Returns
        -------
        str

        Examples
        --------
        >>> "&lt;b&gt;" in Table("", ["<b>"], [["1"]]).to_html()
        True
        """
        # Notebooks right-align all cells by default.
        kinds = [NUMERIC if self._is_numeric(j) else TEXT for j in range(len(self.columns))]
        head = "".join(f"<th{kind}>{escape_html(column)}</th>" for kind, column in zip(kinds, self.columns))
        body = "\n".join(_html_row(row, kinds) for row in self.rows)
        table = f"<table><thead><tr>{head}</tr></thead>\n<tbody>{body}</tbody></table>"
        if len(self.rows) > LONG:
            table = f"<details><summary>{len(self.rows)} rows</summary>{table}</details>"
        notes = "".join(f"<li>{escape_html(note)}</li>" for note in self.notes)
        title = f"<h3>{escape_html(self.title)}</h3>" if self.title else ""
        return f'{title}<div class="wide">{table}</div>' + (f"<ul>{notes}</ul>" if notes else "")

    def _is_numeric(self, column: int) -> bool:
        return bool(self.rows) and all(NUMBER.fullmatch(row[column]) for row in self.rows)


VERDICTS = ("better", "level", "worse", "not built", "failed", "no data")


def _html_row(row: list[str], kinds: list[str]) -> str:
    verdict = next((verdict.replace(" ", "-") for verdict in VERDICTS if verdict in row[-1:]), "plain")
    cells = "".join(f"<td{kind}>{escape_html(cell)}</td>" for kind, cell in zip(kinds, row))
    return f'<tr class="{verdict}">{cells}</tr>'


def _markdown_row(row: list[str]) -> str:
    return "| " + " | ".join(printable(cell.replace("\n", " ")).replace("|", r"\|") for cell in row) + " |"


def _numbers(cells: Sequence[str]) -> list[str] | list[float]:
    """Convert the cells of a column to numbers if all of them are; empty cells and dashes become NaN."""
    try:
        return [float("nan") if cell in ("", "-") else float(cell) for cell in cells]
    except ValueError:
        return list(cells)


def _padded(cell: str, width: int, right: bool) -> str:
    space = " " * (width - text_width(cell))
    return space + cell if right else cell + space
