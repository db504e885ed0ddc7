"""Answers that are a sequence of entries, one for each line of a table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar, overload

from setwise.views.answer import Answer
from setwise.views.table import Table

Entry = TypeVar("Entry")


@dataclass(frozen=True, repr=False)
class Listing(Answer, Sequence[Entry]):
    """A sequence of entries that prints as a table; a subclass says how an entry becomes a line.

    Parameters
    ----------
    entries : list
    """

    entries: list[Entry]

    def __len__(self) -> int:
        return len(self.entries)

    @overload
    def __getitem__(self, index: int) -> Entry: ...
    @overload
    def __getitem__(self, index: slice) -> list[Entry]: ...
    def __getitem__(self, index: int | slice) -> Entry | list[Entry]:
        return self.entries[index]

    def table(self) -> Table:
        """Put all entries in a table of text.

        Returns
        -------
        Table

        Examples
        --------
        >>> from setwise.estimators.meta.leaderboard import Leaderboard
        >>> Leaderboard([{"name": "ConditionalTree()", "status": "chosen"}]).table().rows
        [['ConditionalTree()', 'chosen']]
        """
        return self._sheet(None).to_table(self._title())

    def _tables(self) -> list[Table]:
        return [self.table()]

    def _n_rows(self) -> int:
        return len(self.entries)
