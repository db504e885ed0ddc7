"""CSV that a spreadsheet opens without running any of it."""

from __future__ import annotations

from typing import Any

from setwise.printable import printable
from setwise.tables.entries import is_number
from setwise.views import Table

FORMULAS = ("=", "+", "-", "@", "\t", "\r", "\n")
"""Characters that start a formula in a spreadsheet, or hide one."""


def safe_cell(value: Any) -> Any:
    """Quote text that a spreadsheet would take for a formula; numbers and other text are unchanged.

    Examples
    --------
    >>> safe_cell("=cmd|' /C calc'!A0"), safe_cell("-1.5"), safe_cell("red"), safe_cell("\\x1b[2J")
    ("'=cmd|' /C calc'!A0", '-1.5', 'red', '\\\\x1b[2J')
    """
    if not isinstance(value, str):
        return value
    is_formula = value.lstrip(" ").startswith(FORMULAS) and not is_number(value)
    return ("'" if is_formula else "") + printable(value)


def safe_table(table: Table) -> Table:
    """Apply :func:`safe_cell` to the header and the cells of a table."""
    columns = [safe_cell(name) for name in table.columns]
    return Table(table.title, columns, [[safe_cell(cell) for cell in row] for row in table.rows], table.notes)
