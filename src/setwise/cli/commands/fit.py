"""``setwise fit``: learn a model from a data file and write it to a model file."""

from __future__ import annotations

import argparse
import sys
import time
import warnings
from typing import Any

from rich.console import Console
from sklearn.pipeline import Pipeline

from setwise.cli.arguments import add_data_argument, add_label_arguments, files_read
from setwise.cli.checks import check_features, check_labels
from setwise.cli.fitted import Fitted, final_step
from setwise.cli.large_tables import fit_large
from setwise.cli.models import (
    build,
    fitted_rows,
    missing_label_models,
    model_names,
    takes_missing_labels,
)
from setwise.cli.output_files import check_outputs
from setwise.cli.progress import waiting, waiting_for_rows
from setwise.cli.sources import source
from setwise.cli.streams import STANDARD
from setwise.cli.terminal import json_text, print_table, shown
from setwise.contract import FREE
from setwise.datasets import Dataset
from setwise.errors import InputError, InputWarning
from setwise.estimators.meta.auto import AutoSetClassifier
from setwise.kernels.matrices import column_sums, stored_values
from setwise.persistence import save
from setwise.persistence.row_keys import RowKeys
from setwise.persistence.training_notes import TrainingNotes
from setwise.pipeline import SetPipeline
from setwise.views import Table

FEW_ROWS, MANY_LABELS = 10, 50
"""That many labels with fewer rows than this make a fit long and teach it nothing."""

EXAMPLES = """\
examples:
  setwise fit emotions.arff -o emotions.setwise
  setwise fit songs.csv --labels 'mood_*' --ignore id --model cbm -o songs.setwise
  setwise fit tickets.csv --labels tags --min-rows 10 --time-budget 300 -o tickets.setwise
  setwise fit yeast --model mc --set n_components=5 -o yeast.setwise
  setwise fit big.parquet --labels tags --memory 2GB --model br -o big.setwise
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of ``setwise fit``."""
    add_data_argument(parser)
    add_label_arguments(parser)
    parser.add_argument(
        "--model",
        default="auto",
        metavar="NAME",
        help=f"one of {', '.join(model_names())}; auto tries several and keeps the best (default)",
    )
    parser.add_argument("--set", nargs="+", default=[], metavar="NAME=VALUE", help="parameters of the model")
    parser.add_argument(
        "--time-budget", type=float, default=60.0, metavar="SECONDS", help="what --model auto may take (60)"
    )
    parser.add_argument(
        "--effort",
        type=float,
        metavar="UNITS",
        help="a budget of --model auto in units of work, about a second each: the same choice on every machine",
    )
    parser.add_argument(
        "--memory",
        metavar="LIMIT",
        help="such as 2GB: read a CSV or Parquet file, or a folder of Parquet files, some rows at a time",
    )
    parser.add_argument(
        "--seed", type=int, default=0, metavar="N", help="seed of the model's random numbers (0)"
    )
    parser.add_argument(
        "--checkpoint",
        metavar="DIR",
        help="keep the state of a long fit here; the same command continues from it",
    )
    parser.add_argument(
        "-o", "--output", required=True, metavar="MODEL", help="the model file, e.g. m.setwise"
    )
    parser.add_argument("--json", action="store_true", help="print what was done as JSON")


def run(options: argparse.Namespace) -> int:
    """Read the data, fit the model, save it, and print what was done."""
    if options.output == STANDARD:
        raise InputError("a model is not written to standard output", hint="name a file with -o")
    check_outputs([options.output], files_read(options))
    model = build(
        options.model,
        options.set,
        time_budget=options.time_budget,
        effort=options.effort,
        checkpoint=options.checkpoint,
        seed=options.seed,
    )
    fitted = _fit_all(model, options) if options.memory is None else fit_large(model, options)
    save(_with_encoder(fitted), options.output, notes=_notes(fitted).to_notes())
    _print_summary(options, fitted)
    return 0


def _warn_of_rare_labels(data: Dataset, name: str) -> None:
    """Name the option that leaves rare labels out if a fit would spend most of its time and memory on them."""
    rare = int((column_sums(data.Y == 1) < FEW_ROWS).sum())
    if rare >= MANY_LABELS and 2 * rare > len(data.label_names):
        message = (
            f"{rare} of {len(data.label_names)} labels have fewer than {FEW_ROWS} rows, too few to learn from"
        )
        advice = f"--min-rows {FEW_ROWS} leaves them out, and the fit is quicker and smaller"
        warnings.warn(InputWarning(f"{message}; {advice}", file=name), stacklevel=2)


