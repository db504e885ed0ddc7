"""What an encoder made of the columns of a table, as a table."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from setwise.views import Sheet
from setwise.views.listing import Listing
from setwise.views.text import count


class ColumnSummary(NamedTuple):
    """One column: its name, its kind, how many features it became, and which."""

    column: str
    kind: str
    features: int
    made: str


@dataclass(frozen=True, repr=False)
class TableSummary(Listing[ColumnSummary]):
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

    def _title(self) -> str:
        features = sum(entry.features for entry in self.entries)
        return f"{count(len(self.entries), 'column')}, {count(features, 'feature')}"

    def _sheet(self, n_rows: int | None) -> Sheet:
        shown = self.entries[:n_rows]
        return Sheet({name: [getattr(entry, name) for entry in shown] for name in ColumnSummary._fields})
