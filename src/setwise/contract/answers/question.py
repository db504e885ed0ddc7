"""The most informative label to ask about."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from setwise.arrays import Array, Floats
from setwise.views import RowAnswer, Sheet
from setwise.views.text import check_names, count


class _Question(NamedTuple):
    label: Array
    gain: Floats


class Question(RowAnswer, _Question):
    """The most informative label of each row to ask about.

    Parameters
    ----------
    label : int array of shape (n,)
        Number of the label with the largest gain.
    gain : array of shape (n, L)
        Expected information gain of every label, in nats.

    Examples
    --------
    >>> Question(np.array([1]), np.array([[0.1, 0.5]])).with_names(np.array(["sea", "sand"]))
    Next question about 1 row
    row  label  gain
    ---  -----  -----
      0  sand   0.500
    """

    def _n_rows(self) -> int:
        return len(self.label)

    def _title(self) -> str:
        return f"Next question about {count(self._n_rows(), 'row')}"

    def _sheet(self, n_rows: int | None) -> Sheet:
        label = self.label[:n_rows]
        names = check_names(self.label_names, self.gain.shape[1])
        return self._row_sheet(label=[names[j] for j in label], gain=self.gain[np.arange(len(label)), label])
