"""``setwise predict``: label sets, probabilities or the k best sets of each row."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from typing import Any

import numpy as np

from setwise.arrays import Array, Labels
from setwise.cli.answers.answers import Answers, tag_column
from setwise.cli.answers.formats import FORMATS, ONE_SET, OTHER_FORMATS, check_kept, choose_format
from setwise.cli.answers.writing import write_answers
from setwise.cli.arguments import (
    add_csv_arguments,
    add_csv_safe_argument,
    add_data_argument,
    add_keep_argument,
    add_model_argument,
    files_read,
)
from setwise.cli.loaded_model import LoadedModel, label_matrix, load_model
from setwise.cli.merged_warnings import merged_warnings
from setwise.cli.output_files import check_outputs
from setwise.cli.progress import waiting_for_rows
from setwise.contract import FREE
from setwise.errors import InputError, quote_some
from setwise.estimators.base.set_classifier import SetClassifier

MOST_ROWS, MOST_CELLS = 2**14, 2**21
"""Rows, and their columns and labels, that are in memory at a time."""

EXAMPLES = """\
examples:
  setwise predict emotions.setwise new.arff -o answers.csv
  setwise predict songs.setwise new.csv --top-k 3 --keep id --format jsonl
  setwise predict tickets.setwise new.csv --tags --keep id -o answers.xlsx
  setwise predict songs.setwise new.csv --proba --given mood_calm=1 mood_sad=0 -o p.parquet
  cat new.csv | setwise predict songs.setwise - --decision hamming

Rows of a CSV, TSV, Parquet or Excel file are read, answered and written some at a time, however many there are.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of ``setwise predict``."""
    add_model_argument(parser)
    add_data_argument(parser)
    add_csv_arguments(parser)
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--top-k", type=int, metavar="K", help="the K most probable sets of each row")
    what.add_argument("--proba", action="store_true", help="the probability of each label instead of 0 and 1")
    what.add_argument(
        "--decision",
        metavar="LOSS",
        help="predict the best set for this loss, such as subset or hamming (default: the model's own)",
    )
    parser.add_argument(
        "--tags", action="store_true", help="list the labels of a set in one column, as a column of tags does"
    )
    parser.add_argument(
        "--given", nargs="+", default=[], metavar="LABEL=0|1", help="labels that are known for every row"
    )
    add_keep_argument(parser)
    parser.add_argument(
        "-o", "--output", metavar="FILE", help="where to write (default, or -: standard output)"
    )
    parser.add_argument("--format", choices=list(FORMATS), help="default: by the file's name, else csv")
    parser.add_argument("--json", action="store_true", help="the same as --format jsonl")
    add_csv_safe_argument(parser)


def run(options: argparse.Namespace) -> int:
    """Answer for every row of the data."""
    check_outputs([options.output], [options.model, *files_read(options)])
    form = choose_format("jsonl" if options.json else options.format, options.output)
    if options.top_k is not None and options.top_k < 1:
        raise InputError(f"--top-k is {options.top_k}; expected at least 1")
    if options.top_k is not None and form == "arff":
        raise InputError(ONE_SET, hint=OTHER_FORMATS)
    if options.tags and (options.proba or form == "arff"):
        raise InputError("--tags lists the labels of sets", hint="leave out --proba, and write no ARFF file")
    model = load_model(options.model)
    check_kept(options.keep, model.about.label_names, form)
    known = evidence(options.given, model.about.label_names)
    with merged_warnings(), waiting_for_rows(f"predicting {options.data}"):
        write_answers(_answers(model, known, options), form, options.output, csv_safe=options.csv_safe)
    return 0


def _answers(model: LoadedModel, known: Labels | None, options: argparse.Namespace) -> Iterator[Answers]:
    """The answers for some rows after the other; those of a batch need all rows at once."""
    whole = model.final.rule(options.decision).whole_batch
    names, schema = model.about.label_names, model.takes.schema
    tags = tag_column(None if schema is None else schema.tags, names) if options.tags else None
    first_row = 0
    for data, kept in model.takes.chunks(options, None if whole else _rows_at_a_time(model)):
        X = model.transform(data)
        values, probabilities = (
            _predict(model, X, options) if known is None else _predict_given(model.final, X, known, options)
        )
        yield Answers(names, values, probabilities, kept, first_row, tags)
        first_row += X.shape[0]


def _rows_at_a_time(model: LoadedModel) -> int:
    """Rows that are read and answered together: whole blocks of the model where several fit."""
    n_columns = 0 if model.takes.encoder is None else model.takes.encoder.n_features_in_
    rows = min(MOST_ROWS, max(1, MOST_CELLS // (n_columns + len(model.about.label_names))))
    block = model.final.block_rows()
    return rows - rows % block if block < rows else rows


def evidence(given: list[str], names: list[str]) -> Labels | None:
    """``label=1`` and ``label=0`` as a partial label set (L,)."""
    if not given:
        return None
    known = np.full(len(names), FREE, dtype=np.int8)
    for item in given:
        name, equals, value = item.rpartition("=")
        if not equals or value not in ("0", "1"):
            raise InputError(f"--given {item}: expected LABEL=0 or LABEL=1")
        if name not in names:
            message = f"--given {item}: the model has no label {name!r}; it has {quote_some(names, 8)}"
            raise InputError(message, label=name)
        if known[names.index(name)] not in (FREE, int(value)):
            raise InputError(f"--given: label {name!r} is both 0 and 1", label=name)
        known[names.index(name)] = int(value)
    return known


def _predict(model: LoadedModel, X: Any, options: argparse.Namespace) -> tuple[Array, Array | None]:
    """The answers, and the probabilities of k best sets."""
    final = model.final
    if options.top_k is not None:
        best = final.predict_top_k(X, options.top_k)
        return best.labels, np.exp(best.log_prob)
    if options.proba:
        return final.predict_proba(X)[:, -len(model.about.label_names) :], None
    return label_matrix(final, final.predict(X, decision=options.decision)), None


def _predict_given(
    final: SetClassifier, X: Any, known: Labels, options: argparse.Namespace
) -> tuple[Array, Array | None]:
    """The same questions, asked of the distribution given the evidence, in blocks that bound the memory."""
    step = X.shape[0] if final.rule(options.decision).whole_batch else final.block_rows()
    parts = [
        _answer_given(final, X[start : start + step], known, options) for start in range(0, X.shape[0], step)
    ]
    values, probabilities = zip(*parts)
    return np.concatenate(values), None if probabilities[0] is None else np.concatenate(probabilities)


def _answer_given(
    final: SetClassifier, X: Any, known: Labels, options: argparse.Namespace
) -> tuple[Array, Array | None]:
    p = final.distribution(X).condition(np.tile(known, (X.shape[0], 1)))
    if options.top_k is not None:
        best = p.top_k(options.top_k)
        return best.labels, np.exp(best.log_prob)
    if options.proba:
        return np.clip(p.marginals(), 0.0, 1.0), None  # a sum may exceed 1 by rounding
    return p.predict(options.decision), None
