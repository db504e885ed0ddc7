"""Data for a fitted model: its features by name, its labels, and columns to show beside the answers."""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Iterator, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from setwise.arrays import Array
from setwise.cli.checks import check_labels
from setwise.cli.sources import from_standard_input, is_file, standard_input_file, unknown_data
from setwise.cli.streams import STANDARD
from setwise.contract import FREE
from setwise.datasets import Dataset, Schema, available, file_format, load, raised_limits, read
from setwise.datasets.table_files import csv_dialect, read_chunks
from setwise.errors import InputError, InputWarning, Parameter, quote_some
from setwise.files.limits import limits
from setwise.kernels.matrices import dense_within
from setwise.persistence.opened import table_encoder
from setwise.tables.encoder import TableEncoder
from setwise.tables.files.reading import TABLES, read_table
from setwise.tables.table import LISTS, Table

LIBSVM = (".svm", ".libsvm", ".svmlight")
Kept = dict[str, Array]
"""Columns to show beside the answers: entries (n,) by name."""


@dataclass(frozen=True)
class ModelInput:
    """The input that a model expects.

    Attributes
    ----------
    label_names : list of str
    feature_names : sequence of str
        Empty if the features are only numbered.
    n_features : int or None
    schema : Schema or None
        How the columns of the training data became features.
    allow_missing : bool
        Whether features may be missing.
    encoder : TableEncoder or None
        What makes features of a table, if the model was fitted to one.
    """

    label_names: list[str]
    feature_names: Sequence[str]
    n_features: int | None
    schema: Schema | None
    allow_missing: bool
    encoder: TableEncoder | None = None

    def read(self, options: argparse.Namespace, *, with_labels: bool) -> tuple[Dataset, Kept]:
        """Read the data of the command line: the features of the model, its labels if needed, columns to keep."""
        data, keep = options.data, getattr(options, "keep", ())
        reader = partial(self._read_file, options=options, keep=keep, with_labels=with_labels)
        if data == STANDARD:
            found, kept = from_standard_input(reader)
        elif is_file(data):
            found, kept = reader(Path(data))
        elif data in available():
            if keep:
                raise _cannot_keep(keep[0], data, "a data set by name")
            found, kept = load(data), {}
        else:
            raise FileNotFoundError(unknown_data(data))
        if found.X.shape[0] == 0:
            raise InputError("the data have no rows", file=data)
        found = self._take_features(found, data)
        if with_labels:
            found = self._take_labels(found, data)
            check_labels(found, data)
        return found, kept

    def chunks(self, options: argparse.Namespace, n_rows: int | None) -> Iterator[tuple[Dataset, Kept]]:
        """Read the data without labels, ``n_rows`` at a time if they are a table; None reads all at once."""
        encoder = table_encoder(self.encoder, self.schema)
        is_table = options.data == STANDARD or (is_file(options.data) and file_format(options.data) in TABLES)
        if n_rows is None or encoder is None or not is_table:
            yield self.read(options, with_labels=False)
            return
        with standard_input_file() if options.data == STANDARD else nullcontext(Path(options.data)) as path:
            delimiter, decimal = csv_dialect(path, options.delimiter, options.decimal, self.schema)
            with raised_limits(options.raise_limits):
                for found, table in read_chunks(path, encoder, n_rows, delimiter=delimiter, decimal=decimal):
                    if not table.n_rows:
                        raise InputError("the data have no rows", file=options.data)
                    kept = kept_columns(table, options.keep)
                    yield self._take_features(found, options.data), kept

    def _read_file(
        self, path: Path, options: argparse.Namespace, keep: Sequence[str], with_labels: bool
    ) -> tuple[Dataset, Kept]:
        with raised_limits(options.raise_limits):
            kept = read_columns(path, keep, options.delimiter, self.schema) if keep else {}
            return self._read_like(path, options, with_labels), kept

    def _read_like(self, path: Path, options: argparse.Namespace, with_labels: bool) -> Dataset:
        """Read a file in the same way as the training data."""
        form, schema = file_format(path), self.schema
        given = {"delimiter": options.delimiter, "decimal": options.decimal}
        choices: dict[str, Any] = {name: value for name, value in given.items() if value is not None}
        if form in LIBSVM:
            return read(path, **choices, **self._counting())
        if form not in (*TABLES, ".arff"):
            return read(path, **choices)
        labels: Any = self.label_names if with_labels else []
        if form in TABLES and schema is not None:
            choices["like"] = schema
        if form in TABLES:
            choices["encoder"] = table_encoder(self.encoder, schema)
        if with_labels and form in TABLES and schema is not None and schema.tags is not None:
            labels, choices["tag_separator"] = schema.tags.column, schema.tags.separator
        try:
            return read(path, labels, **choices)
        except InputError as error:
            if error.parameter != Parameter("labels") or error.column is None:
                raise
            hint = (
                "its entries are the labels of the model"
                if labels == error.column
                else "it is a label of the model"
            )
            raise InputError(error.message, file=error.file, column=error.column, hint=hint) from error

    def _counting(self) -> dict[str, Any]:
        """Whether the features of a libsvm file are counted from 0."""
        counting = {
            "n_features": self.n_features or None,
            "n_labels": len(self.label_names) or None,
            "zero_based": None if self.schema is None else self.schema.zero_based,
        }
        return {name: value for name, value in counting.items() if value is not None}

    def _take_features(self, found: Dataset, data: str) -> Dataset:
        """The model's features among those of the data, by name; by number if neither side has names."""
        if self.encoder is not None:
            return found if found.encoder is self.encoder else self._encode(found, data)
        _check_categories(found, data, self.schema)
        names = self.feature_names
        if names:
            there = set(found.feature_names)
            missing = [name for name in names if name not in there]
            if missing:
                message = f"{len(missing)} of the {len(names)} features of the model are missing, first {missing[0]!r}"
                message += f"; the data have {quote_some(found.feature_names)}"
                raise InputError(message, file=data, column=missing[0])
            return found.with_features(names)
        if self.n_features is not None and found.X.shape[1] != self.n_features:
            message = f"expected the {self.n_features} features of the model, found {found.X.shape[1]}"
            raise InputError(message, file=data)
        return found

    def _encode(self, found: Dataset, data: str) -> Dataset:
        """Encode data that are not a table, by the names of their features."""
        assert self.encoder is not None
        dense = dense_within(found.X, limits().array_bytes)
        if dense is None:
            raise InputError(
                "the model was fitted to a table", file=data, hint="pass CSV, TSV, Parquet or .xlsx"
            )
        table = Table(list(found.feature_names), list(dense.T), lambda row: row + 1, data, height=len(dense))
        return replace(
            found,
            X=self.encoder.transform(table),
            feature_names=self.encoder.get_feature_names_out().tolist(),
        )

    def _take_labels(self, found: Dataset, data: str) -> Dataset:
        names = self.label_names
        if self.schema is not None and self.schema.tags is not None:
            return _labels_from_tags(found, data, names)
        if set(names) <= set(found.label_names):
            return found.with_labels(names)
        if len(found.label_names) == len(names) and _are_numbered(found.label_names):
            return found
        missing = next(name for name in names if name not in found.label_names)
        message = f"label {missing!r} of the model is missing; the data have {quote_some(found.label_names)}"
        raise InputError(message, file=data, label=missing)