def _fit_all(model: Any, options: argparse.Namespace) -> Fitted:
    """Read all data and fit the model to them."""
    name, load_data = source(options)
    with waiting_for_rows(f"reading {name}"):
        data = load_data()
    _check(data, name, model)
    _warn_of_rare_labels(data, name)
    start = time.perf_counter()
    _fit(model, data, options)
    seconds = time.perf_counter() - start
    n_unknown = int((stored_values(data.Y) == FREE).sum())
    return Fitted(model, name, data, data.X.shape[0], n_unknown, RowKeys.of(data.X), seconds)


def _check(data: Dataset, name: str, model: Any) -> None:
    """Refuse data that the model cannot learn from."""
    n_rows, n_features = data.X.shape
    if min(n_rows, n_features) == 0:
        raise InputError(
            f"{n_rows} rows and {n_features} features; nothing can be learned from them", file=name
        )
    check_features(data, name, allow_nan=True)
    if not takes_missing_labels(model):
        check_labels(data, name, f"leave the row out, or use --model {' or '.join(missing_label_models())}")


def _fit(model: Any, data: Dataset, options: argparse.Namespace) -> None:
    """Fit, with the model's own progress if it reports any; otherwise with the elapsed time."""
    final = final_step(model)
    if "verbose" in final.get_params(deep=False) and sys.stderr.isatty():
        final.set_params(verbose=1)
        model.fit(data.X, data.named_labels())
        final.set_params(verbose=0)
        return
    with waiting(f"fitting {options.model}", options.time_budget if options.model == "auto" else None):
        model.fit(data.X, data.named_labels())


def _with_encoder(fitted: Fitted) -> Any:
    """The model behind the encoder of its table, so that it takes tables in Python too."""
    model, encoder = fitted.model, fitted.data.encoder
    if encoder is None:
        return model
    steps = model.steps if isinstance(model, Pipeline) else [("model", model)]
    return SetPipeline([("encoder", encoder), *steps])


def _notes(fitted: Fitted) -> TrainingNotes:
    """What other commands need to read data the same way."""
    data = fitted.data
    names = data.feature_names if data.encoder is None else data.encoder.feature_names_in_
    numbered = data.encoder is None and all(feature == f"x{i}" for i, feature in enumerate(names))
    return TrainingNotes(
        fitted.name,
        int(fitted_rows(fitted.final, fitted.n_rows)),
        fitted.n_rows,
        () if numbered else tuple(map(str, names)),
        data.schema,
        fitted.keys,
    )


def _print_summary(options: argparse.Namespace, fitted: Fitted) -> None:
    summary, data = _summary(options, fitted), fitted.data
    if options.json:
        print(json_text(summary))
        return
    console = Console()
    console.print(
        f"[bold]{shown(options.output)}[/]: {summary['estimator']}, fitted to "
        f"{share_of_rows(summary['rows'], summary['data_rows'])}, {summary['features']} features and "
        f"{summary['labels']} labels in {fitted.seconds:.1f} s."
    )
    if summary["label_values_missing"]:
        console.print(
            f"{summary['label_values_missing']} label values are unknown; the model sums over them."
        )
    if summary["missing_features_filled"]:
        console.print("Missing features were replaced by the medians of their columns.")
    if data.encoder is not None:
        print_table(data.encoder.describe().table())
    if fitted.choice is not None:
        console.print(f"Chosen because {shown(fitted.choice.reason_)}.")
        print_table(leaderboard(fitted.choice))


def _summary(options: argparse.Namespace, fitted: Fitted) -> dict[str, Any]:
    """What was done, for scripts."""
    data, final, choice = fitted.data, fitted.final, fitted.choice
    answering = getattr(final, "estimator_", final) if final is choice else final
    summary = {
        "model": options.output,
        "estimator": type(answering).__name__,
        "rows": int(fitted_rows(final, fitted.n_rows)),
        "data_rows": fitted.n_rows,
        "features": data.X.shape[1],
        "labels": len(data.label_names),
        "label_values_missing": fitted.n_unknown,
        "seconds": round(fitted.seconds, 3),
        "missing_features_filled": hasattr(getattr(final, "estimator_", final), "fill_"),
    }
    if data.encoder is not None:
        summary["columns"] = [column._asdict() for column in data.encoder.describe()]
    chosen = {} if choice is None else {"reason": choice.reason_, "leaderboard": list(choice.leaderboard_)}
    return summary | chosen


def share_of_rows(seen: Any, n_rows: Any) -> str:
    """The number of rows, or how many of them were used."""
    return f"{n_rows} rows" if seen == n_rows else f"{seen} of {n_rows} rows"


def leaderboard(model: AutoSetClassifier) -> Table:
    """The candidates of the automatic choice, with their losses and what happened to them."""
    rows = [
        [
            row["name"],
            "-" if row["log_loss"] is None else f"{row['log_loss']:.3f}",
            str(row["rows"]),
            f"{row['seconds']:.1f}",
            row["status"],
        ]
        for row in model.leaderboard_
    ]
    return Table("Candidates", ["model", "log-loss", "rows", "seconds", "status"], rows)
