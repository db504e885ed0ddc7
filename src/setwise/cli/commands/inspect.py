"""``setwise inspect``: show the content of a model file."""

from __future__ import annotations

import argparse
from typing import Any

from setwise.cli.arguments import add_csv_arguments, add_model_argument, files_read
from setwise.cli.commands.fit import leaderboard, share_of_rows
from setwise.cli.loaded_model import LoadedModel, load_model
from setwise.cli.models import fitted_rows
from setwise.cli.output import add_report_arguments, finish
from setwise.cli.output_files import check_reports
from setwise.errors import InputError
from setwise.estimators.meta.auto import AutoSetClassifier
from setwise.reports import Report, Section, report_model
from setwise.views import Table

EXAMPLES = """\
examples:
  setwise inspect emotions.setwise
  setwise inspect emotions.setwise emotions.arff --html model.html
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of ``setwise inspect``."""
    add_model_argument(parser)
    parser.add_argument("data", metavar="DATA", nargs="?", help="rows with labels to explain the model by")
    add_csv_arguments(parser)
    parser.add_argument(
        "--rows", nargs="+", type=int, metavar="ROW", help="rows of DATA to show, counted from 0"
    )
    add_report_arguments(parser)


def run(options: argparse.Namespace) -> int:
    """Print the description of the file and what the model learned about the labels."""
    check_reports(options, [options.model, *files_read(options)])
    model = load_model(options.model)
    final: Any = model.final.estimator_ if isinstance(model.final, AutoSetClassifier) else model.final
    X, Y = _rows(options, model)
    learned = report_model(final, X, Y, rows=_chosen(options, X))
    candidates = [Section("Why this one", [leaderboard(model.final)])] if final is not model.final else []
    about = _about(model, final)
    encoder = model.takes.encoder
    columns = [] if encoder is None else [Section("Columns", [encoder.describe().table()])]
    sections = [Section("File", [about]), *columns, *candidates, *learned.sections]
    title = f"{options.model}: {model.kind()}"
    record = vars(model.about) | {"chosen": type(final).__name__}
    finish(Report(title, learned.subtitle, sections), about, [record], options)
    return 0


def _rows(options: argparse.Namespace, model: LoadedModel) -> tuple[Any, Any]:
    if options.data is None:
        return None, None
    data, _ = model.read(options, with_labels=True)
    return model.transform(data), data.Y


def _chosen(options: argparse.Namespace, X: Any) -> list[int] | None:
    """The rows to show; a row that is not there is an error."""
    if options.rows is None:
        return None
    if X is None:
        raise InputError("--rows needs DATA", hint="name a file of rows after the model")
    wrong = [row for row in options.rows if not 0 <= row < X.shape[0]]
    if wrong:
        raise InputError(
            f"--rows: there is no row {wrong[0]}", file=options.data, hint=f"the last is {X.shape[0] - 1}"
        )
    return list(options.rows)


def _about(model: LoadedModel, final: Any) -> Table:
    about, training = model.about, model.training
    fitted_to = "unknown data"
    if training is not None:
        seen = fitted_rows(model.final, training.rows)
        fitted_to = f"{share_of_rows(seen, training.data_rows)} of {training.data}"
    takes = "features" if model.takes.encoder is None else "columns"
    rows = [
        ["estimator", about.estimator],
        *([["chosen", f"{type(final).__name__}: {model.final.reason_}"]] if final is not model.final else []),
        ["fitted to", fitted_to],
        [takes, str(about.n_features)],
        ["labels", str(len(about.label_names))],
        ["smallest answer, labels", str(model.final.min_labels_)],
        ["file", f"{about.size} bytes, {about.n_arrays} arrays, format {about.format_version}"],
        ["sha256", about.digest],
        ["written by", ", ".join(f"{name} {version}" for name, version in about.written_by.items())],
    ]
    return Table("", ["what", "value"], rows)
