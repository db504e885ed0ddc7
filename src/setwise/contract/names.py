"""Names of labels. If labels have names, tables of labels are matched by name, not by position."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from setwise.arrays import Array

SHOWN = 20
"""Names that an error message lists."""


def find_label(name: str | int, n_labels: int, names: Array | None) -> int:
    """Find the column of a label given by name or number.

    Parameters
    ----------
    name : str or int
    n_labels : int
    names : array of shape (n_labels,), optional
        Without names a label can only be given by its number.

    Returns
    -------
    int

    Examples
    --------
    >>> find_label("sea", 2, np.array(["sand", "sea"])), find_label(0, 2, None)
    (1, 0)
    >>> find_label("see", 2, np.array(["sand", "sea"]))
    Traceback (most recent call last):
    ValueError: no label is named 'see'; the labels are 'sand', 'sea'
    """
    if isinstance(name, (int, np.integer)):
        if not 0 <= name < n_labels:
            raise ValueError(
                f"label {int(name)} does not exist; labels are numbered from 0 to {n_labels - 1}"
            )
        return int(name)
    known = [] if names is None else [str(one) for one in names]
    if name not in known:
        hint = f"the labels are {listed(known)}" if known else "these labels have no names; use numbers"
        raise ValueError(f"no label is named {name!r}; {hint}")
    return known.index(name)


def column_names(table: Any) -> list[str] | None:
    """Get the names of a table's columns, which must differ.

    Parameters
    ----------
    table : DataFrame, or anything else

    Returns
    -------
    list of str, or None if ``table`` has no columns

    Examples
    --------
    >>> import pandas as pd
    >>> column_names(pd.DataFrame({"sand": [0], "sea": [1]}))
    ['sand', 'sea']
    """
    # A Table of pyarrow has its names here, and its columns' entries where DataFrames have names.
    columns = getattr(table, "column_names", getattr(table, "columns", None))
    if columns is None:
        return None
    names = [str(name) for name in columns]
    twice = (
        next((name for name in names if names.count(name) > 1), None)
        if len(set(names)) < len(names)
        else None
    )
    if twice is not None:
        raise ValueError(f"{names.count(twice)} columns are named {twice!r}; label names must differ")
    return names


def in_order(table: Any, names: Sequence[str] | Array | None, what: str) -> Any:
    """Put the columns of a table of labels in the order of ``names``.

    Without names on both sides the columns keep their positions. "0", "1", ... count as names only if the other side
    has them too.

    Parameters
    ----------
    table : DataFrame, or anything else
    names : sequence of str, optional
        Names of the labels in the order wanted.
    what : str
        Name of the table in error messages.

    Returns
    -------
    array of the table's values, or ``table`` itself if its columns stay

    Examples
    --------
    >>> import pandas as pd
    >>> in_order(pd.DataFrame({"b": [0, 1], "a": [1, 1]}), ["a", "b"], "y")
    array([[1, 0],
           [1, 1]])
    >>> in_order(pd.DataFrame({"b": [0, 1], "c": [1, 1]}), ["a", "b"], "y")
    Traceback (most recent call last):
    ValueError: the columns of y do not match the labels: missing 'a'; unexpected 'c'. Expected 'a', 'b'
    """
    columns = column_names(table)
    if columns is None or names is None or _says_nothing(columns, names):
        return table
    place = {name: position for position, name in enumerate(columns)}
    missing = [str(name) for name in names if name not in place]
    unexpected = sorted(set(columns) - {str(name) for name in names})
    if missing or unexpected:
        parts = {"missing": missing, "unexpected": unexpected}
        found = "; ".join(f"{kind} {listed(some)}" for kind, some in parts.items() if some)
        raise ValueError(f"the columns of {what} do not match the labels: {found}. Expected {listed(names)}")
    return np.asarray(table)[:, [place[str(name)] for name in names]]


def by_label(values: Any) -> dict[Any, Any] | None:
    """Convert a mapping or a Series from labels to values into a dictionary.

    Parameters
    ----------
    values : mapping, Series, or anything else

    Returns
    -------
    dict, or None if the values do not come by label

    Examples
    --------
    >>> import pandas as pd
    >>> by_label(pd.Series({"sea": 2.0})), by_label([2.0])
    ({'sea': 2.0}, None)
    """
    is_series = hasattr(values, "items") and not hasattr(values, "columns")
    return dict(values.items()) if isinstance(values, Mapping) or is_series else None


def default_names(n_labels: int) -> Array:
    """Name labels that have no names: "0", "1", ...

    Parameters
    ----------
    n_labels : int

    Returns
    -------
    array of shape (n_labels,)

    Examples
    --------
    >>> default_names(2)
    array(['0', '1'], dtype=object)
    """
    return np.array([str(j) for j in range(n_labels)], object)


def listed(names: Iterable[Any]) -> str:
    """Quote the first names for a message."""
    known = [str(name) for name in names]
    return ", ".join(map(repr, known[:SHOWN])) + (", ..." if len(known) > SHOWN else "")


def _says_nothing(columns: Sequence[str], names: Sequence[str] | Array) -> bool:
    """Whether one side is only numbered and the other has different names."""
    numbered = any(list(map(str, some)) == list(map(str, range(len(some)))) for some in (columns, names))
    return numbered and not set(columns) & {str(name) for name in names}
