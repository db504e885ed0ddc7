"""``setwise evaluate``: score a model on data whose labels are known."""

from __future__ import annotations

import argparse
from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.metrics import precision_recall_fscore_support

from setwise.cli.arguments import add_csv_arguments, add_data_argument, add_model_argument, files_read
from setwise.cli.commands.explain import flat_features, strongest
from setwise.cli.loaded_model import LoadedModel, label_matrix, load_model
from setwise.cli.output import add_report_arguments, finish, flat_table
from setwise.cli.output_files import check_reports
from setwise.cli.progress import waiting
from setwise.datasets import Dataset, available
from setwise.errors import InputError, quote_some
from setwise.evaluation.peers.joints import joint_log_prob
from setwise.evaluation.protocol import score
from setwise.metrics import joint_log_loss
from setwise.reports import Report, Section, report_evaluation
from setwise.views import Table

EXAMPLES = """\
examples:
  setwise evaluate emotions.setwise test.arff
  setwise evaluate songs.setwise test.csv --html report.html --json > scores.json

To judge methods instead of a fitted model, on data sets by name or on your own files: setwise compare
"""

SEEN = 0.01
"""Share of rows of the training from which the report warns."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of ``setwise evaluate``."""
    add_model_argument(parser)
    add_data_argument(parser)
    add_csv_arguments(parser)
    add_report_arguments(parser)


def run(options: argparse.Namespace) -> int:
    """Print the scores, of whole sets and of each label."""
    if options.model in available():
        raise InputError(
            f"{options.model} is a data set, not a model file", hint=f"use: setwise compare {options.model}"
        )
    check_reports(options, [options.model, *files_read(options)])
    model = load_model(options.model)
    data, _ = model.read(options, with_labels=True)
    X = model.transform(data)
    title = f"{model.kind()} on {data.name}"
    subtitle = f"{data.X.shape[0]} rows, {len(data.label_names)} labels; model file {options.model}"
    with waiting("evaluating"):
        record = _record(model, X, data)
        report = report_evaluation(
            model.final,
            X,
            data.Y,
            label_names=model.about.label_names,
            title=title,
            subtitle=subtitle,
            warnings=_warnings(model, data),
        )
        page = _with_features(report, model, X, options)
    finish(report, _flat(record), [record], options, page=page)
    return 0


def _warnings(model: LoadedModel, data: Dataset) -> list[str]:
    """What makes the scores of these rows say less than they seem to."""
    keys = None if model.training is None else model.training.keys
    seen = 0.0 if keys is None else keys.seen_share(data.X)
    found = []
    if seen > SEEN:
        share = f"{seen:.0%}".replace("%", " %")
        found.append(
            f"the model was fitted to {share} of these rows, or to equal ones: its scores are too good"
        )
    encoder = model.takes.encoder
    if encoder is not None:
        out = [column.column for column in encoder.describe() if column.kind == "left out"]
        found += [f"columns left out: {quote_some(out, 8)}"] if out else []
    return found


def _with_features(report: Report, model: LoadedModel, X: Any, options: argparse.Namespace) -> Report:
    """The report with the strongest features of each label, for pages and files: too long for a terminal."""
    if options.html is None and options.markdown is None:
        return report
    found = strongest(model, X, None, n_features=5, pairs=5)
    text = "Root mean square of what a feature adds to the log-odds, in some of the rows."
    return replace(
        report, sections=[*report.sections, Section("Features", [flat_features(found)], text=text)]
    )


def _record(model: LoadedModel, X: Any, data: Dataset) -> dict[str, Any]:
    """The scores for scripts."""
    predicted = label_matrix(model.final, model.final.predict(X))
    scores = score(data.Y, predicted)
    log_prob = joint_log_prob(model.final, X, data.Y)
    if log_prob is not None:
        scores["joint_log_loss"] = joint_log_loss(log_prob)
    columns = precision_recall_fscore_support(data.Y, predicted, average=None, zero_division=0.0)
    named = zip(data.label_names, *(np.atleast_1d(column).tolist() for column in columns))
    labels = {name: {"precision": p, "recall": r, "f1": f, "rows": int(n)} for name, p, r, f, n in named}
    return {"scores": scores, "labels": labels}


def _flat(record: dict[str, Any]) -> Table:
    """The scores as a table: those of whole sets have no label."""
    rows = [["", measure, value] for measure, value in record["scores"].items()]
    rows += [[label, *item] for label, scores in record["labels"].items() for item in scores.items()]
    return flat_table(["label", "measure", "value"], rows)
