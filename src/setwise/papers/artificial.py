"""The artificial data of the CBM paper's Table 1, and the best answer that is possible on them."""

from __future__ import annotations

from collections.abc import Container
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator

from setwise.contract import Array
from setwise.datasets import Dataset, TrueMixture, make_cbm

ARTIFICIAL = "artificial:"
"""What the names of these data sets begin with in the printed table."""
VARIANTS: dict[str, dict[str, Any]] = {
    "argmax": {"mode": "argmax"},
    "argmax+noise": {"mode": "argmax", "noise": 1.2},
    "sample": {"mode": "sample"},
    "sample+noise": {"mode": "sample", "noise": 2.6},
}
"""Scales of the noise, which the paper does not print, for upper bounds near the printed ones."""
ROWS = 15_000
"""Number of training rows, as in the paper, and of test rows."""


def _make(variant: str) -> tuple[Dataset, TrueMixture]:
    return make_cbm(2 * ROWS, random_state=0, **VARIANTS[variant])


@dataclass(frozen=True)
class Artificial:
    """Rows of a known mixture: the first half trains, the second is tested.

    Examples
    --------
    >>> Artificial("argmax")().split.mean()
    np.float64(0.5)
    """

    variant: str

    @property
    def name(self) -> str:
        """The name of the data set."""
        return ARTIFICIAL + self.variant

    def is_here(self, here: Container[str]) -> bool:
        """True: the rows are generated."""
        return True

    def rows(self) -> int:
        """Number of rows."""
        return 2 * ROWS

    def __call__(self) -> Dataset:
        """The data set."""
        data, _ = _make(self.variant)
        return Dataset(data.X, data.Y, split=np.arange(2 * ROWS) < ROWS, name=self.name)


class UpperBound(BaseEstimator):
    """Answers with the true distribution's most probable set: no method can do better in expectation.

    Examples
    --------
    >>> data = Artificial("argmax")()
    >>> bool((UpperBound("argmax").fit(data.X, data.Y).predict(data.X) == data.Y).all())
    True
    """

    def __init__(self, variant: str = "argmax") -> None:
        self.variant = variant

    def fit(self, X: Any, y: Any) -> Self:
        """Nothing is learned: the truth is known."""
        self.truth_ = _make(self.variant)[1]
        return self

    def predict(self, X: Any) -> Array:
        """The most probable set (n, L) of each row."""
        return np.asarray(self.truth_.mode(X))