def _check_categories(found: Dataset, data: str, schema: Schema | None) -> None:
    """Refuse an attribute whose declared values differ from those of the training data."""
    if schema is None or found.schema is None:
        return
    for name, words in schema.categories.items():
        if name in found.schema.columns and tuple(found.schema.categories.get(name, ())) != tuple(words):
            message = (
                f"expected the declared values {quote_some(words, 8)} of {name!r}, as in the training data"
            )
            raise InputError(message, file=data, column=name)


def _labels_from_tags(found: Dataset, data: str, names: list[str]) -> Dataset:
    """Labels from tags: one that never occurs is off in all known rows, one that the model lacks is ignored."""
    place = {name: label for label, name in enumerate(names)}
    new = [name for name in found.label_names if name not in place]
    if len(new) == len(found.label_names):
        message = f"the model has no label for the tag {new[0]!r}; it has {quote_some(names)}"
        raise InputError(message, file=data, label=new[0])
    if new:
        message = f"ignoring {len(new)} tags that are not labels of the model: {quote_some(new, 3)}"
        warnings.warn(InputWarning(message, file=data, label=new[0]), stacklevel=2)
    unknown = (found.Y == FREE).any(axis=1)
    Y = np.where(unknown[:, None], FREE, np.zeros(len(names), dtype=np.int8))
    known = [label for label, name in enumerate(found.label_names) if name in place]
    Y[:, [place[found.label_names[label]] for label in known]] = found.Y[:, known]
    return replace(found, Y=Y, label_names=names)


def _are_numbered(label_names: Sequence[str]) -> bool:
    return all(name.removeprefix("y").isdigit() for name in label_names)


def read_columns(
    path: Path, keep: Sequence[str], delimiter: str | None, like: Schema | None, parameter: str = "keep"
) -> Kept:
    """Read columns of a table by name, with their entries unchanged; ``parameter`` is the one that named them."""
    form = file_format(path)
    if form not in TABLES:
        raise _cannot_keep(keep[0], path, f"a {form} file")
    delimiter, _ = csv_dialect(path, delimiter, None, like)
    return kept_columns(read_table(path, delimiter), keep, parameter)


def kept_columns(table: Table, keep: Sequence[str], parameter: str = "keep") -> Kept:
    """Columns of a table by name, with their entries unchanged."""
    table.check_there(keep, parameter)
    table.check_names(keep)
    table.check_values([name for name in keep if table.nested.get(name) != LISTS])
    return {name: _entries(table.columns[table.names.index(name)]) for name in keep}


def _cannot_keep(name: str, where: Any, what: str) -> InputError:
    message = f"only columns of CSV, TSV, Parquet and Excel files can be kept, and this is {what}"
    return InputError(message, parameter=Parameter("keep", name), file=where)


def _entries(column: Sequence[Any]) -> Array:
    entries = np.empty(len(column), dtype=object)
    entries[:] = column
    return entries
