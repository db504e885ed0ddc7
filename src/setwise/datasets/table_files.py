"""CSV, TSV, Parquet and Excel files as data sets.

Labels are columns of 0/1, true/false or yes/no, or one column of tags. The other columns become features by a
:class:`TableEncoder`; by default numbers stay as they are, with NaN for missing ones.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

from sklearn.base import clone

from setwise.contract import Matrix
from setwise.datasets.dataset import Dataset
from setwise.datasets.label_files import resolve_label_file
from setwise.docstrings import filled
from setwise.errors import InputError, Parameter
from setwise.tables.columns import Number
from setwise.tables.encoder import TableEncoder
from setwise.tables.files.csv import csv_table
from setwise.tables.files.decimal_commas import refuse_points, with_points
from setwise.tables.files.excel import excel_table
from setwise.tables.files.parquet import parquet_table
from setwise.tables.files.reading import table_chunks
from setwise.tables.labels.label_columns import LabelChoice
from setwise.tables.labels.label_sets import table_labels, without_rare
from setwise.tables.schema import Schema
from setwise.tables.table import Table

PLAIN = TableEncoder(scale=False, missing="keep", min_frequency=1, keep_all=True)
"""Numbers as they are, NaN where one is missing, and a feature for every category."""
PARAGRAPHS = {
    "path_and_labels": """
        path : str or path
        labels : list of str, str or int
            Names of the label columns, a pattern (``"tag_*"``), k for the first k columns and -k for the last; or the
            name of one column, which is a label if it holds 0 and 1, and otherwise a column of tags. An empty list:
            no column is a label.
    """,
    "tags_and_encoder": """
        tag_separator : str, optional
            Between the tags of a column of tags, by default a semicolon, bar, comma or space, whichever is there. Lists
            as JSON or Python writes them need none. Pass it to say that a column of numbers holds tags.
        ignore : sequence of str
            Columns to leave out.
        min_rows : int, default=0
            Labels of fewer rows are left out, with a warning.
        encoder : TableEncoder, optional
            How the other columns become features. One that is fitted encodes the file as its own table: pass the
            ``encoder`` of the first data set to read a second file like it. By default numbers stay as they are.
    """,
}
"""Parameters of the readers of every format."""
Reader = TypeVar("Reader", bound=Callable[..., Dataset])


def _documented(reader: Reader) -> Reader:
    """Write the parameters of every reader into its docstring."""
    reader.__doc__ = filled(reader.__doc__ or "", PARAGRAPHS)
    return reader


@_documented
def read_csv(
    path: str | os.PathLike[str],
    labels: LabelChoice,
    *,
    delimiter: str | None = None,
    decimal: str | None = None,
    tag_separator: str | None = None,
    ignore: Sequence[str] = (),
    min_rows: int = 0,
    encoder: TableEncoder | None = None,
    like: Schema | None = None,
) -> Dataset:
    """Read a CSV or TSV file with a header line, plain or compressed with gzip or bzip2.

    Parameters
    ----------
    {path_and_labels}
    delimiter : str, optional
        Between columns. By default that of ``like``, or a tab for .tsv files and a comma for others.
    decimal : {".", ","}, optional
        Decimal separator of numbers. By default that of ``like``, or a point.
    {tags_and_encoder}
    like : Schema, optional
        The ``schema`` of the first data set, for the delimiter and the decimal separator.

    Returns
    -------
    Dataset

    Examples
    --------
    >>> import tempfile, pathlib
    >>> folder = tempfile.TemporaryDirectory()
    >>> path = pathlib.Path(folder.name) / "toy.csv"
    >>> _ = path.write_text("size,tags\\n0.5,red|round\\n2,red\\n")
    >>> data = read_csv(path, "tags", tag_separator="|")
    >>> data.label_names
    ('red', 'round')
    >>> data.Y
    array([[1, 1],
           [1, 0]], dtype=int8)
    """
    delimiter, decimal = csv_dialect(path, delimiter, decimal, like)
    raw = csv_table(path, delimiter)
    data = table_dataset(raw, decimal, labels, tag_separator, ignore, min_rows, encoder)
    assert data.schema is not None
    return replace(data, schema=replace(data.schema, delimiter=delimiter, decimal=decimal))


def read_chunks(
    path: str | os.PathLike[str],
    encoder: TableEncoder,
    n_rows: int,
    *,
    delimiter: str | None = None,
    decimal: str = ".",
) -> Iterator[tuple[Dataset, Table]]:
    """Read a file like the table that an encoder was fitted to, some rows at a time, each with its own columns.

    Parameters
    ----------
    path : str or path
    encoder : TableEncoder
        A fitted one.
    n_rows : int
        Rows of a part; the last has fewer.
    delimiter, decimal : str
        Of a CSV file.

    Yields
    ------
    (Dataset, Table)
        Data without labels, and what the file has in these rows.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> folder = tempfile.TemporaryDirectory()
    >>> path = pathlib.Path(folder.name) / "toy.csv"
    >>> _ = path.write_text("size\\n1\\n2\\n3\\n")
    >>> encoder = TableEncoder(scale=False).fit({"size": [0.5, 2.5]})
    >>> [data.X.ravel().tolist() for data, table in read_chunks(path, encoder, 2)]
    [[1.0, 2.0], [3.0]]
    """
    for table in table_chunks(path, delimiter, n_rows):
        yield table_dataset(table, decimal, [], None, (), 0, encoder), table


def csv_dialect(
    path: str | os.PathLike[str], delimiter: str | None, decimal: str | None, like: Schema | None
) -> tuple[str | None, str]:
    """Delimiter (None: the usual one) and decimal separator: those passed, otherwise those of the training table."""
    if delimiter is None and like is not None and ".tsv" not in Path(path).suffixes:
        delimiter = like.delimiter
    if decimal is None:
        decimal = "." if like is None else like.decimal
    if decimal not in (".", ","):
        raise InputError("expected '.' or ','", parameter=Parameter("decimal", decimal), file=path)
    return delimiter, decimal


@_documented
def read_parquet(
    path: str | os.PathLike[str],
    labels: LabelChoice,
    *,
    tag_separator: str | None = None,
    ignore: Sequence[str] = (),
    min_rows: int = 0,
    encoder: TableEncoder | None = None,
    like: Schema | None = None,
) -> Dataset:
    """Read a Parquet file with the package polars.

    Columns of lists are tags or vectors; columns of structs or bytes are refused.

    Parameters
    ----------
    {path_and_labels}
    {tags_and_encoder}
    like : Schema, optional
        Ignored: the file itself says how it is written.

    Returns
    -------
    Dataset

    Examples
    --------
    >>> import tempfile, pathlib, polars
    >>> folder = tempfile.TemporaryDirectory()
    >>> path = pathlib.Path(folder.name) / "toy.parquet"
    >>> polars.DataFrame({"size": [0.5, 2.0], "tags": [["red", "round"], ["red"]]}).write_parquet(path)
    >>> read_parquet(path, "tags")
    Dataset('toy', rows=2, features=1, labels=2)
    """
    return table_dataset(parquet_table(path), ".", labels, tag_separator, ignore, min_rows, encoder)


@_documented
def read_excel(
    path: str | os.PathLike[str],
    labels: LabelChoice,
    *,
    tag_separator: str | None = None,
    ignore: Sequence[str] = (),
    min_rows: int = 0,
    encoder: TableEncoder | None = None,
    like: Schema | None = None,
) -> Dataset:
    """Read the first sheet of an Excel workbook (.xlsx) with the package openpyxl.

    The first row that is not empty has the names of the columns. Cells are what they are in Excel: numbers, dates,
    texts; a formula is its last value.

    Parameters
    ----------
    {path_and_labels}
    {tags_and_encoder}
    like : Schema, optional
        Ignored: the file itself says how it is written.

    Returns
    -------
    Dataset

    Examples
    --------
    >>> import tempfile, pathlib, openpyxl
    >>> folder = tempfile.TemporaryDirectory()
    >>> path = pathlib.Path(folder.name) / "toy.xlsx"
    >>> book = openpyxl.Workbook()
    >>> for row in (["size", "tags"], [0.5, "red; round"], [2, "red"]):
    ...     book.active.append(row)
    >>> book.save(path)
    >>> read_excel(path, "tags")
    Dataset('toy', rows=2, features=1, labels=2)
    """
    return table_dataset(excel_table(path), ".", labels, tag_separator, ignore, min_rows, encoder)


def table_dataset(
    raw: Table,
    decimal: str,
    labels: LabelChoice,
    tag_separator: str | None,
    ignore: Sequence[str],
    min_rows: int,
    encoder: TableEncoder | None,
) -> Dataset:
    """Choose the label columns of a table and encode the others."""
    table = raw if decimal == "." else with_points(raw)
    assert table.path is not None
    table.check_there(ignore, "ignore")
    choice = resolve_label_file(labels, table.names, table.path)
    found = table_labels(table, raw, choice, tag_separator)
    if min_rows > 0:
        found = without_rare(found, min_rows, table.path)
    rest = [c for c, name in enumerate(table.names) if c not in found.columns and name not in ignore]
    X, fitted = _encode(table.take(rest), encoder)
    if decimal == ",":
        refuse_points(raw, (name for name, c in fitted.columns_.items() if isinstance(c, Number)))
    name = Path(table.path).name.split(".")[0]
    names = fitted.get_feature_names_out().tolist()
    return Dataset(X, found.Y, names, found.names, name=name, schema=Schema(tags=found.tags), encoder=fitted)


def _encode(table: Table, encoder: TableEncoder | None) -> tuple[Matrix, TableEncoder]:
    """The features of a table, by a fitted encoder or by a new one that is fitted to it."""
    if encoder is not None and hasattr(encoder, "columns_"):
        return encoder.transform(table), encoder
    fresh = clone(PLAIN if encoder is None else encoder)
    return fresh.fit_transform(table), fresh
