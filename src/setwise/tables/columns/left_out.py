"""Columns that say nothing: constants, identifiers, empty ones, and those that the user leaves out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np

from setwise.tables.columns.column import Column, Encoded, Entries, Options

IGNORED = "as you asked"


@dataclass(frozen=True)
class LeftOut(Column):
    """A column without features, with the reason.

    Examples
    --------
    >>> LeftOut("an identifier").made()
    'an identifier'
    """

    kind = "left out"

    reason: str = IGNORED

    @classmethod
    def fit(cls, entries: Entries, options: Options) -> Self:
        """See :class:`Column`."""
        return cls()

    def encode(self, entries: Entries) -> Encoded:
        """See :class:`Column`."""
        return Encoded(np.empty((len(entries), 0)))

    def features(self, name: str) -> list[str]:
        """See :class:`Column`."""
        return []

    def made(self) -> str:
        """See :class:`Column`."""
        return self.reason
