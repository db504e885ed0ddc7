"""Entropy of distributions."""

from __future__ import annotations

from typing import NamedTuple

from setwise.arrays import Floats
from setwise.views import RowAnswer, Sheet
from setwise.views.text import count


class _Entropy(NamedTuple):
    value: Floats
    lower: Floats
    upper: Floats
    standard_error: Floats
    method: str


class Entropy(RowAnswer, _Entropy):
    """Entropy of each row in nats, with bounds and standard error.

    Parameters
    ----------
    value : array of shape (n,)
        The entropy, or its estimate.
    lower, upper : array of shape (n,)
        Proven bounds.
    standard_error : array of shape (n,)
        Standard error of the estimate, zero if it is exact.
    method : {"exact", "sampled"}
        How the entropy was computed.

    Examples
    --------
    >>> import numpy as np
    >>> half = np.log([2.0])
    >>> Entropy(half, half, half, np.zeros(1), "exact")
    Entropy of 1 row in nats, exact
    row  entropy
    ---  -------
      0    0.693
    """

    def _n_rows(self) -> int:
        return len(self.value)

    def _title(self) -> str:
        return f"Entropy of {count(self._n_rows(), 'row')} in nats, {self.method}"

    def _sheet(self, n_rows: int | None) -> Sheet:
        return self._row_sheet(
            entropy=self.value[:n_rows],
            lower=self.lower[:n_rows],
            upper=self.upper[:n_rows],
            standard_error=self.standard_error[:n_rows],
        )

    def _shown(self) -> Sheet:
        return super()._shown().only("entropy") if self.method == "exact" else super()._shown()
