"""The rows that are explored: what a person reads of them, and what a model takes."""

from setwise.web.explorer.rows.arrays import ArrayRows
from setwise.web.explorer.rows.base import Cell, ExploredRows
from setwise.web.explorer.rows.frames import FrameRows
from setwise.web.explorer.rows.of import rows_of
from setwise.web.explorer.rows.tables import TableRows
from setwise.web.explorer.rows.texts import TextRows

__all__ = ["ArrayRows", "Cell", "ExploredRows", "FrameRows", "TableRows", "TextRows", "rows_of"]
