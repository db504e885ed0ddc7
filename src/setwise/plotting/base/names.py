"""Names as text on a figure, without any markup."""

from __future__ import annotations

from setwise.views.text import one_line


def plain(name: object, width: int = 40) -> str:
    r"""Put a name on one line of at most ``width`` characters; a dollar sign does not open a formula.

    Examples
    --------
    >>> plain("price in $")
    'price in \\$'
    >>> plain("a very long name", width=8)
    'a very …'
    """
    return one_line(name, width).replace("$", r"\$")
