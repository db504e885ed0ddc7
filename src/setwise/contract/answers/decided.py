"""The best answer of each row for a loss."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from setwise.arrays import FREE, Bools, Floats, Labels
from setwise.contract.answers.rows import uncertified
from setwise.views import RowAnswer, Sheet
from setwise.views.text import count


class _Decided(NamedTuple):
    labels: Labels
    expected_loss: Floats
    standard_error: Floats
    certified: Bools


class Decided(RowAnswer, _Decided):
    """The answer of each row for a loss.

    Parameters
    ----------
    labels : int8 array of shape (n, L)
        The sets; all FREE if the answer is to abstain.
    expected_loss : array of shape (n,)
        Expected loss of the answer under the model; NaN if unknown.
    standard_error : array of shape (n,)
        Standard error of the expected loss, zero if it is exact.
    certified : bool array of shape (n,)
        Whether no allowed answer has a smaller expected loss under the model.

    Examples
    --------
    >>> Decided(np.array([[1, 0], [-1, -1]]), np.array([0.25, 0.5]), np.zeros(2), np.array([True, True]))
    Decision for 2 rows
    row  set          expected_loss
    ---  -----------  -------------
      0  0                    0.250
      1  (no answer)          0.500
    """

    @classmethod
    def of(cls, answer: Labels | Decided, n_rows: int, n_labels: int) -> Decided:
        """Wrap label sets whose expected loss is unknown.

        Parameters
        ----------
        answer : array of shape (n, L), or Decided
            A :class:`Decided` is returned unchanged.
        n_rows, n_labels : int
            The expected shape.

        Returns
        -------
        Decided

        Examples
        --------
        >>> Decided.of(np.array([[1, 0]]), 1, 2).expected_loss
        array([nan])
        """
        if isinstance(answer, cls):
            return answer
        labels = np.asarray(answer)
        if labels.shape != (n_rows, n_labels) or not np.isin(labels, (0, 1, FREE)).all():
            raise ValueError(
                f"the decision returned an array of {labels.dtype} and shape {labels.shape}; expected label sets "
                f"({n_rows}, {n_labels}) of 0 and 1, or {FREE} for no answer"
            )
        unknown = np.full(n_rows, np.nan)
        return cls(labels.astype(np.int8), unknown, unknown, np.zeros(len(labels), dtype=np.bool_))

    def _n_rows(self) -> int:
        return len(self.labels)

    def _title(self) -> str:
        return f"Decision for {count(self._n_rows(), 'row')}"

    def _sheet(self, n_rows: int | None) -> Sheet:
        return self._row_sheet(
            set=self._set_texts(self.labels[:n_rows]),
            expected_loss=self.expected_loss[:n_rows],
            standard_error=self.standard_error[:n_rows],
            certified=self.certified[:n_rows],
        )

    def _shown(self) -> Sheet:
        return super()._shown().only("set", "expected_loss")

    def _remarks(self) -> list[str]:
        return uncertified(self.certified)
