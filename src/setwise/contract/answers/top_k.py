"""The k most probable label sets of each row."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from setwise.arrays import FREE, Bools, Floats, Labels
from setwise.contract.answers.mode import Mode
from setwise.contract.answers.rows import uncertified
from setwise.views import RowAnswer, Sheet
from setwise.views.text import count


class _TopK(NamedTuple):
    labels: Labels
    log_prob: Floats
    certified: Bools
    gap: Floats


class TopK(RowAnswer, _TopK):
    """The k most probable label sets of each row, best first.

    Parameters
    ----------
    labels : int8 array of shape (n, k, L)
        The sets. If fewer than k sets have positive probability, the rest is FREE.
    log_prob : array of shape (n, k)
        Their log-probabilities, -inf for the rest.
    certified : bool array of shape (n,)
        Whether the sets are proved to be the most probable ones.
    gap : array of shape (n,)
        Upper bound on the log-probability of any other set minus that of the last one listed; zero if
        ``certified``.

    Examples
    --------
    >>> TopK(np.array([[[1, 0], [0, 1]]]), np.log([[0.75, 0.25]]), np.array([True]), np.zeros(1))
    The 2 most probable sets of 1 row
    row  rank  set  probability
    ---  ----  ---  -----------
      0     1  0          0.750
            2  1          0.250
    """

    def _n_rows(self) -> int:
        return len(self.labels)

    def _title(self) -> str:
        k = self.labels.shape[1]
        which = f"The {k} most probable sets" if k > 1 else "Most probable set"
        return f"{which} of {count(self._n_rows(), 'row')}"

    def _sheet(self, n_rows: int | None) -> Sheet:
        more = {"certified": self.certified, "gap": self.gap}
        return self._set_sheet(self.labels[:n_rows], self.log_prob[:n_rows], **more)

    def _shown(self) -> Sheet:
        return super()._shown().only("rank", "set", "probability")

    def _remarks(self) -> list[str]:
        return uncertified(self.certified)


def first_of_size(top: TopK, most: int) -> Mode:
    """Find the first set of each row with at most ``most`` labels.

    Parameters
    ----------
    top : TopK
        The most probable sets of each row.
    most : int
        The largest number of labels allowed.

    Returns
    -------
    Mode
        FREE in rows in which none of the sets fits; certified if it is proved that no set does.

    Examples
    --------
    >>> top = TopK(np.array([[[1, 1], [0, 1]]]), np.log([[0.75, 0.25]]), np.array([True]), np.zeros(1))
    >>> first_of_size(top, 1).labels
    array([[0, 1]], dtype=int8)
    """
    fits = ((top.labels == 1).sum(axis=2) <= most) & (top.log_prob > -np.inf)
    exhausted = top.log_prob[:, -1] == -np.inf
    found, at = fits.any(axis=1), (np.arange(len(fits)), fits.argmax(axis=1))
    labels = np.where(found[:, None], top.labels[at], FREE).astype(np.int8)
    log_prob = np.where(found, top.log_prob[at], -np.inf)
    certified = top.certified & (found | exhausted)
    return Mode(labels, log_prob, certified, np.where(certified, 0.0, np.inf))
