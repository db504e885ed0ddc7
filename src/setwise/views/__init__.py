"""Display of answers as text, tables, HTML and data frames."""

from setwise.views.answer import Answer, RowAnswer
from setwise.views.sheet import Sheet
from setwise.views.table import Table

__all__ = ["Answer", "RowAnswer", "Sheet", "Table"]
