"""``setwise evaluate``: how good a model is on data whose labels are known."""

from __future__ import annotations

import argparse

import numpy as np
from sklearn.metrics import precision_recall_fscore_support

from setwise.cli.data import add_data_argument, read_for_model
from setwise.cli.models import LoadedModel, label_matrix, load_model
from setwise.cli.output import add_report_arguments, finish
from setwise.cli.progress import waiting
from setwise.datasets import Dataset, available
from setwise.evaluation.protocol import measure
from setwise.evaluation.report import Table

EXAMPLES = """\
examples:
  setwise evaluate emotions.setwise test.arff
  setwise evaluate songs.setwise test.csv --html report.html --json > scores.json

To judge methods instead of a fitted model, on data sets by name or on your own files: setwise compare
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of ``setwise evaluate``."""
    parser.add_argument("model", metavar="MODEL", help="a file that `setwise fit` or setwise.save wrote")
    add_data_argument(parser)
    add_report_arguments(parser)


def run(options: argparse.Namespace) -> int:
    """Print the scores, of whole sets and of each label."""
    if options.model in available():
        raise ValueError(
            f"{options.model} is a data set, not a model file; use: setwise compare {options.model}"
        )
    model = load_model(options.model)
    data = read_for_model(options.data, model.about, with_labels=True)
    with waiting("evaluating"):
        scores = measure(model.pipeline, data, np.arange(data.X.shape[0]))
        labels = _label_scores(model, data)
    title = f"{model.about.estimator} on {data.name}"
    subtitle = f"{data.X.shape[0]} rows, {len(data.label_names)} labels; model file {options.model}"
    records = [{"scores": scores, "labels": labels}]
    finish([_scores(scores), _labels(labels)], records, title, subtitle, options)
    return 0


def _label_scores(model: LoadedModel, data: Dataset) -> dict[str, dict[str, float]]:
    predicted = label_matrix(model.final, model.final.predict(model.transform(data)))
    scores = precision_recall_fscore_support(data.Y, predicted, average=None, zero_division=0.0)
    columns = zip(data.label_names, *(np.atleast_1d(column).tolist() for column in scores))
    return {
        name: {"precision": p, "recall": r, "f1": f, "rows": int(support)}
        for name, p, r, f, support in columns
    }


def _scores(scores: dict[str, float]) -> Table:
    rows = [[name.replace("_", " "), f"{value:.4f}"] for name, value in scores.items()]
    return Table("Scores", ["measure", "value"], rows)


def _labels(labels: dict[str, dict[str, float]]) -> Table:
    rows = [
        [name, f"{s['rows']:.0f}", f"{s['precision']:.3f}", f"{s['recall']:.3f}", f"{s['f1']:.3f}"]
        for name, s in labels.items()
    ]
    return Table("Labels", ["label", "rows", "precision", "recall", "F1"], rows)
