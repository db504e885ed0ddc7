"""How answers are shown: text, tables, HTML and data frames, in one place for every answer."""

from setwise.views.answer import Answer, RowAnswer
from setwise.views.sheet import Sheet
from setwise.views.table import Table

__all__ = ["Answer", "RowAnswer", "Sheet", "Table"]
