"""Tables larger than memory: a sample of their rows as a data set, and all rows like it, some at a time."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from setwise.contract import FREE, Labels, Matrix
from setwise.datasets.dataset import Dataset
from setwise.datasets.table_files import csv_dialect, table_dataset
from setwise.errors import InputError, quote_some
from setwise.kernels.matrices import first_cell
from setwise.tables.encoder import TableEncoder
from setwise.tables.files.decimal_commas import with_points
from setwise.tables.files.reading import CSV, table_chunks
from setwise.tables.files.sampling import sample_rows
from setwise.tables.labels.label_columns import LabelChoice
from setwise.tables.labels.label_sets import labels_like
from setwise.tables.table import Table

LARGE = (*CSV, ".parquet")
"""Suffixes of the files that can be read some rows at a time without limit."""


@dataclass(frozen=True)
class LargeTable:
    """A CSV or Parquet file, or a folder of Parquet files.

    Parameters
    ----------
    path : path
    delimiter, decimal : str, optional
        Of a CSV file.

    Examples
    --------
    >>> import tempfile
    >>> folder = tempfile.TemporaryDirectory()
    >>> path = Path(folder.name) / "toy.csv"
    >>> _ = path.write_text("size,tags\\n" + "0.5,red;round\\n2,red\\n" * 50)
    >>> table = LargeTable(path)
    >>> first = table.sample("tags", 10)
    >>> first, [X.shape for X, Y in table.parts_like(first, 60)]
    (Dataset('toy', rows=10, features=1, labels=2), [(60, 1), (40, 1)])
    """

    path: str | os.PathLike[str]
    delimiter: str | None = None
    decimal: str | None = None

    @property
    def files(self) -> list[Path]:
        """The file, or those of the folder in the order of their names."""
        path = Path(self.path)
        if path.is_dir():
            found = sorted(path.glob("*.parquet"))
            if not found:
                raise InputError("the folder has no .parquet files", file=path)
            return found
        if not set(LARGE) & {suffix.lower() for suffix in path.suffixes}:
            known = ", ".join(LARGE)
            message = f"only {known} files and folders of .parquet files are read some rows at a time"
            raise InputError(message, file=path)
        return [path]

    def chunks(self, n_rows: int) -> Iterator[Table]:
        """Read the rows of all files; their columns may be in another order, but must be the same."""
        delimiter, names = csv_dialect(self.path, self.delimiter, self.decimal, None)[0], None
        for path in self.files:
            for table in table_chunks(path, delimiter, n_rows):
                names = table.names if names is None else names
                if sorted(table.names) != sorted(names):
                    odd = sorted(set(table.names) ^ set(names)) or table.names
                    message = f"expected the columns of the first file; {quote_some(odd)} differ"
                    raise InputError(message, file=path)
                yield table.take([table.names.index(name) for name in names])

    def n_columns(self) -> int:
        """Count the columns."""
        return len(next(self.chunks(1)).names)

    def sample(
        self,
        labels: LabelChoice,
        n_rows: int,
        *,
        tag_separator: str | None = None,
        ignore: Sequence[str] = (),
        min_rows: int = 0,
        encoder: TableEncoder | None = None,
        chunk_rows: int = 2**14,
    ) -> Dataset:
        """Read a random sample of the rows as a data set, whose encoder is fitted to it.

        Parameters
        ----------
        labels : list of str, str or int
        n_rows : int
            Rows of the sample.
        tag_separator : str, optional
        ignore : sequence of str
        min_rows : int, default=0
            In the sample.
        encoder : TableEncoder, optional
            All as in :func:`read_csv`.
        chunk_rows : int
            Rows that are read at a time.

        Returns
        -------
        Dataset
        """
        delimiter, decimal = csv_dialect(self.path, self.delimiter, self.decimal, None)
        raw = replace(sample_rows(self.chunks(chunk_rows), n_rows), path=self.path)
        data = table_dataset(raw, decimal, labels, tag_separator, ignore, min_rows, encoder)
        assert data.schema is not None
        return replace(data, schema=replace(data.schema, delimiter=delimiter, decimal=decimal))

    def parts_like(
        self, first: Dataset, n_rows: int, *, unknown_labels: bool = True
    ) -> Iterator[tuple[Matrix, Labels]]:
        """Read all rows as the sample was read, some at a time.

        Parameters
        ----------
        first : Dataset
            What :meth:`sample` returned.
        n_rows : int
            Rows of a part; the last of a file has fewer.
        unknown_labels : bool, default=True
            Whether labels may be unknown.

        Yields
        ------
        (array or CSR of shape (n, d), ndarray of shape (n, L))
        """
        assert first.schema is not None
        assert first.encoder is not None
        for raw in self.chunks(n_rows):
            table = raw if first.schema.decimal == "." else with_points(raw)
            Y = labels_like(table, raw, first.label_names, first.schema.tags)
            if not unknown_labels and (Y == FREE).any():
                raise _unknown_label(raw, Y, first.label_names)
            yield first.encoder.transform(table), Y


def _unknown_label(table: Table, Y: Labels, names: Sequence[str]) -> InputError:
    row, label = first_cell(Y, Y == FREE)
    where: dict[str, Any] = {"file": table.path, "line": table.line(row), "label": names[label]}
    return InputError(f"label {names[label]!r} is unknown", hint="leave the row out", **where)
