"""Kinds of columns, one a file: how each becomes features."""

from setwise.tables.columns.boolean import Boolean as Boolean
from setwise.tables.columns.category import Category as Category
from setwise.tables.columns.column import Column as Column
from setwise.tables.columns.column import Options as Options
from setwise.tables.columns.column import Unreadable as Unreadable
from setwise.tables.columns.date import Date as Date
from setwise.tables.columns.left_out import LeftOut as LeftOut
from setwise.tables.columns.number import Number as Number
from setwise.tables.columns.tags import Tags as Tags
from setwise.tables.columns.text import Text as Text
from setwise.tables.columns.vector import Vector as Vector

KINDS: dict[str, type[Column]] = {
    kind.kind: kind for kind in (Number, Category, Boolean, Date, Text, Tags, Vector, LeftOut)
}
"""Every kind of column by its name."""
