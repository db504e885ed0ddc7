"""``setwise errors``: rows whose given labels look wrong, the most doubtful first."""

from __future__ import annotations

import argparse
from typing import Any

import numpy as np

from setwise.cli.answers.answers import free_name
from setwise.cli.arguments import (
    add_csv_arguments,
    add_data_argument,
    add_keep_argument,
    add_model_argument,
    files_read,
)
from setwise.cli.loaded_model import LoadedModel, label_matrix, load_model
from setwise.cli.output import add_report_arguments, finish, flat_table
from setwise.cli.output_files import check_reports
from setwise.cli.progress import waiting
from setwise.contract import Array
from setwise.datasets import Dataset
from setwise.errors import InputError
from setwise.evaluation.label_errors import find_label_errors
from setwise.reports import report_errors
from setwise.views import Table

EXAMPLES = """\
examples:
  setwise errors songs.setwise songs.csv --top 50
  setwise errors songs.setwise songs.csv --folds 5 --keep id --csv doubtful.csv

A model doubts its own training rows less than others: pass rows that it was not fitted to, or use --folds.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of ``setwise errors``."""
    add_model_argument(parser)
    add_data_argument(parser)
    add_csv_arguments(parser)
    parser.add_argument("--top", type=int, default=20, metavar="N", help="how many rows (20)")
    parser.add_argument(
        "--folds",
        type=int,
        metavar="N",
        help="judge each row by models of the same kind that are fitted without it",
    )
    add_keep_argument(parser)
    add_report_arguments(parser)


def run(options: argparse.Namespace) -> int:
    """Print the rows with the largest log P(most probable set) - log P(given set)."""
    if options.top < 1:
        raise InputError(f"--top is {options.top}; expected at least 1")
    check_reports(options, [options.model, *files_read(options)])
    model = load_model(options.model)
    data, kept = model.read(options, with_labels=True)
    with waiting("looking for errors"):
        scores, given, expected, proba = _judged(model, data, options.folds)
    suspicious = int((scores > 0).sum())
    order = np.argsort(-scores, kind="stable")[: min(options.top, suspicious)]
    given, expected = given[order], expected[order]
    names = model.about.label_names
    title = f"The most doubtful of the {data.X.shape[0]} rows of {data.name}"
    title += f"; {options.model} predicts another set in {suspicious}"
    beside = [{name: column[row] for name, column in kept.items()} for row in order]
    rows = [" ".join([str(row), *map(_text, entries.values())]) for row, entries in zip(order, beside)]
    shown = None if proba is None else proba[order]
    report = report_errors(
        scores[order], given, expected, label_names=names, row_names=rows, title=title, proba=shown
    )
    records = [_record(*row, names) for row in zip(order, beside, scores[order], given, expected)]
    finish(report, _flat(records, list(kept)), records, options)
    return 0


def _text(entry: Any) -> str:
    return "" if entry is None else str(entry)


def _judged(model: LoadedModel, data: Dataset, folds: int | None) -> tuple[Array, Array, Array, Array | None]:
    """How doubtful each row is, its given labels, the most probable set, and the probability of each label."""
    X, given = model.transform(data), data.named_labels().Y
    if folds is None:
        expected = label_matrix(model.final, model.final.predict(X, decision="subset"))
        proba = model.final.predict_proba(X)[:, -given.shape[1] :]
        return model.final.outlier_score(X, given), given, expected, proba
    final: Any = model.final
    found = find_label_errors(getattr(final, "estimator_", final), X, given, cv=folds)
    return found.score, given, found.suggested, None


def _record(
    row: int, beside: dict[str, Any], score: float, given: Array, expected: Array, names: list[str]
) -> dict[str, Any]:
    """A row for scripts."""
    named = np.asarray(names, dtype=object)
    return {
        "row": int(row),
        **({"kept": beside} if beside else {}),
        "score": float(score),
        "given": named[given == 1].tolist(),
        "expected": named[expected == 1].tolist(),
    }


def _flat(records: list[dict[str, Any]], kept: list[str]) -> Table:
    rows = [
        [
            r["row"],
            *(_text(r["kept"][name]) for name in kept),
            r["score"],
            ", ".join(r["given"]),
            ", ".join(r["expected"]),
        ]
        for r in records
    ]
    row, *others = (free_name(name, kept) for name in ("row", "score", "given", "expected"))
    return flat_table([row, *kept, *others], rows)
