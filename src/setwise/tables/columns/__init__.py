"""Kinds of columns, one a file: how each becomes features."""

from setwise.tables.columns.boolean import Boolean
from setwise.tables.columns.category import Category
from setwise.tables.columns.column import Column, Options, Unreadable
from setwise.tables.columns.date import Date
from setwise.tables.columns.left_out import LeftOut
from setwise.tables.columns.number import Number
from setwise.tables.columns.tags import Tags
from setwise.tables.columns.text import Text
from setwise.tables.columns.vector import Vector

__all__ = [
    "KINDS",
    "Boolean",
    "Category",
    "Column",
    "Date",
    "LeftOut",
    "Number",
    "Options",
    "Tags",
    "Text",
    "Unreadable",
    "Vector",
]

KINDS: dict[str, type[Column]] = {
    kind.kind: kind for kind in (Number, Category, Boolean, Date, Text, Tags, Vector, LeftOut)
}
"""Every kind of column by its name."""
