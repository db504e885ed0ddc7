"""What an encoder made of the columns of a table, as a table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, overload

from setwise.views import Answer, Sheet, Table
from setwise.views.text import count


class ColumnSummary(NamedTuple):
    """One column: its name, its kind, how many features it became, and which."""

    column: str
    kind: str
    features: int
    made: str


@dataclass(frozen=True, repr=False)
class TableSummary(Answer, Sequence[ColumnSummary]):
    """The columns of a table in their order, with what was made of each.

    Parameters
    ----------
    entries : list of ColumnSummary

    Examples
    --------
    >>> TableSummary([ColumnSummary("size", "number", 1, "number")])
    1 column, 1 feature
    column  kind    features  made
    ------  ------  --------  ------
    size    number         1  number
    """

    entries: list[ColumnSummary]

    def __len__(self) -> int:
        return len(self.entries)

    @overload
    def __getitem__(self, index: int) -> ColumnSummary: ...
    @overload
    def __getitem__(self, index: slice) -> list[ColumnSummary]: ...
    def __getitem__(self, index: int | slice) -> ColumnSummary | list[ColumnSummary]:
        return self.entries[index]

    def table(self) -> Table:
        """Put all columns in a table of text.

        Returns
        -------
        Table

        Examples
        --------
        >>> TableSummary([ColumnSummary("size", "number", 1, "number")]).table().rows
        [['size', 'number', '1', 'number']]
        """
        return self._sheet(None).to_table(self._title())

    def _tables(self) -> list[Table]:
        return [self.table()]

    def _n_rows(self) -> int:
        return len(self.entries)

    def _title(self) -> str:
        features = sum(entry.features for entry in self.entries)
        return f"{count(len(self.entries), 'column')}, {count(features, 'feature')}"

    def _sheet(self, n_rows: int | None) -> Sheet:
        shown = self.entries[:n_rows]
        return Sheet({name: [getattr(entry, name) for entry in shown] for name in ColumnSummary._fields})
