"""``setwise errors``: rows whose given labels look wrong, the most doubtful first."""

from __future__ import annotations

import argparse
from typing import Any

import numpy as np

from setwise.cli.data import add_data_argument, add_delimiter_argument, files_read
from setwise.cli.models import LoadedModel, label_matrix, load_model
from setwise.cli.output import add_report_arguments, check_reports, finish, flat_table
from setwise.cli.progress import waiting
from setwise.contract import Array
from setwise.datasets import Dataset
from setwise.evaluation.label_errors import find_label_errors
from setwise.evaluation.table import Table
from setwise.reports import report_errors

EXAMPLES = """\
examples:
  setwise errors songs.setwise songs.csv --top 50
  setwise errors songs.setwise songs.csv --folds 5 --csv doubtful.csv

A model doubts its own training rows less than others: judge rows that it was not fitted to, or use --folds.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of ``setwise errors``."""
    parser.add_argument("model", metavar="MODEL", help="a file that `setwise fit` or setwise.save wrote")
    add_data_argument(parser)
    add_delimiter_argument(parser, "default: the model's")
    parser.add_argument("--top", type=int, default=20, metavar="N", help="how many rows (20)")
    parser.add_argument(
        "--folds",
        type=int,
        metavar="N",
        help="judge each row by models of its kind fitted anew without the row",
    )
    add_report_arguments(parser)


def run(options: argparse.Namespace) -> int:
    """Print the rows with the largest log P(most probable set) - log P(given set)."""
    if options.top < 1:
        raise ValueError(f"--top is {options.top}; at least one row must be asked for")
    check_reports(options, [options.model, *files_read(options)])
    model = load_model(options.model)
    data = model.read(options, with_labels=True)
    with waiting("looking for errors"):
        scores, given, expected = _judged(model, data, options.folds)
    suspicious = int((scores > 0).sum())
    order = np.argsort(-scores, kind="stable")[: min(options.top, suspicious)]
    given, expected = given[order], expected[order]
    names = model.about.label_names
    title = f"The most doubtful of the {data.X.shape[0]} rows of {data.name}"
    title += f"; {options.model} would answer otherwise in {suspicious}"
    report = report_errors(
        scores[order], given, expected, label_names=names, row_names=order.tolist(), title=title
    )
    records = [_record(*row, names) for row in zip(order, scores[order], given, expected)]
    finish(report, _flat(records), records, options)
    return 0


def _judged(model: LoadedModel, data: Dataset, folds: int | None) -> tuple[Array, Array, Array]:
    """How doubtful each row is, its labels as they are, and the most probable set."""
    X, given = model.transform(data), data.named_labels().Y
    if folds is None:
        expected = label_matrix(model.final, model.final.predict(X, decision="subset"))
        return model.final.outlier_score(X, given), given, expected
    final: Any = model.final
    found = find_label_errors(getattr(final, "estimator_", final), X, given, cv=folds)
    return found.score, given, found.suggested


def _record(row: int, score: float, given: Array, expected: Array, names: list[str]) -> dict[str, Any]:
    """A row for scripts."""
    named = np.asarray(names, dtype=object)
    return {
        "row": int(row),
        "score": float(score),
        "given": named[given == 1].tolist(),
        "expected": named[expected == 1].tolist(),
    }


def _flat(records: list[dict[str, Any]]) -> Table:
    rows = [[r["row"], r["score"], ", ".join(r["given"]), ", ".join(r["expected"])] for r in records]
    return flat_table(["row", "score", "given", "expected"], rows)
