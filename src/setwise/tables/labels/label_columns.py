"""Which columns of a file are its labels: by name, by pattern or by number."""

from __future__ import annotations

import fnmatch
import os
from collections import Counter
from collections.abc import Sequence
from typing import Any

from setwise.errors import InputError, Parameter, quote_some

LabelChoice = Sequence[str] | str | os.PathLike[str] | int
"""Names, a pattern (``"tag_*"``), the path of a Mulan .xml file, k for the first k columns, -k for the last; an empty
list: no column is a label."""


def label_columns(
    labels: Sequence[str] | str | int, names: Sequence[str], path: Any = "the table"
) -> list[int]:
    """Find the label columns among all columns of a file.

    Parameters
    ----------
    labels : list of str, str or int
        Names, a pattern, k for the first k columns or -k for the last.
    names : sequence of str
        All columns.
    path : path of the file
        For messages.

    Returns
    -------
    list of int
        Places in file order.

    Examples
    --------
    >>> label_columns(["beach", "sea"], ["x1", "sea", "beach"])
    [1, 2]
    >>> label_columns("tag_*", ["x1", "tag_a", "tag_b"])
    [1, 2]
    >>> label_columns(-2, ["x1", "x2", "a", "b"])
    [2, 3]
    """
    if isinstance(labels, int):
        if isinstance(labels, bool) or not 0 < abs(labels) <= len(names):
            message = f"expected a number of columns from 1 to {len(names)}, or negative for the last ones"
            raise InputError(message, parameter=Parameter("labels", labels), file=path)
        places = list(range(len(names)))
        return places[:labels] if labels > 0 else places[labels:]
    if isinstance(labels, str):
        found = [i for i, name in enumerate(names) if fnmatch.fnmatchcase(name, labels)]
        if not found:
            message = f"no column matches; the columns are {quote_some(names)}"
            raise InputError(message, parameter=Parameter("labels", labels), file=path)
        return found
    return columns_by_name(labels, names, path)


def columns_by_name(
    wanted: Sequence[str], names: Sequence[str], path: Any, source: str | Parameter = "labels"
) -> list[int]:
    """Find columns by their names; ``source`` is what asks for them, as errors say it."""
    counts, chosen = Counter(names), set(wanted)
    missing = [name for name in wanted if name not in counts]
    if missing:
        message = f"column {missing[0]!r} not found; the columns are {quote_some(names)}"
        raise InputError(message, parameter=source, file=path, column=missing[0])
    twice = [name for name in wanted if counts[name] > 1]
    if twice:
        message = f"{counts[twice[0]]} columns are called {twice[0]!r}"
        raise InputError(
            message, parameter=source, file=path, column=twice[0], hint="give each column a different name"
        )
    return [i for i, name in enumerate(names) if name in chosen]
