"""Rows that are texts, as a pipeline with a vectorizer takes them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from setwise.contract import Array
from setwise.web.explorer.rows.base import Cell, ExploredRows

TEXT = "text"
"""The name of the only column."""


class TextRows(ExploredRows):
    """Texts, one per row.

    Examples
    --------
    >>> TextRows(["sea and sand"]).cells(0)
    [Cell(name='text', value='sea and sand', is_number=False)]
    """

    def __init__(self, texts: Sequence[str]) -> None:
        self.texts = list(texts)
        self.n_rows, self.columns = len(self.texts), [TEXT]

    def features(self, rows: Array) -> Any:
        """The texts of these rows."""
        return [self.texts[row] for row in rows]

    def cells(self, row: int) -> list[Cell]:
        """The text."""
        return [Cell(TEXT, self.texts[row], False)]

    def column(self, name: str) -> Array:
        """All texts."""
        return np.array(self.texts, dtype=object)

    def _changed(self, row: int, changes: Mapping[str, Any]) -> Any:
        return [str(changes.get(TEXT, self.texts[row]))]
