"""``setwise fit``: a model file from a data file."""

from __future__ import annotations

import argparse
import json
import sys
import time
import warnings
from contextlib import suppress
from typing import Any

import numpy as np
from rich.console import Console
from rich.markup import escape
from sklearn.base import clone

from setwise.cli.data import (
    add_data_argument,
    add_label_arguments,
    check_features,
    check_labels,
    files_read,
    source,
    tag_column,
)
from setwise.cli.models import (
    build,
    fill_missing,
    fitted_rows,
    missing_label_models,
    model_names,
    takes_missing_labels,
)
from setwise.cli.output import check_outputs, print_table
from setwise.cli.progress import waiting
from setwise.contract import FREE
from setwise.datasets import Dataset
from setwise.estimators.meta.auto import AutoSetClassifier
from setwise.kernels.matrices import stored_values
from setwise.persistence import save
from setwise.views import Table

EXAMPLES = """\
examples:
  setwise fit emotions.arff -o emotions.setwise
  setwise fit songs.csv --labels 'mood_*' --ignore id --model cbm -o songs.setwise
  setwise fit posts.tsv --labels tags --tag-separator ';' --time-budget 300 -o posts.setwise
  setwise fit yeast --model mc --set n_components=5 -o yeast.setwise
"""


MANY_ROWS = 5000
"""From so many rows on a fit to one in SHARE of them first tells how long the whole may take."""
SHARE = 20


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
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="seed of models that draw (0)")
    parser.add_argument(
        "--checkpoint",
        metavar="DIR",
        help="keep the state of a long fit here; the same command goes on from it",
    )
    parser.add_argument(
        "-o", "--output", required=True, metavar="MODEL", help="the model file, e.g. m.setwise"
    )
    parser.add_argument("--json", action="store_true", help="print what was done as JSON")


def run(options: argparse.Namespace) -> int:
    """Read, fit, save, tell."""
    check_outputs([options.output], files_read(options))
    model = build(
        options.model,
        options.set,
        time_budget=options.time_budget,
        checkpoint=options.checkpoint,
        seed=options.seed,
    )
    name, load_data = source(options)
    data = load_data()
    if min(data.X.shape) == 0:
        raise ValueError(
            f"{name} has {data.X.shape[0]} rows and {data.X.shape[1]} features; nothing can be learned"
        )
    check_features(data, name, allow_nan=True)
    if not takes_missing_labels(model):
        check_labels(data, name, f"; leave the row out, or use --model {' or '.join(missing_label_models())}")
    model = fill_missing(model, data)
    start = time.perf_counter()
    _fit(model, data, options)
    seconds = time.perf_counter() - start
    save(model, options.output, notes=_notes(options, model, data, name))
    _tell(options, model, data, seconds)
    return 0


def _fit(model: Any, data: Dataset, options: argparse.Namespace) -> None:
    """Fit, with a bar of the model's own where it has one."""
    final = _final(model)
    if "verbose" in final.get_params(deep=False) and sys.stderr.isatty():
        final.set_params(verbose=1)
        model.fit(data.X, data.named_labels())
        final.set_params(verbose=0)
        return
    seconds = options.time_budget if options.model == "auto" else _expected_seconds(model, data)
    with waiting(f"fitting {options.model}", seconds), warnings.catch_warnings():
        # this command says so itself, with its own options as the remedy
        warnings.filterwarnings("ignore", message=".* is fitted to .* rows: time_budget")
        model.fit(data.X, data.named_labels())


def _expected_seconds(model: Any, data: Dataset) -> float | None:
    """How long the fit may take, from a fit to a share of the rows; None where nobody waits or it fails."""
    n_rows = data.X.shape[0]
    if not sys.stderr.isatty() or n_rows < MANY_ROWS:
        return None
    some = data.take(np.random.default_rng(0).choice(n_rows, n_rows // SHARE, replace=False))
    start = time.perf_counter()
    with suppress(Exception), warnings.catch_warnings(action="ignore"):
        clone(model).fit(some.X, some.named_labels())
        return SHARE * (time.perf_counter() - start)
    return None


def _notes(options: argparse.Namespace, model: Any, data: Dataset, name: str) -> dict[str, Any]:
    """What later commands need to read data the same way."""
    schema = data.schema and {
        "columns": list(data.schema.columns),
        "categories": dict(data.schema.categories),
        "zero_based": data.schema.zero_based,
    }
    numbered = all(feature == f"x{i}" for i, feature in enumerate(data.feature_names))
    return {
        "data": name,
        "rows": fitted_rows(_final(model), data.X.shape[0]),
        "data_rows": data.X.shape[0],
        "features": [] if numbered else list(data.feature_names),
        "schema": schema,
        "tags": tag_column(options, data),
        "delimiter": options.delimiter,
        "decimal": options.decimal,
    }


def _tell(options: argparse.Namespace, model: Any, data: Dataset, seconds: float) -> None:
    final = _final(model)
    chosen = final.estimator_ if isinstance(final, AutoSetClassifier) else final
    n_rows, seen = data.X.shape[0], fitted_rows(final, data.X.shape[0])
    if seen < n_rows:
        warnings.warn(
            f"the time was up: {type(chosen).__name__} saw only {seen} of the {n_rows} rows; for all rows give a "
            f"--time-budget above {options.time_budget:g} or --model {type(chosen).__name__}",
            stacklevel=2,
        )
    summary = {
        "model": options.output,
        "estimator": type(chosen).__name__,
        "rows": seen,
        "data_rows": n_rows,
        "features": data.X.shape[1],
        "labels": len(data.label_names),
        "label_values_missing": int((stored_values(data.Y) == FREE).sum()),
        "seconds": round(seconds, 3),
        "missing_features_filled": type(model[0]).__name__ == "SimpleImputer"
        if hasattr(model, "steps")
        else False,
    }
    if isinstance(final, AutoSetClassifier):
        summary |= {"reason": final.reason_, "leaderboard": list(final.leaderboard_)}
    if options.json:
        print(json.dumps(summary, ensure_ascii=False))
        return
    console = Console()
    console.print(
        f"[bold]{escape(options.output)}[/]: {type(chosen).__name__}, fitted to {share_of_rows(seen, n_rows)}, "
        f"{summary['features']} features and {summary['labels']} labels in {seconds:.1f} s."
    )
    if summary["label_values_missing"]:
        console.print(
            f"{summary['label_values_missing']} values of labels are not known; they were summed out."
        )
    if summary["missing_features_filled"]:
        console.print("Missing features were filled with their columns' means.")
    if isinstance(final, AutoSetClassifier):
        console.print(f"Chosen because {escape(final.reason_)}.")
        print_table(leaderboard(final))


def _final(model: Any) -> Any:
    return model[-1] if hasattr(model, "steps") else model


def share_of_rows(seen: Any, n_rows: Any) -> str:
    """As people read it: all rows, or some of them."""
    return f"{n_rows} rows" if seen == n_rows else f"{seen} of {n_rows} rows"


def leaderboard(model: AutoSetClassifier) -> Table:
    """The candidates of the automatic choice, with what became of them."""
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
