"""``setwise inspect``: what a model file holds, without trusting it more than needed."""

from __future__ import annotations

import argparse
import dataclasses
from typing import Any

import numpy as np

from setwise.cli.models import LoadedModel, load_model
from setwise.cli.output import add_report_arguments, finish
from setwise.estimators.auto import AutoSetClassifier
from setwise.evaluation.report import Table

EXAMPLES = """\
examples:
  setwise inspect emotions.setwise
  setwise inspect emotions.setwise --json
"""

MOST = 40
"""Edges shown of a model's trees."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of ``setwise inspect``."""
    parser.add_argument("model", metavar="MODEL", help="a file that `setwise fit` or setwise.save wrote")
    add_report_arguments(parser)


def run(options: argparse.Namespace) -> int:
    """Print what the file says and what the model learned about the labels."""
    model = load_model(options.model)
    final: Any = model.final.estimator_ if isinstance(model.final, AutoSetClassifier) else model.final
    tables = [_about(model, final), _parameters(final), *_edges(final, model.about.label_names)]
    record = dataclasses.asdict(model.about) | {"chosen": type(final).__name__}
    title = f"{options.model}: {model.about.estimator}"
    finish(tables, [record], title, f"{len(model.about.label_names)} labels: {_names(model)}", options)
    return 0


def _names(model: LoadedModel) -> str:
    names = model.about.label_names
    return ", ".join(names[:20]) + (f" and {len(names) - 20} more" if len(names) > 20 else "")


def _about(model: LoadedModel, final: Any) -> Table:
    about, notes = model.about, model.about.notes
    rows = [
        ["estimator", about.estimator],
        *([["chosen", f"{type(final).__name__}: {model.final.reason_}"]] if final is not model.final else []),
        ["fitted to", f"{notes.get('rows', '?')} rows of {notes.get('data', 'unknown data')}"],
        ["features", str(about.n_features)],
        ["labels", str(len(about.label_names))],
        ["smallest answer", f"{model.final.min_labels_} labels"],
        ["file", f"{about.size} bytes, {about.n_arrays} arrays, format {about.format_version}"],
        ["sha256", about.digest],
        ["written by", ", ".join(f"{name} {version}" for name, version in about.written_by.items())],
    ]
    return Table("File", ["what", "value"], rows)


def _parameters(final: Any) -> Table:
    rows = [[name, str(value)] for name, value in final.get_params(deep=False).items()]
    components = getattr(final, "n_components_", None)
    rows += [] if components is None else [["n_components_ (chosen)", str(components)]]
    return Table(f"Parameters of {type(final).__name__}", ["parameter", "value"], rows)


def _edges(final: Any, names: list[str]) -> list[Table]:
    """Which label depends on which, where the model is made of trees."""
    parents = np.atleast_2d(getattr(final, "parents_", np.empty((0, 0), dtype=int)))
    edges = [
        [str(k), names[parent], names[label]]
        for k, forest in enumerate(parents)
        for label, parent in enumerate(forest)
        if parent >= 0
    ]
    notes = [f"{len(edges) - MOST} more"] if len(edges) > MOST else []
    return (
        [Table("Dependencies", ["component", "label", "-> depends on it"], edges[:MOST], notes)]
        if edges
        else []
    )
