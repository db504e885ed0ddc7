"""Columns whose entries are lists of tags, as features."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
from scipy import sparse

from setwise.tables.columns.category import MAX_VALUES
from setwise.tables.columns.column import Column, Encoded, Entries, Options, is_missing
from setwise.tables.columns.number import FLAG_ROWS
from setwise.tables.labels.tag_lists import find_separator, split_tags

WORD = re.compile(r"\w+")


@dataclass(frozen=True)
class Tags(Column):
    """Lists of tags: one feature a tag, 1 in the rows that have it, and one a word that several tags share.

    Rare tags have no feature of their own; a word such as *space* in *space travel* and *space station* says what they
    are about. The features of the words of a row have unit length, as those of a text do.

    Parameters
    ----------
    separator : str
        Between two tags of a text.
    values : tuple of str
        The tags that have a feature.
    words : tuple of str
        The words that have a feature.
    flagged : bool
        Whether a feature marks missing lists.
    keep_missing : bool
        Whether a missing list makes NaN of all features.

    Examples
    --------
    >>> column = Tags.fit(["red|round", "red", "round|big"], Options())
    >>> column.features("is"), column.encode(["big|red"]).features.toarray()
    (['is=big', 'is=red', 'is=round'], array([[1., 1., 0.]]))
    >>> Tags.fit(["space travel|robot", "space station", "robot"], Options()).features("about")[-2:]
    ['about=space travel', 'about: space']
    """

    kind = "tags"

    separator: str
    values: tuple[str, ...]
    words: tuple[str, ...] = ()
    flagged: bool = False
    keep_missing: bool = False

    @classmethod
    def fit(cls, entries: Entries, options: Options) -> Self:
        """See :class:`Column`."""
        known = [entry for entry in entries if not is_missing(entry)]
        separator = find_separator(known)
        lists = [split_tags(entry, separator) for entry in known]
        counts = Counter(tag for tags in lists for tag in tags)
        common = [tag for tag, count in counts.most_common(MAX_VALUES) if count >= options.least_tags]
        words = _shared_words(lists, counts, options.least_tags)
        flagged = not options.keep_missing and len(entries) - len(known) >= FLAG_ROWS
        return cls(separator, tuple(sorted(common or counts)), words, flagged, options.keep_missing)

    def encode(self, entries: Entries) -> Encoded:
        """See :class:`Column`."""
        tags = {tag: column for column, tag in enumerate(self.values)}
        words = {word: column for column, word in enumerate(self.words, start=len(tags))}
        width = len(tags) + len(words) + self.flagged
        rows: list[int] = []
        places: list[int] = []
        cells: list[float] = []
        for row, entry in enumerate(entries):
            if is_missing(entry):
                if self.keep_missing:
                    found = dict.fromkeys(range(width), math.nan)
                else:
                    found = {width - 1: 1.0} if self.flagged else {}
            else:
                found = _features(split_tags(entry, self.separator), tags, words)
            rows += [row] * len(found)
            places += found.keys()
            cells += found.values()
        return Encoded(
            sparse.csr_array((cells, (rows, places)), shape=(len(entries), width), dtype=np.float64)
        )

    def features(self, name: str) -> list[str]:
        """See :class:`Column`."""
        return [
            *(f"{name}={tag}" for tag in self.values),
            *(f"{name}: {word}" for word in self.words),
            *([f"{name} is missing"] if self.flagged else []),
        ]

    def made(self) -> str:
        """See :class:`Column`."""
        words = f", {len(self.words)} of their words" if self.words else ""
        return f"{len(self.values)} tags{words}" + (", marked if missing" if self.flagged else "")


def _words(tags: Iterable[str]) -> set[str]:
    return {word for tag in tags for word in WORD.findall(tag.lower())}


def _shared_words(lists: Sequence[Sequence[str]], tags: Iterable[str], least: int) -> tuple[str, ...]:
    """The words of at least two tags, and of at least ``least`` rows."""
    in_tags = Counter(word for tag in tags for word in _words([tag]))
    in_rows = Counter(word for row in lists for word in _words(row) if in_tags[word] > 1)
    return tuple(sorted(word for word, count in in_rows.most_common(MAX_VALUES) if count >= least))


def _features(found: Sequence[str], tags: dict[str, int], words: dict[str, int]) -> dict[int, float]:
    """The features of a list of tags that are not zero, by their columns."""
    shared = [words[word] for word in _words(found) if word in words] if words else []
    size = 1.0 / math.sqrt(max(1, len(shared)))
    return {**{tags[tag]: 1.0 for tag in found if tag in tags}, **dict.fromkeys(sorted(shared), size)}
