"""Columns whose entries are lists of tags, as features."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from typing import Self

import numpy as np
from scipy import sparse

from setwise.tables.columns.category import MAX_VALUES
from setwise.tables.columns.column import Column, Encoded, Entries, Options, is_missing
from setwise.tables.columns.number import FLAG_ROWS
from setwise.tables.labels.tag_lists import find_separator, split_tags


@dataclass(frozen=True)
class Tags(Column):
    """Lists of tags: one feature a tag, 1 in the rows that have it. Rare tags have none.

    Parameters
    ----------
    separator : str
        Between two tags of a text.
    values : tuple of str
        The tags that have a feature.
    flagged : bool
        Whether a feature marks missing lists.
    keep_missing : bool
        Whether a missing list makes NaN of all features.

    Examples
    --------
    >>> column = Tags.fit(["red|round", "red", "round|big"], Options())
    >>> column.features("is"), column.encode(["big|red"]).features.toarray()
    (['is=big', 'is=red', 'is=round'], array([[1., 1., 0.]]))
    """

    kind = "tags"

    separator: str
    values: tuple[str, ...]
    flagged: bool = False
    keep_missing: bool = False

    @classmethod
    def fit(cls, entries: Entries, options: Options) -> Self:
        """See :class:`Column`."""
        known = [entry for entry in entries if not is_missing(entry)]
        separator = find_separator(known)
        counts = Counter(tag for entry in known for tag in split_tags(entry, separator))
        common = [tag for tag, count in counts.most_common(MAX_VALUES) if count >= options.least_tags]
        flagged = not options.keep_missing and len(entries) - len(known) >= FLAG_ROWS
        return cls(separator, tuple(sorted(common or counts)), flagged, options.keep_missing)

    def encode(self, entries: Entries) -> Encoded:
        """See :class:`Column`."""
        place = {tag: column for column, tag in enumerate(self.values)}
        width = len(self.values) + self.flagged
        rows, places, cells = [], [], []
        for row, entry in enumerate(entries):
            missing = is_missing(entry)
            found = [] if missing else [place[t] for t in split_tags(entry, self.separator) if t in place]
            if missing and self.keep_missing:
                found = list(range(len(self.values)))
            elif missing and self.flagged:
                found = [width - 1]
            rows += [row] * len(found)
            places += found
            cells += [math.nan if missing and self.keep_missing else 1.0] * len(found)
        return Encoded(
            sparse.csr_array((cells, (rows, places)), shape=(len(entries), width), dtype=np.float64)
        )

    def features(self, name: str) -> list[str]:
        """See :class:`Column`."""
        return [*(f"{name}={tag}" for tag in self.values), *([f"{name} is missing"] if self.flagged else [])]

    def made(self) -> str:
        """See :class:`Column`."""
        return f"{len(self.values)} tags" + (", marked if missing" if self.flagged else "")
