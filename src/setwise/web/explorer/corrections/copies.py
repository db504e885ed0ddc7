"""A corrected copy of the data: the entries as they were, with the labels that were corrected."""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from setwise.contract import FREE, Labels
from setwise.tables.labels.tag_lists import read_list, split_tags
from setwise.tables.schema import TagColumn
from setwise.tables.table import Table
from setwise.views.csv_lines import write_csv_lines
from setwise.web.explorer.rows import ExploredRows

Copy = Callable[[Labels, Labels], str]
"""Makes the text of a CSV file of the given and the corrected labels."""


@dataclass(frozen=True)
class PlainCopy:
    """Columns of the rows, then a column of 0 and 1 for every label."""

    rows: ExploredRows
    label_names: Sequence[str]

    def __call__(self, given: Labels, corrected: Labels) -> str:
        """The text of the file."""
        columns = [self.rows.column(name) for name in self.rows.columns]
        lines = (
            [*("" if column[row] is None else column[row] for column in columns), *_words(corrected[row])]
            for row in range(self.rows.n_rows)
        )
        return _csv([[*self.rows.columns, *self.label_names], *lines])


@dataclass(frozen=True)
class TableCopy:
    """All columns of the file; in the rows that changed, the labels are written as the file writes them.

    Parameters
    ----------
    table : Table
        The whole file.
    label_names : sequence of str
    tags : TagColumn or None
        The column that lists the labels; if there is none, every label has a column.
    delimiter, newline : str
        Those of the file.
    """

    table: Table
    label_names: Sequence[str]
    tags: TagColumn | None
    delimiter: str = ","
    newline: str = "\n"

    def __call__(self, given: Labels, corrected: Labels) -> str:
        """The text of the file."""
        columns: list[list[Any]] = [list(column) for column in self.table.columns]
        for row in np.flatnonzero((given != corrected).any(axis=1)):
            if self.tags is None:
                self._set_columns(columns, int(row), given, corrected)
            else:
                cells = columns[self.table.names.index(self.tags.column)]
                cells[row] = self._tags(cells[row], corrected[row], self.tags.separator)
        lines = ([_text(column[row]) for column in columns] for row in range(self.table.n_rows))
        return _csv([self.table.names, *lines], self.delimiter, self.newline)

    def _set_columns(self, columns: list[list[Any]], row: int, given: Labels, corrected: Labels) -> None:
        for label in np.flatnonzero(given[row] != corrected[row]).tolist():
            column = columns[self.table.names.index(self.label_names[label])]
            like = np.flatnonzero(given[:, label] == corrected[row, label])
            # a value that no row has is written as a digit
            column[row] = column[like[0]] if like.size else str(int(corrected[row, label]))

    def _tags(self, cell: Any, corrected: Labels, separator: str) -> str:
        """A list of tags in the form of the old one; tags that are not labels of the model stay."""
        now = [self.label_names[label] for label in np.flatnonzero(corrected == 1).tolist()]
        old = [] if cell is None else split_tags(cell, separator)
        kept = [tag for tag in old if tag in now or tag not in self.label_names]
        tags = [*kept, *(tag for tag in now if tag not in kept)]
        if cell is not None and read_list(str(cell).strip()) is not None:
            return json.dumps(tags, ensure_ascii=False)
        return separator.join(tags)


def _words(labels: Labels) -> list[str]:
    return ["" if value == FREE else str(value) for value in labels.tolist()]


def _text(entry: Any) -> str:
    return "" if entry is None else str(entry)


def _csv(lines: Sequence[Sequence[Any]], delimiter: str = ",", newline: str = "\n") -> str:
    out = io.StringIO()
    write_csv_lines(out, lines, delimiter, newline)
    return out.getvalue()
