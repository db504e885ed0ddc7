"""Lists of tags as label sets with names."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from setwise.contract import FREE, Array, Labels
from setwise.errors import quote_some
from setwise.tables.columns.column import is_missing
from setwise.tables.labels.tag_lists import find_separator, split_tags


class LabelTable:
    """A label matrix with the names of its columns: the part of a DataFrame that ``fit`` uses.

    Parameters
    ----------
    Y : array of shape (n, L)
    columns : sequence of str
    left_out : mapping of str to int, optional
        Tags that were left out because they are rare, with their numbers of rows.

    Examples
    --------
    >>> table = LabelTable(np.array([[1, 0]], dtype=np.int8), ["red", "round"])
    >>> table.columns, np.asarray(table)
    (('red', 'round'), array([[1, 0]], dtype=int8))
    """

    def __init__(self, Y: Array, columns: Sequence[str], left_out: dict[str, int] | None = None) -> None:
        self.Y, self.columns = Y, tuple(columns)
        self.shape = Y.shape
        self.left_out = left_out or {}

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Array:
        return np.array(self.Y, dtype=dtype, copy=copy)

    def __len__(self) -> int:
        return len(self.Y)

    def __getitem__(self, rows: Any) -> LabelTable:
        """Some rows, for the splits of scikit-learn."""
        return LabelTable(self.Y[rows], self.columns, self.left_out)

    def __repr__(self) -> str:
        said = f"{len(self)} rows, {len(self.columns)} labels: {quote_some(self.columns)}"
        if self.left_out:
            names = [f"{name} ({count})" for name, count in self.left_out.items()]
            said += f"; left out as rare: {quote_some(names)}"
        return said


def read_tags(entries: Iterable[Any], *, separator: str | None = None, min_rows: int = 1) -> LabelTable:
    """Make label sets of a column of tags, for ``fit``.

    Parameters
    ----------
    entries : sequence
        One entry a row: a text such as ``"billing;refund"``, a list as JSON or Python writes it, or a list or set.
        None and NaN mark a row whose labels are not known; an empty text is a row without labels.
    separator : str, optional
        Between the tags of a text. By default a semicolon, bar, comma or space, whichever is there.
    min_rows : int, default=1
        Tags of fewer rows are left out.

    Returns
    -------
    LabelTable
        Label sets (n, L) with ``columns``, the tags in alphabetical order, and ``left_out``, the rare ones.

    Examples
    --------
    >>> tags = read_tags(["billing;refund", "", "refund", "['login', 'refund']"], min_rows=1)
    >>> tags.columns
    ('billing', 'login', 'refund')
    >>> read_tags(["billing;refund", "refund"], min_rows=2)
    2 rows, 1 labels: 'refund'; left out as rare: 'billing (1)'
    """
    rows = list(entries)
    known = [entry for entry in rows if not _is_unknown(entry)]
    chosen = find_separator(known) if separator is None else separator
    return tag_table([None if _is_unknown(entry) else split_tags(entry, chosen) for entry in rows], min_rows)


def _is_unknown(entry: Any) -> bool:
    """Whether tags are not known; a row with an empty text has none."""
    return is_missing(entry) and not (isinstance(entry, str) and not entry.strip())


def are_tag_lists(y: Any) -> bool:
    """Whether labels are lists, tuples or sets of tags, one a row, and not the rows of a matrix of 0 and 1.

    Examples
    --------
    >>> are_tag_lists([["red"], []]), are_tag_lists([{1, 2}, {2}]), are_tag_lists([[0, 1], [1, 0]])
    (True, True, False)
    """
    if (
        hasattr(y, "columns")
        or getattr(y, "ndim", 1) != 1
        or not hasattr(y, "__len__")
        or isinstance(y, (str, dict))
    ):
        return False
    if getattr(getattr(y, "dtype", None), "kind", "O") in "biufUS":
        return False
    rows = [row for row in y if not (row is None or row is FREE)]
    if not all(isinstance(row, (list, tuple, set, frozenset)) for row in rows):
        return False
    return any(isinstance(row, (set, frozenset)) or any(isinstance(tag, str) for tag in row) for row in rows)


def tag_table(rows: Sequence[Any], min_rows: int = 1) -> LabelTable:
    """Label sets of lists of tags, one label a tag that has at least ``min_rows`` rows; None marks unknown labels."""
    counts = Counter(str(tag) for row in rows if row is not None for tag in dict.fromkeys(row))
    names = sorted(tag for tag, count in counts.items() if count >= min_rows)
    if not names:
        said = f"no tag has {min_rows} rows" if counts else "no row has a tag"
        raise ValueError(f"expected tags in y; {said}")
    rare = {tag: count for tag, count in counts.most_common() if count < min_rows}
    return LabelTable(tag_matrix(rows, names, ignore=rare), names, rare)


def tag_matrix(rows: Sequence[Any], names: Sequence[str] | Array, ignore: Iterable[str] = ()) -> Labels:
    """Label sets (n, L) of lists of tags, all FREE in a row that is None; a ValueError names an unknown tag."""
    place = {str(name): label for label, name in enumerate(names)}
    skipped = set(ignore)
    Y = np.zeros((len(rows), len(place)), dtype=np.int8)
    for row, tags in enumerate(rows):
        if tags is None:
            Y[row] = FREE
            continue
        for tag in map(str, tags):
            if tag not in place and tag not in skipped:
                raise ValueError(
                    f"tag {tag!r} of row {row} is not a label; the labels are {quote_some(list(place))}"
                )
            if tag in place:
                Y[row, place[tag]] = 1
    return Y
