"""Tables in files as blocks: every row is encoded once, and kept in temporary files for the rounds of a fit."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import scipy.sparse as sp

from setwise.blocks import StreamedBlocks
from setwise.blockwise.memory import bytes_of, room_to_keep, rows_within
from setwise.contract import FREE, Labels, Matrix
from setwise.datasets import Dataset
from setwise.datasets.large_tables import LargeTable
from setwise.kernels.matrices import is_sparse
from setwise.tables.encoder import TableEncoder
from setwise.tables.labels.tag_tables import LabelTable

ENCODER_ROWS = 20_000
"""Rows to which the encoder of a table is fitted, fewer if the memory limit demands it."""
ENTRY_NUMBERS = 2
"""Numbers that need as much memory as an entry of a table while it is read: about 90 bytes were measured."""


@dataclass(frozen=True)
class EncodedTable:
    """The rows of a table, encoded in temporary files that are deleted with ``blocks``.

    Attributes
    ----------
    first : Dataset
        The sample to which the encoder was fitted; it has the names of features and labels.
    blocks : StreamedBlocks
        Each block has its number, features, labels, and None.
    n_rows, n_unknown : int
        Rows, and label values that are not known.
    sample_rows : int
        Rows of a sample that the memory limit allows.
    """

    first: Dataset
    blocks: StreamedBlocks
    n_rows: int
    n_unknown: int
    sample_rows: int


def encode_table(
    table: LargeTable,
    labels: Any,
    *,
    memory_limit: int | str,
    sample_rows: int = ENCODER_ROWS,
    encoder: TableEncoder | None = None,
    unknown_labels: bool = True,
    **options: Any,
) -> EncodedTable:
    """Encode all rows of a table, some at a time.

    Parameters
    ----------
    table : LargeTable
    labels : list of str, str or int
        Which columns are labels; of a column of tags, the labels are those that the sample has.
    memory_limit : int or str
        What reading, and a fit to the blocks, may take.
    sample_rows : int, default=20000
        Rows to which the encoder is fitted.
    encoder : TableEncoder, optional
        An unfitted one.
    unknown_labels : bool, default=True
        Whether labels may be unknown.
    **options
        Others of :meth:`~setwise.datasets.large_tables.LargeTable.sample`.

    Returns
    -------
    EncodedTable
    """
    budget = bytes_of(memory_limit)
    read = rows_within(budget, ENTRY_NUMBERS * table.n_columns(), 0)
    encoder = TableEncoder() if encoder is None else encoder
    first = table.sample(labels, min(sample_rows, read), encoder=encoder, chunk_rows=read, **options)
    cells = -(-first.X.size // max(1, first.X.shape[0]))  # of a sparse row, those that are stored
    n_labels = len(first.label_names)
    room = room_to_keep(budget, sparse=is_sparse(first.X))
    folder = TemporaryDirectory(prefix="setwise-")
    block = min(read, rows_within(budget - room, cells, n_labels))
    parts = table.parts_like(first, block, unknown_labels=unknown_labels)
    loaders, n_rows, n_unknown = [], 0, 0
    for number, (X, Y) in enumerate(parts):
        loaders.append(StoredRows.of(number, X, Y, first.label_names, folder))
        n_rows, n_unknown = n_rows + len(Y), n_unknown + int((Y == FREE).sum())
    most = min(sample_rows, rows_within(2 * budget, cells, n_labels))
    return EncodedTable(first, StreamedBlocks(tuple(loaders), room=room), n_rows, n_unknown, most)


@dataclass(frozen=True)
class StoredRows:
    """Loads a block from its temporary files."""

    number: int
    label_names: tuple[str, ...]
    folder: TemporaryDirectory[str]
    sparse: bool

    @classmethod
    def of(
        cls, number: int, X: Matrix, Y: Labels, label_names: Any, folder: TemporaryDirectory[str]
    ) -> StoredRows:
        """Write a block."""
        stored = cls(number, tuple(label_names), folder, is_sparse(X))
        if stored.sparse:
            sp.save_npz(stored._path("X.npz"), X, compressed=False)
        else:
            np.save(stored._path("X.npy"), X)
        np.save(stored._path("Y.npy"), Y)
        return stored

    def __call__(self) -> tuple[Any, ...]:
        """Load the block: its number, features, labels with their names, and no weights."""
        X = sp.load_npz(self._path("X.npz")) if self.sparse else np.load(self._path("X.npy"))
        return self.number, X, LabelTable(np.load(self._path("Y.npy")), self.label_names), None

    def _path(self, name: str) -> Path:
        return Path(self.folder.name) / f"{self.number}-{name}"
