"""``setwise explain``: which columns and words make labels probable, overall and in chosen rows."""

from __future__ import annotations

import argparse
from typing import Any

import numpy as np

from setwise.cli.arguments import add_csv_arguments, add_data_argument, add_model_argument, files_read
from setwise.cli.commands.predict import evidence
from setwise.cli.loaded_model import LoadedModel, load_model
from setwise.cli.output import add_report_arguments, finish, flat_table
from setwise.cli.output_files import check_reports
from setwise.cli.progress import waiting
from setwise.contract import NotTractable
from setwise.errors import InputError, quote_some
from setwise.explanations import Explanation, StrongestFeatures
from setwise.nesting import feature_origins
from setwise.reports import Report, Section
from setwise.views import Table

EXAMPLES = """\
examples:
  setwise explain tickets.setwise tickets.csv
  setwise explain tickets.setwise new.csv --rows 0 17 --html why.html
  setwise explain tickets.setwise new.csv --rows 0 --label refund --given billing=1
  setwise explain songs.setwise new.csv --rows 3 --whole-set --by-column
"""

SIGNS = {1: "more probable", -1: "less probable", 0: ""}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of ``setwise explain``."""
    add_model_argument(parser)
    add_data_argument(parser)
    add_csv_arguments(parser)
    parser.add_argument(
        "--rows",
        nargs="+",
        type=int,
        metavar="ROW",
        help="rows to explain, counted from 0 (default: all together)",
    )
    what = parser.add_mutually_exclusive_group()
    what.add_argument(
        "--label",
        nargs="+",
        metavar="LABEL",
        help="explain this label, or that several are on together (default: those predicted for a row)",
    )
    what.add_argument(
        "--whole-set", action="store_true", help="explain the set that is predicted for a row as a whole"
    )
    parser.add_argument(
        "--given", nargs="+", default=[], metavar="LABEL=0|1", help="labels that are known for every row"
    )
    parser.add_argument("--component", type=int, metavar="K", help="explain a component of a mixture")
    parser.add_argument("--by-column", action="store_true", help="add up the features of each column")
    parser.add_argument("--features", type=int, default=10, metavar="N", help="features to show (10)")
    parser.add_argument("--pairs", type=int, default=10, metavar="N", help="pairs of labels to show (10)")
    add_report_arguments(parser)


def run(options: argparse.Namespace) -> int:
    """Print what features add to the log-odds of labels."""
    check_reports(options, [options.model, *files_read(options)])
    model = load_model(options.model)
    _check(options, model.about.label_names)
    with waiting(f"reading {options.data}"):
        data, _ = model.read(options, with_labels=False)
        X = model.transform(data)
    with waiting("explaining"):
        if options.rows is None:
            finish(*_overall(model, X, options), options)
        else:
            finish(*_in_rows(model, X, options), options)
    return 0


def _check(options: argparse.Namespace, names: list[str]) -> None:
    unknown = [name for name in options.label or () if name not in names]
    if unknown:
        message = f"the model has no label {unknown[0]!r}; it has {quote_some(names, 8)}"
        raise InputError(message, label=unknown[0])
    if options.features < 1:
        raise InputError(f"--features is {options.features}; expected at least 1")
    rows_only = {"--whole-set": options.whole_set, "--given": options.given, "--component": options.component}
    used = [name for name, value in rows_only.items() if value not in (False, None, [])]
    if options.rows is None and used:
        raise InputError(f"{used[0]} is about single rows", hint="name them with --rows")


def _overall(
    model: LoadedModel, X: Any, options: argparse.Namespace
) -> tuple[Report, Table, list[dict[str, Any]]]:
    """The strongest features of each label and of some pairs."""
    target = None if options.label is None else [tuple(options.label)]
    found = strongest(model, X, target, n_features=options.features, pairs=options.pairs)
    tables = [_features(name, lines) for name, lines in found.to_dict().items()]
    title = f"{options.model}: the strongest features of each label"
    subtitle = (
        f"root mean square of the contributions to the log-odds, in {found.n_rows} rows of {options.data}"
    )
    return Report(title, subtitle, [Section("", tables)]), _flat(found), [found.to_dict()]


def strongest(model: LoadedModel, X: Any, target: Any, *, n_features: int, pairs: int) -> StrongestFeatures:
    """The strongest features by name."""
    try:
        found = model.final.strongest_features(X, target, pairs=pairs, n_features=n_features)
    except NotTractable:  # no joint, hence no pairs: single labels can still be explained
        found = model.final.strongest_features(X, target, pairs=0, n_features=n_features)
    return found.with_features(*_origins(model))


def flat_features(found: StrongestFeatures) -> Table:
    """All labels and pairs in one table, which a page can search and sort."""
    lines = zip(found.targets, found.features, found.direction.tolist(), found.strength.tolist())
    rows = [[target, feature, SIGNS[sign], f"{strength:.3f}"] for target, feature, sign, strength in lines]
    return Table("", ["label", "feature", "a larger value makes it", "strength"], rows)


def _origins(model: LoadedModel) -> tuple[Any, Any]:
    """Names of the features and of their columns; those that the file notes if the model has none."""
    names, columns = feature_origins(model.whole)
    noted = model.takes.feature_names
    if model.takes.encoder is None and len(noted) == len(names):
        return noted, noted
    return names, columns


def _features(name: str, lines: list[dict[str, Any]]) -> Table:
    rows = [[line["feature"], SIGNS[line["direction"]], f"{line['strength']:.3f}"] for line in lines]
    return Table(name, ["feature", "a larger value makes it", "strength"], rows)


def _flat(found: StrongestFeatures) -> Table:
    lines = zip(
        found.targets, found.features, found.columns, found.direction.tolist(), found.strength.tolist()
    )
    return flat_table(["target", "feature", "column", "direction", "strength"], lines)


def _in_rows(
    model: LoadedModel, X: Any, options: argparse.Namespace
) -> tuple[Report, Table, list[dict[str, Any]]]:
    """What features add in chosen rows."""
    rows = np.array(options.rows)
    wrong = rows[(rows < 0) | (rows >= X.shape[0])]
    if len(wrong):
        raise InputError(
            f"--rows: there is no row {wrong[0]}", file=options.data, hint=f"the last is {X.shape[0] - 1}"
        )
    why = _explained(model, X[rows], options)
    why.rows = rows[why.rows]
    why.feature_names, why.columns = _origins(model)
    why = why.by_column() if options.by_column else why
    tables = [_entry(entry, options.features) for entry in why.to_dict()]
    title = f"{options.model}: why these labels"
    subtitle = f"contributions to log-odds in {options.data}; they add up, from a typical row to this one"
    frame = [[e["row"], e["target"], *line.values()] for e in why.to_dict() for line in e["features"]]
    heads = ["row", "target", "feature", "column", "value", "contribution"]
    return Report(title, subtitle, [Section("", tables)]), flat_table(heads, frame), why.to_dict()


def _explained(model: LoadedModel, X: Any, options: argparse.Namespace) -> Explanation:
    known = evidence(options.given, model.about.label_names)
    given = None if known is None else np.tile(known, (X.shape[0], 1))
    target: Any = None if options.label is None else tuple(options.label)
    if options.whole_set:
        target = model.final.decide(X).labels
    return model.final.explain(X, target, given=given, component=options.component)


def _entry(entry: dict[str, Any], n_features: int) -> Table:
    shown, rest = entry["features"][:n_features], entry["features"][n_features:]
    rows = [["a typical row", "", f"{entry['base']:.3f}"]]
    for line in shown:
        value = "" if line["value"] is None else f"{line['value']:.4g}"
        rows.append([line["feature"], value, f"{line['contribution']:+.3f}"])
    if rest:
        others = sum(line["contribution"] for line in rest)
        rows.append([f"{len(rest)} others", "", f"{others:+.3f}"])
    rows.append(["log-odds", "", f"{entry['log_odds']:.3f}"])
    title = f"Row {entry['row']}: {entry['target']}, probability {entry['probability']:.3f}"
    return Table(title, ["feature", "value", "contribution"], rows)
