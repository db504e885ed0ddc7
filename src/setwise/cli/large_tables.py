"""Fits to tables that are larger than memory."""

from __future__ import annotations

import argparse
import operator
import time
from pathlib import Path
from typing import Any

from sklearn.base import clone

from setwise.blockwise import fit_in_blocks
from setwise.blockwise.families import fits_in_blocks
from setwise.blockwise.tables import EncodedTable, encode_table
from setwise.cli.fitted import Fitted
from setwise.cli.models import missing_label_models, takes_missing_labels
from setwise.cli.progress import waiting, waiting_for_rows
from setwise.cli.sources import reader_options, unknown_data
from setwise.cli.streams import STANDARD
from setwise.datasets import raised_limits
from setwise.datasets.large_tables import LargeTable
from setwise.errors import InputError, Parameter
from setwise.estimators.catalog import about, candidates, methods
from setwise.estimators.meta.auto import AutoSetClassifier
from setwise.persistence.row_keys import RowKeys
from setwise.tables.encoder import TableEncoder


def fit_large(model: Any, options: argparse.Namespace) -> Fitted:
    """Read a table some rows at a time, and fit a model to all of them within the memory limit."""
    if not isinstance(model, AutoSetClassifier) and not fits_in_blocks(model):
        able = [about(kind).short for kind in methods().values() if fits_in_blocks(kind())]
        message = f"--model {options.model} needs all rows in memory"
        raise InputError(message, hint=f"with --memory, use auto or one of {', '.join(able)}")
    if options.data == STANDARD:
        raise InputError("--memory reads a file several times, and standard input can be read once")
    if not Path(options.data).exists():
        raise FileNotFoundError(unknown_data(options.data))
    table, name = _encoded(model, options), Path(options.data).name
    start, chooser = time.perf_counter(), None
    budget = options.time_budget if isinstance(model, AutoSetClassifier) else None
    with waiting(f"fitting {options.model}", budget):
        if isinstance(model, AutoSetClassifier):
            templates = [candidate for candidate in candidates() if fits_in_blocks(candidate)]
            chooser = model.set_params(candidates=templates, stack=False)
            model = clone(chooser.fit(table.first.X, table.first.named_labels()).estimator_)
        fitted = fit_in_blocks(model, table.blocks, sample_rows=table.sample_rows)
    seconds = time.perf_counter() - start
    keys = table.blocks.total(_keys, operator.or_)
    return Fitted(fitted, name, table.first, table.n_rows, table.n_unknown, keys, seconds, chooser)


def _encoded(model: Any, options: argparse.Namespace) -> EncodedTable:
    given = reader_options(options)
    encoder = TableEncoder(columns=given.pop("columns", None))
    table = LargeTable(options.data, given.pop("delimiter", None), given.pop("decimal", None))
    labels, unknown = given.pop("labels", None), takes_missing_labels(model)
    if labels is None:
        ask = ("pass ", Parameter("labels"), ", e.g. names, a pattern, or the number of label columns")
        raise InputError("which columns are labels?", file=options.data, hint=ask)
    limits = {"memory_limit": options.memory, "unknown_labels": unknown}
    with waiting_for_rows(f"reading {options.data}"), raised_limits(options.raise_limits):
        try:
            return encode_table(table, labels, encoder=encoder, **limits, **given)
        except InputError as error:
            if unknown or error.label is None:
                raise
            hint = f"leave the row out, or use --model {' or '.join(missing_label_models())}"
            raise InputError(
                error.message, file=error.file, line=error.line, label=error.label, hint=hint
            ) from error


def _keys(number: int, X: Any, Y: Any, weights: Any) -> RowKeys:
    return RowKeys.of(X)
