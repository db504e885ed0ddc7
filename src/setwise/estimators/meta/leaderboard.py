"""What an automatic choice tried, best first."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from setwise.views import Sheet
from setwise.views.listing import Listing
from setwise.views.text import count

Entry = dict[str, Any]


@dataclass(frozen=True, repr=False)
class Leaderboard(Listing[Entry]):
    """The candidates of an automatic choice, best first: a sequence of dicts that prints as a table.

    Parameters
    ----------
    entries : list of dict
        ``name``, ``log_loss`` (nats per held-out row), ``standard_error``, ``rows`` it was fitted to, ``seconds``, and
        ``status``: chosen, tried, or why it was not. What is not known is None.

    Examples
    --------
    >>> tried = {"log_loss": 1.25, "standard_error": 0.1, "rows": 240, "seconds": 0.5, "status": "chosen"}
    >>> board = Leaderboard([{"name": "ConditionalTree()", **tried}])
    >>> board
    1 candidate
    name               log_loss  standard_error  rows  seconds  status
    -----------------  --------  --------------  ----  -------  ------
    ConditionalTree()     1.250           0.100   240    0.500  chosen
    >>> board[0]["log_loss"], board.to_frame()["rows"].tolist()
    (1.25, [240])
    """

    def _title(self) -> str:
        return count(len(self.entries), "candidate")

    def _sheet(self, n_rows: int | None) -> Sheet:
        shown = self.entries[:n_rows]
        return Sheet({name: [entry[name] for entry in shown] for name in (self.entries or [{}])[0]})
