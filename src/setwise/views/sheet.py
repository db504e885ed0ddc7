"""Columns of values, from which data frames and tables of text are made."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal, overload

import numpy as np
import numpy.typing as npt

from setwise.views.frames import Library, RowNames, data_frame
from setwise.views.table import Table
from setwise.views.text import cell_text

if TYPE_CHECKING:
    import pandas
    import polars

ROW = "row"
"""Head of the column of row names, unless they have a name."""


@dataclass(frozen=True)
class Sheet:
    """Columns of values, one line after another.

    Parameters
    ----------
    columns : mapping of str to sequence
        The values of each column, all of one length.
    rows : array of int, optional
        Position of the row that each line is about; a row may have several lines.
    row_names : pandas Index or array, optional
        Names of all rows, their positions by default.

    Examples
    --------
    >>> sheet = Sheet({"set": ["sea, sand", "sea"], "probability": [0.75, 0.25]}, np.array([7, 7]))
    >>> print(sheet.to_table("The best sets"))
    The best sets
    row  set        probability
    ---  ---------  -----------
      7  sea, sand        0.750
         sea              0.250
    >>> sheet.to_frame("polars").columns
    ['row', 'set', 'probability']
    """

    columns: Mapping[str, Sequence[Any] | npt.NDArray[Any]]
    rows: npt.NDArray[np.intp] | None = None
    row_names: RowNames | None = None

    def __len__(self) -> int:
        return len(next(iter(self.columns.values())))

    def first(self, n_lines: int) -> Sheet:
        """Keep the first lines.

        Parameters
        ----------
        n_lines : int
            How many at most.

        Returns
        -------
        Sheet
        """
        rows = None if self.rows is None else self.rows[:n_lines]
        return replace(self, columns={n: values[:n_lines] for n, values in self.columns.items()}, rows=rows)

    def only(self, *names: str) -> Sheet:
        """Keep some of the columns.

        Parameters
        ----------
        *names : str
            Names of the columns, in the order they are wanted.

        Returns
        -------
        Sheet
        """
        return replace(self, columns={name: self.columns[name] for name in names})

    def to_table(self, title: str = "", notes: Sequence[str] = ()) -> Table:
        """Write the values as text; a row is named in its first line only.

        Parameters
        ----------
        title : str
            Heading of the table.
        notes : sequence of str
            Remarks below it.

        Returns
        -------
        Table
        """
        columns = {name: [cell_text(value) for value in values] for name, values in self.columns.items()}
        if self.rows is not None:
            columns = {self._head(): self._row_cells(self.rows), **columns}
        return Table(title, list(columns), [list(row) for row in zip(*columns.values())], list(notes))

    @overload
    def to_frame(self, library: Literal["pandas"] = ...) -> pandas.DataFrame: ...
    @overload
    def to_frame(self, library: Literal["polars"]) -> polars.DataFrame: ...
    @overload
    def to_frame(self, library: Library) -> pandas.DataFrame | polars.DataFrame: ...
    def to_frame(self, library: Library = "pandas") -> pandas.DataFrame | polars.DataFrame:
        """Put the columns in a data frame.

        Parameters
        ----------
        library : {"pandas", "polars"}
            In pandas the row names are the index, in polars, which has none, the first column.

        Returns
        -------
        pandas.DataFrame or polars.DataFrame
        """
        if self.rows is None:
            return data_frame(self.columns, library)
        return data_frame(self.columns, library, self._names(self.rows), self._head())

    def _names(self, rows: npt.NDArray[np.intp]) -> RowNames:
        return rows if self.row_names is None else self.row_names[rows]

    def _row_cells(self, rows: npt.NDArray[np.intp]) -> list[str]:
        names = self._names(rows)
        if not hasattr(names, "levels"):  # an index knows whether its dates need a time of day
            names = names.astype(str)
        first = np.diff(rows, prepend=-1) != 0
        return [(cell_text(n) or str(n)) if is_first else "" for n, is_first in zip(names, first)]

    def _head(self) -> str:
        """Head of the column of row names: the name of their index, unless a column has it."""
        name = getattr(self.row_names, "name", None)
        return ROW if name is None or str(name) in self.columns else str(name)
