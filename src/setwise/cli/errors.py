"""``setwise errors``: rows whose given labels look wrong, the most doubtful first."""

from __future__ import annotations

import argparse
from typing import Any

import numpy as np

from setwise.cli.data import add_data_argument, read_for_model
from setwise.cli.models import LoadedModel, label_matrix, load_model
from setwise.cli.output import add_report_arguments, finish
from setwise.cli.progress import waiting
from setwise.contract import Array
from setwise.datasets import Dataset
from setwise.evaluation.report import Table

EXAMPLES = """\
examples:
  setwise errors songs.setwise songs.csv --top 50
  setwise errors songs.setwise songs.csv --csv doubtful.csv

A model doubts its own training rows less than others: judge rows that it was not fitted to.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of ``setwise errors``."""
    parser.add_argument("model", metavar="MODEL", help="a file that `setwise fit` or setwise.save wrote")
    add_data_argument(parser)
    parser.add_argument("--top", type=int, default=20, metavar="N", help="how many rows (20)")
    add_report_arguments(parser)


def run(options: argparse.Namespace) -> int:
    """Print the rows with the largest log P(most probable set) - log P(given set)."""
    if options.top < 1:
        raise ValueError(f"--top is {options.top}; at least one row must be asked for")
    model = load_model(options.model)
    data = read_for_model(options.data, model.about, with_labels=True)
    with waiting("looking for errors"):
        scores = model.final.outlier_score(model.transform(data), data.Y)
    order = np.argsort(-scores, kind="stable")[: options.top]
    records = _records(model, data, scores, order[scores[order] > 0])
    rows = [
        [str(r["row"]), f"{r['score']:.2f}", _changes(r), "{" + ", ".join(r["given"]) + "}"] for r in records
    ]
    columns = ["row", "score", "in doubt", "given"]
    notes = ["score: log P(most probable set) - log P(given set); + should perhaps be on, - off"]
    title, subtitle = (
        f"Doubtful labels of {data.name}",
        f"{len(rows)} of {data.X.shape[0]} rows; {options.model}",
    )
    finish([Table("Rows", columns, rows, notes)], records, title, subtitle, options)
    return 0


def _records(model: LoadedModel, data: Dataset, scores: Array, order: Array) -> list[dict[str, Any]]:
    if not len(order):
        return []
    X = model.transform(data.take(order))
    expected = label_matrix(model.final, model.final.predict(X, decision="subset"))
    names = np.asarray(data.label_names, dtype=object)
    return [
        {
            "row": int(row),
            "score": float(scores[row]),
            "given": names[np.asarray(data.Y[[row]]).ravel() == 1].tolist(),
            "expected": names[answer == 1].tolist(),
        }
        for row, answer in zip(order, expected)
    ]


def _changes(record: dict[str, Any]) -> str:
    given, expected = record["given"], record["expected"]
    added = [f"+{name}" for name in expected if name not in given]
    return " ".join([*added, *(f"-{name}" for name in given if name not in expected)])
