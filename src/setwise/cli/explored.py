"""What ``setwise explore`` explores: the rows of a file as a person reads them, and the models of files."""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path
from typing import Any

from sklearn.pipeline import Pipeline

from setwise.cli.loaded_model import LoadedModel
from setwise.cli.sources import is_file
from setwise.cli.unencoded import Unencoded
from setwise.contract import Labels
from setwise.datasets import Dataset, file_format, raised_limits
from setwise.datasets.table_files import csv_dialect
from setwise.errors import InputError
from setwise.files.text import unpacked
from setwise.kernels.matrices import to_dense
from setwise.persistence.opened import open_model
from setwise.tables.encoder import TableEncoder
from setwise.tables.files.csv import csv_delimiter
from setwise.tables.files.decimal_commas import with_points
from setwise.tables.files.reading import TABLES, read_table
from setwise.tables.table import Table
from setwise.web.explorer.corrections.copies import TableCopy
from setwise.web.explorer.rows import ArrayRows, ExploredRows, TableRows
from setwise.web.explorer.session import ExploredData, ExploredModel

LARGE = 20_000_000
"""Bytes of a table from which features are made when they are needed."""


def explored_model(model: LoadedModel) -> ExploredModel:
    """A model file to explore; when it is fitted again, it keeps the steps before the classifier."""

    def whole(final: Any) -> Any:
        parts = open_model(model.path)
        steps = [*([parts.encoder] if parts.encoder is not None else []), *(list(parts.before or []))]
        return Pipeline([(f"step{i}", step) for i, step in enumerate([*steps, final])]) if steps else final

    path = Path(model.path).resolve()
    return ExploredModel(path.stem, model.final, str(path), whole)


def explored_data(model: LoadedModel, options: argparse.Namespace) -> ExploredData:
    """The data of the command line, with its labels if it has them."""
    path = Path(options.data).resolve() if is_file(options.data) else None
    encoder = model.takes.encoder
    if encoder is not None and path is not None and _is_large_table(path):
        return _large(model, options, encoder, path)
    data, labelled = _read(model, options)
    table = _table(model, path, options) if path is not None else None
    X = model.transform(data)
    rows = ArrayRows(X, _names(data, X)) if table is None else _table_rows(model, data, X, table)
    given = to_dense(data.Y) if labelled else None
    copy = None if table is None or path is None or not labelled else _copy(model, table, path)
    return ExploredData(data.name, rows, list(model.about.label_names), given, path, copy, _tag_column(model))


def _large(
    model: LoadedModel, options: argparse.Namespace, encoder: TableEncoder, path: Path
) -> ExploredData:
    """A table that is read once, and whose features are made when they are needed."""
    unencoded = Unencoded(encoder)
    data, labelled = _read(model._replace(takes=replace(model.takes, encoder=unencoded)), options)

    def encode(one: Table) -> Any:
        return _features(model, data, encoder.transform(one))

    def copy(given: Labels, corrected: Labels) -> str:
        table = _table(model, path, options)
        assert table is not None
        return _copy(model, table, path)(given, corrected)

    rows = TableRows(unencoded.table, None, encode, data.feature_names)
    given = to_dense(data.Y) if labelled else None
    names = list(model.about.label_names)
    return ExploredData(data.name, rows, names, given, path, copy if labelled else None, _tag_column(model))


def _tag_column(model: LoadedModel) -> str:
    """The column that lists the labels, if one does."""
    schema = model.takes.schema
    return "" if schema is None or schema.tags is None else schema.tags.column


def _copy(model: LoadedModel, table: Table, path: Path) -> TableCopy:
    """What writes a table with corrected labels."""
    schema = model.takes.schema
    delimiter = csv_delimiter(path) if schema is None or schema.delimiter is None else schema.delimiter
    tags = None if schema is None else schema.tags
    return TableCopy(table, list(model.about.label_names), tags, delimiter, _newline(path))


def _newline(path: Path) -> str:
    """The line end of a text file, by its first line."""
    start = next(unpacked(path), b"")
    return "\r\n" if start.partition(b"\n")[0].endswith(b"\r") else "\n"


def _read(model: LoadedModel, options: argparse.Namespace) -> tuple[Dataset, bool]:
    """The data and whether they have labels: rows without labels can be explored too."""
    try:
        return model.read(options, with_labels=True)[0], True
    except InputError as error:
        if error.label is None and error.column is None:
            raise
    return model.read(options, with_labels=False)[0], False


def _is_large_table(path: Path) -> bool:
    """Whether rows are shown before the features of all of them are made, which takes far longer than reading them."""
    return file_format(path) in TABLES and path.stat().st_size > LARGE


def _names(data: Dataset, X: Any) -> list[str] | None:
    return list(data.feature_names) if X.shape[1] == len(data.feature_names) else None


def _table(model: LoadedModel, path: Path, options: argparse.Namespace) -> Table | None:
    """The file as a person wrote it, if it is a table."""
    if file_format(path) not in TABLES:
        return None
    delimiter, _ = csv_dialect(path, options.delimiter, options.decimal, model.takes.schema)
    with raised_limits(options.raise_limits):
        return read_table(path, delimiter)


def _table_rows(model: LoadedModel, data: Dataset, X: Any, table: Table) -> ExploredRows:
    """The columns that are not labels; the encoder of the model makes features of changed entries."""
    schema = model.takes.schema
    labels = {schema.tags.column} if schema is not None and schema.tags is not None else set(data.label_names)
    encoder = data.encoder
    if encoder is None:
        return ArrayRows(X, _names(data, X))
    comma = schema is not None and schema.decimal == ","
    shown = table.take([place for place, name in enumerate(table.names) if name not in labels])

    def encode(one: Table) -> Any:
        return _features(model, data, encoder.transform(with_points(one) if comma else one))

    return TableRows(shown, X, encode, _names(data, X) or ())


def _features(model: LoadedModel, data: Dataset, encoded: Any) -> Any:
    """What the final estimator takes of rows that were encoded."""
    assert data.encoder is not None
    names = data.encoder.get_feature_names_out().tolist()
    some = Dataset(encoded, data.Y[: encoded.shape[0]], names, data.label_names)
    return model.transform(some.with_features(data.feature_names))
