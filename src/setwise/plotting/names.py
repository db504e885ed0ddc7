"""Names of labels and sets as text on a figure: nothing in a name is taken as markup."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

Names = Sequence[str] | npt.NDArray[Any] | None
"""Names of labels as they come: a list, the array of an estimator, or none."""


def plain(name: object, width: int = 40) -> str:
    r"""A name on one line of at most ``width`` characters; a dollar sign stays one instead of opening a formula.

    Examples
    --------
    >>> plain("price in $")
    'price in \\$'
    >>> plain("a very long name", width=8)
    'a very …'
    """
    line = "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in " ".join(str(name).split()))
    short = line if len(line) <= width else line[: width - 1] + "…"
    return short.replace("$", r"\$")


def set_text(labels: npt.ArrayLike, names: Sequence[str]) -> str:
    """A label set (L,) by the names of the labels that are on; whoever shows it escapes it.

    Examples
    --------
    >>> set_text([1, 0, 1], ["sea", "city", "sand"])
    'sea, sand'
    >>> set_text([0, 0, 0], ["sea", "city", "sand"])
    '(no labels)'
    """
    on = np.flatnonzero(np.asarray(labels) == 1).tolist()
    return ", ".join(str(names[j]) for j in on) or "(no labels)"


def change_name(given: npt.ArrayLike, suggested: npt.ArrayLike, names: Sequence[str], width: int = 60) -> str:
    """What has to be added to and taken from a given set (L,) to get the suggested one.

    Examples
    --------
    >>> change_name([1, 0, 1], [1, 1, 0], ["sea", "city", "sand"])
    '+city −sand'
    """
    before, after = np.asarray(given), np.asarray(suggested)
    added = [f"+{names[j]}" for j in np.flatnonzero((after == 1) & (before != 1)).tolist()]
    removed = [f"−{names[j]}" for j in np.flatnonzero((after == 0) & (before == 1)).tolist()]
    return plain(" ".join([*added, *removed]), width) if added or removed else "(no change)"


def check_names(names: Names, n_labels: int) -> list[str]:
    """The names as a list, "0", "1", ... where there are none; a ValueError where their number is wrong.

    Examples
    --------
    >>> check_names(None, 3)
    ['0', '1', '2']
    """
    if names is None:
        return [str(j) for j in range(n_labels)]
    if len(names) != n_labels:
        raise ValueError(f"{len(names)} label names for {n_labels} labels")
    return [str(name) for name in names]
