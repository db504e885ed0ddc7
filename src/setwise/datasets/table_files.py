"""CSV, TSV and Parquet files as data sets.

Labels are columns of 0/1, true/false or yes/no, or one column of tags. Of the other columns, numbers are features,
categories become one feature per value, and free text is ignored with a warning.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from setwise.datasets.dataset import Dataset
from setwise.datasets.label_files import resolve_label_file
from setwise.errors import InputError, Parameter
from setwise.tables.column_types import infer_features
from setwise.tables.csv import csv_table
from setwise.tables.decimal_commas import refuse_points, with_points
from setwise.tables.label_columns import LabelChoice
from setwise.tables.labels import table_labels
from setwise.tables.parquet import parquet_table
from setwise.tables.replay import replay_features
from setwise.tables.schema import Schema
from setwise.tables.table import Table


def read_csv(
    path: str | os.PathLike[str],
    labels: LabelChoice,
    *,
    delimiter: str | None = None,
    decimal: str | None = None,
    tag_separator: str | None = None,
    ignore: Sequence[str] = (),
    like: Schema | None = None,
    allow_missing: bool = True,
) -> Dataset:
    """Read a CSV or TSV file with a header line, plain or compressed with gzip or bzip2.

    Parameters
    ----------
    path : str or path
    labels : list of str, str or int
        Names of the label columns, a pattern (``"tag_*"``), k for the first k columns and -k for the last; or the
        name of one column, which is a label if it holds 0 and 1, and otherwise a column of tags. An empty list:
        there are no labels.
    delimiter : str, optional
        Between columns. By default that of ``like``, or a tab for .tsv files and a comma for others.
    decimal : {".", ","}, optional
        Decimal separator of numbers. By default that of ``like``, or a point.
    tag_separator : str, optional
        Between the tags of a column of tags, by default a comma. Pass it to say that a column of numbers holds tags.
    ignore : sequence of str
        Columns to leave out.
    like : Schema, optional
        Take the columns of another file and encode them as it was. A word that it did not have counts as none of its
        categories.
    allow_missing : bool, default=True
        With ``like``: whether values may be missing. If not, the first that is missing is named in an error.

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
    if decimal not in (".", ","):
        raise InputError("expected '.' or ','", parameter=Parameter("decimal", decimal), file=path)
    raw = csv_table(path, delimiter)
    table = raw if decimal == "." else with_points(raw)
    data = _dataset(table, raw, labels, tag_separator, ignore, like, allow_missing)
    if decimal == "," and data.schema is not None:
        refuse_points(raw, data.schema)
    schema = (
        data.schema if data.schema is None else replace(data.schema, delimiter=delimiter, decimal=decimal)
    )
    return replace(data, schema=schema)


def csv_dialect(
    path: str | os.PathLike[str], delimiter: str | None, decimal: str | None, like: Schema | None
) -> tuple[str | None, str]:
    """Delimiter (None: the usual one) and decimal separator: those passed, otherwise those of the training table."""
    if delimiter is None and like is not None and ".tsv" not in Path(path).suffixes:
        delimiter = like.delimiter
    if decimal is None:
        decimal = "." if like is None else like.decimal
    return delimiter, decimal


def read_parquet(
    path: str | os.PathLike[str],
    labels: LabelChoice,
    *,
    tag_separator: str | None = None,
    ignore: Sequence[str] = (),
    like: Schema | None = None,
    allow_missing: bool = True,
) -> Dataset:
    """Read a Parquet file with the package polars.

    A column of tags may also hold lists; other columns of lists, structs or bytes are refused.

    Parameters
    ----------
    path : str or path
    labels : list of str, str or int
    tag_separator : str, optional
    ignore : sequence of str
    like : Schema, optional
    allow_missing : bool, default=True
        All as in :func:`read_csv`.

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
    table = parquet_table(path)
    return _dataset(table, table, labels, tag_separator, ignore, like, allow_missing)


def _dataset(
    table: Table,
    raw: Table,
    labels: LabelChoice,
    tag_separator: str | None,
    ignore: Sequence[str],
    like: Schema | None,
    allow_missing: bool,
) -> Dataset:
    """Choose the label columns of a table and encode the others; ``raw`` has numbers as the file writes them."""
    table.check_there(ignore, "ignore")
    choice = resolve_label_file(labels, table.names, table.path)
    Y, label_names, chosen, tags = table_labels(table, raw, choice, tag_separator)
    if like is None:
        rest = [c for c, name in enumerate(table.names) if c not in chosen and name not in ignore]
        X, feature_names, schema = infer_features(table, rest)
    else:
        X, feature_names = replay_features(table, like, allow_missing=allow_missing)
        schema = like
    name = Path(table.path).name.split(".")[0]
    return Dataset(X, Y, feature_names, label_names, name=name, schema=replace(schema, tags=tags))
