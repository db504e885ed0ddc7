"""``setwise fit``: learn a model from a data file and write it to a model file."""

from __future__ import annotations

import argparse
import sys
import time
from typing import Any

from rich.console import Console
from sklearn.pipeline import Pipeline

from setwise.cli.arguments import add_data_argument, add_label_arguments, files_read
from setwise.cli.checks import check_features, check_labels
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
from setwise.errors import InputError
from setwise.estimators.meta.auto import AutoSetClassifier
from setwise.kernels.matrices import stored_values
from setwise.persistence import save
from setwise.persistence.row_keys import RowKeys
from setwise.persistence.training_notes import TrainingNotes
from setwise.pipeline import SetPipeline
from setwise.views import Table

EXAMPLES = """\
examples:
  setwise fit emotions.arff -o emotions.setwise
  setwise fit songs.csv --labels 'mood_*' --ignore id --model cbm -o songs.setwise
  setwise fit tickets.csv --labels tags --min-rows 10 --time-budget 300 -o tickets.setwise
  setwise fit yeast --model mc --set n_components=5 -o yeast.setwise
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
    name, load_data = source(options)
    with waiting_for_rows(f"reading {name}"):
        data = load_data()
    _check(data, name, model)
    start = time.perf_counter()
    _fit(model, data, options)
    seconds = time.perf_counter() - start
    save(_with_encoder(model, data), options.output, notes=_notes(model, data, name).to_notes())
    _print_summary(options, model, data, seconds)
    return 0


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
    final = _final(model)
    if "verbose" in final.get_params(deep=False) and sys.stderr.isatty():
        final.set_params(verbose=1)
        model.fit(data.X, data.named_labels())
        final.set_params(verbose=0)
        return
    with waiting(f"fitting {options.model}", options.time_budget if options.model == "auto" else None):
        model.fit(data.X, data.named_labels())


def _with_encoder(model: Any, data: Dataset) -> Any:
    """The model behind the encoder of its table, so that it takes tables in Python too."""
    if data.encoder is None:
        return model
    steps = model.steps if isinstance(model, Pipeline) else [("model", model)]
    return SetPipeline([("encoder", data.encoder), *steps])


def _notes(model: Any, data: Dataset, name: str) -> TrainingNotes:
    """What other commands need to read data the same way."""
    names = data.feature_names if data.encoder is None else data.encoder.feature_names_in_
    numbered = data.encoder is None and all(feature == f"x{i}" for i, feature in enumerate(names))
    return TrainingNotes(
        name,
        int(fitted_rows(_final(model), data.X.shape[0])),
        data.X.shape[0],
        () if numbered else tuple(map(str, names)),
        data.schema,
        RowKeys.of(data.X),
    )


def _print_summary(options: argparse.Namespace, model: Any, data: Dataset, seconds: float) -> None:
    summary, final = _summary(options, model, data, seconds), _final(model)
    if options.json:
        print(json_text(summary))
        return
    console = Console()
    console.print(
        f"[bold]{shown(options.output)}[/]: {summary['estimator']}, fitted to "
        f"{share_of_rows(summary['rows'], summary['data_rows'])}, {summary['features']} features and "
        f"{summary['labels']} labels in {seconds:.1f} s."
    )
    if summary["label_values_missing"]:
        console.print(
            f"{summary['label_values_missing']} label values are unknown; the model sums over them."
        )
    if summary["missing_features_filled"]:
        console.print("Missing features were replaced by the medians of their columns.")
    if data.encoder is not None:
        print_table(data.encoder.describe().table())
    if isinstance(final, AutoSetClassifier):
        console.print(f"Chosen because {shown(final.reason_)}.")
        print_table(leaderboard(final))


def _summary(options: argparse.Namespace, model: Any, data: Dataset, seconds: float) -> dict[str, Any]:
    """What was done, for scripts."""
    final, n_rows = _final(model), data.X.shape[0]
    is_auto = isinstance(final, AutoSetClassifier)
    summary = {
        "model": options.output,
        "estimator": type(final.estimator_ if is_auto else final).__name__,
        "rows": int(fitted_rows(final, n_rows)),
        "data_rows": n_rows,
        "features": data.X.shape[1],
        "labels": len(data.label_names),
        "label_values_missing": int((stored_values(data.Y) == FREE).sum()),
        "seconds": round(seconds, 3),
        "missing_features_filled": hasattr(getattr(final, "estimator_", final), "fill_"),
    }
    if data.encoder is not None:
        summary["columns"] = [column._asdict() for column in data.encoder.describe()]
    chosen = {"reason": final.reason_, "leaderboard": list(final.leaderboard_)} if is_auto else {}
    return summary | chosen


def _final(model: Any) -> Any:
    return model[-1] if hasattr(model, "steps") else model


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
