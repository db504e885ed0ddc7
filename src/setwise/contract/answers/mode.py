"""The most probable label set of each row."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from setwise.arrays import Bools, Floats, Labels
from setwise.contract.answers.rows import uncertified
from setwise.views import RowAnswer, Sheet
from setwise.views.text import count


class _Mode(NamedTuple):
    labels: Labels
    log_prob: Floats
    certified: Bools
    gap: Floats


class Mode(RowAnswer, _Mode):
    """The most probable label set of each row.

    Parameters
    ----------
    labels : int8 array of shape (n, L)
        The sets; all FREE in a row without a possible set.
    log_prob : array of shape (n,)
        Their log-probabilities.
    certified : bool array of shape (n,)
        Whether the set is proved to be the most probable one.
    gap : array of shape (n,)
        Upper bound on the best log-probability minus ``log_prob``; zero if ``certified``.

    Examples
    --------
    >>> Mode(np.array([[1, 0]]), np.log([0.75]), np.array([True]), np.zeros(1))
    Most probable set of 1 row
    row  set  probability
    ---  ---  -----------
      0  0          0.750
    """

    def _n_rows(self) -> int:
        return len(self.labels)

    def _title(self) -> str:
        return f"Most probable set of {count(self._n_rows(), 'row')}"

    def _sheet(self, n_rows: int | None) -> Sheet:
        return self._row_sheet(
            set=self._set_texts(self.labels[:n_rows]),
            probability=np.exp(self.log_prob[:n_rows]),
            certified=self.certified[:n_rows],
            gap=self.gap[:n_rows],
        )

    def _shown(self) -> Sheet:
        return super()._shown().only("set", "probability")

    def _remarks(self) -> list[str]:
        return uncertified(self.certified)
