"""Tables with labels that are read some rows at a time, and samples of their rows."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from setwise.contract import Labels
from setwise.datasets.dataset import Dataset
from setwise.datasets.table_files import table_dataset
from setwise.errors import InputError, quote_some
from setwise.tables.encoder import TableEncoder
from setwise.tables.files.reading import table_chunks
from setwise.tables.labels.label_columns import LabelChoice
from setwise.tables.table import Table


def sample_table(tables: Iterable[Table], n_wanted: int) -> tuple[Table, int]:
    """Take every k-th row of the parts of a table, at most ``n_wanted``; return them, and the number of all rows.

    Examples
    --------
    >>> parts = (Table(["a"], [list(range(10 * i, 10 * i + 10))], lambda row: row, None) for i in range(3))
    >>> sampled, n_rows = sample_table(parts, 10)
    >>> sampled.columns, n_rows
    ([[0, 4, 8, 12, 16, 20, 24, 28]], 30)
    """
    columns: list[list[Any]] = []
    step = n_rows = kept = 0
    first: Table | None = None
    for table in tables:
        if first is None:
            first, columns, step = table, [[] for _ in table.names], 1
        rows = range(-n_rows % step, table.n_rows, step)
        for column, entries in zip(columns, table.columns):
            column.extend(entries[row] for row in rows)
        kept, n_rows = kept + len(rows), n_rows + table.n_rows
        while kept > n_wanted:
            columns = [column[::2] for column in columns]
            kept, step = -(-kept // 2), 2 * step
    assert first is not None
    taken = step
    return replace(first, columns=columns, line=lambda row: taken * row + 1, height=kept), n_rows


def read_sample(
    path: str | os.PathLike[str],
    labels: LabelChoice,
    encoder: TableEncoder,
    *,
    n_wanted: int,
    n_rows: int,
    delimiter: str | None = None,
    decimal: str = ".",
    tag_separator: str | None = None,
    ignore: Sequence[str] = (),
) -> tuple[Dataset, int]:
    """Read every k-th row of a table, and learn from them how its columns become features.

    Parameters
    ----------
    path : str or path
    labels : list of str, str or int
        As in :func:`read_csv`.
    encoder : TableEncoder
        Not fitted.
    n_wanted : int
        Most rows of the sample.
    n_rows : int
        Rows that are read at a time.
    delimiter, decimal, tag_separator : str
    ignore : sequence of str

    Returns
    -------
    data : Dataset
    n_rows : int
        Number of all rows of the file.
    """
    table, total = sample_table(table_chunks(path, delimiter, n_rows), n_wanted)
    return table_dataset(table, decimal, labels, tag_separator, ignore, 0, encoder), total


def read_parts(
    path: str | os.PathLike[str],
    labels: LabelChoice,
    like: Dataset,
    n_rows: int,
    *,
    delimiter: str | None = None,
    decimal: str = ".",
    tag_separator: str | None = None,
    ignore: Sequence[str] = (),
) -> Iterator[Dataset]:
    """Read a table some rows at a time, with the columns and the labels of a sample of it.

    Parameters
    ----------
    path : str or path
    labels : list of str, str or int
    like : Dataset
        What :func:`read_sample` returned.
    n_rows : int
        Rows of a part; the last has fewer.
    delimiter, decimal, tag_separator : str
    ignore : sequence of str

    Yields
    ------
    Dataset
    """
    for table in table_chunks(path, delimiter, n_rows):
        part = table_dataset(table, decimal, labels, tag_separator, ignore, 0, like.encoder)
        yield replace(part, Y=_in_order_of(like, part, path), label_names=like.label_names)


def _in_order_of(like: Dataset, part: Dataset, path: str | os.PathLike[str]) -> Labels:
    """The labels of a part in the order of the sample; a tag without a row in the part is off."""
    new = [name for name in part.label_names if name not in set(like.label_names)]
    if new:
        raise InputError(
            f"the tag {quote_some(new)} occurs only in rows outside the sample from which the labels are known",
            file=path,
            hint="make a column of 0 and 1 for each tag, or fit without --memory",
        )
    Y = np.zeros((part.Y.shape[0], len(like.label_names)), np.int8)
    Y[:, [like.label_names.index(name) for name in part.label_names]] = part.Y
    return Y
