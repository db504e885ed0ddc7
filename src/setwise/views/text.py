"""Label sets, names and numbers as text that is safe on terminals and pages."""

from __future__ import annotations

import html
import unicodedata
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from setwise.printable import printable

Names = Sequence[str] | npt.NDArray[Any] | None
"""Names of labels as users pass them: a list, the array of an estimator, or None."""

LONGEST = 60
"""Maximum number of characters of a cell."""


def check_names(names: Names, n_labels: int) -> list[str]:
    """List the names of the labels, "0", "1", ... by default.

    Raises a ValueError if their number is wrong.

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


def one_line(text: object, width: int = LONGEST) -> str:
    r"""Put text on one line of at most ``width`` characters; control characters are shown as escapes.

    Examples
    --------
    >>> one_line("two\nlines")
    'two lines'
    >>> print(one_line("red \x1b[31m"))
    red \x1b[31m
    >>> one_line("a very long name", width=8)
    'a very …'
    """
    line = printable(" ".join(str(text).split()))
    return line if len(line) <= width else line[: width - 1] + "…"


def escape_html(text: str) -> str:
    r"""Escape text for a page.

    Examples
    --------
    >>> print(escape_html("<b>\x1b"))
    &lt;b&gt;\x1b
    """
    return html.escape(one_line(text, 6 * len(text)))  # an escape has up to six characters


def text_width(text: str) -> int:
    """Number of terminal columns of a line: two for each wide character, such as Chinese ones.

    Examples
    --------
    >>> text_width("sea"), text_width("海")
    (3, 2)
    """
    return len(text) + sum(unicodedata.east_asian_width(c) in "WF" for c in text)


def set_text(labels: npt.ArrayLike, names: Sequence[str]) -> str:
    """Name the labels that are on in a label set (L,); a negative value is a label without an answer.

    The names are not escaped: :func:`one_line` makes them safe to print, :class:`~setwise.views.Table` to show.

    Examples
    --------
    >>> names = ["sea", "city", "sand"]
    >>> set_text([1, 0, 1], names), set_text([0, 0, 0], names)
    ('sea, sand', '(no labels)')
    >>> set_text([1, 0, -1], names), set_text([-1, -1, -1], names)
    ('sea, sand?', '(no answer)')
    """
    values = np.asarray(labels)
    if values.size and (values < 0).all():
        return "(no answer)"
    shown = np.flatnonzero(values).tolist()
    return ", ".join(f"{names[j]}?" if values[j] < 0 else str(names[j]) for j in shown) or "(no labels)"


def change_text(
    given: npt.ArrayLike, suggested: npt.ArrayLike, names: Sequence[str], width: int = LONGEST
) -> str:
    """List the labels that are added to and removed from a given set (L,) to get the suggested one.

    Examples
    --------
    >>> change_text([1, 0, 1], [1, 1, 0], ["sea", "city", "sand"])
    '+city −sand'
    """
    before, after = np.asarray(given), np.asarray(suggested)
    added = [f"+{names[j]}" for j in np.flatnonzero((after == 1) & (before != 1)).tolist()]
    removed = [f"−{names[j]}" for j in np.flatnonzero((after == 0) & (before == 1)).tolist()]
    return one_line(" ".join([*added, *removed]), width) if added or removed else "(no change)"


def count(number: int, thing: str) -> str:
    """Write how many there are of a thing.

    Examples
    --------
    >>> count(1, "row"), count(12000, "row")
    ('1 row', '12,000 rows')
    """
    return f"{number:,} {thing}" if number == 1 else f"{number:,} {thing}s"


def cell_text(value: Any) -> str:
    """Format one value of an answer; an unknown value becomes an empty string.

    Examples
    --------
    >>> [cell_text(value) for value in (0.25, 1e-9, 1234.5, np.True_, None, float("nan"), "sea", 3)]
    ['0.250', '1.0e-09', '1234.5', 'yes', '', '', 'sea', '3']
    """
    if value is None or (isinstance(value, (float, np.floating)) and np.isnan(value)):
        return ""
    if isinstance(value, (bool, np.bool_)):
        return "yes" if value else "no"
    if isinstance(value, (float, np.floating)):
        return _number_text(float(value))
    if isinstance(value, tuple):
        return one_line(", ".join(map(str, value)))
    return one_line(value)


def _number_text(value: float) -> str:
    if 0.0 < abs(value) < 0.0005:
        return f"{value:.1e}"
    return f"{value:.3f}" if abs(value) < 1000 else f"{value:.6g}"
