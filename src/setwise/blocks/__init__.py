"""Rows in blocks: the memory budget, how rows are split, and the protocol for working on blocks."""

from setwise.blocks.budget import BLOCK_BYTES, block_rows
from setwise.blocks.in_memory import ArrayBlocks
from setwise.blocks.protocol import Blocks, add_parts, merge
from setwise.blocks.slices import row_slices
from setwise.blocks.streamed import StreamedBlocks

__all__ = [
    "BLOCK_BYTES",
    "ArrayBlocks",
    "Blocks",
    "StreamedBlocks",
    "add_parts",
    "block_rows",
    "merge",
    "row_slices",
]
