"""Rows in blocks: how much is held at a time, and where the rows are cut."""

from setwise.blocks.budget import BLOCK_BYTES, block_rows
from setwise.blocks.slices import row_slices

__all__ = ["BLOCK_BYTES", "block_rows", "row_slices"]
