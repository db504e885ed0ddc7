"""``setwise evaluate``: methods on the named data sets."""

from __future__ import annotations

import argparse
from pathlib import Path

from setwise.cli.output import add_output_arguments, finish, progress
from setwise.datasets import available
from setwise.evaluation import METHODS, Comparison, Protocol, built_methods, compare
from setwise.reports import report_comparison

DEFAULT = ["BinaryRelevance", "ConditionalTree"]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of ``setwise evaluate``."""
    here = ", ".join(available())
    parser.add_argument("data", nargs="+", metavar="DATA", help=f"names of data sets; here: {here}")
    add_method_arguments(parser, DEFAULT)
    add_output_arguments(parser)


def add_method_arguments(parser: argparse.ArgumentParser, default: list[str]) -> None:
    """Which methods, judged how; shared with ``compare``."""
    missing = [name for name in METHODS if name not in built_methods()]
    parser.add_argument(
        "--methods",
        "--models",
        nargs="+",
        default=default,
        metavar="NAME",
        help=f"built: {', '.join(built_methods())}; not built yet: {', '.join(missing)} "
        f"(default: {' '.join(default)})",
    )
    parser.add_argument("--protocol", choices=["folds", "official", "holdout"], default="folds")
    parser.add_argument("--folds", type=int, default=None, help="number of folds, or of partitions (10; 1)")
    parser.add_argument("--seed", type=int, default=0)


def protocol(options: argparse.Namespace) -> Protocol:
    """The protocol asked for."""
    repeats = options.folds or (1 if options.protocol == "official" else 10)
    return Protocol(options.protocol, repeats, options.seed)


def run(options: argparse.Namespace) -> int:
    """Print a table per data set."""
    with progress("evaluate", options) as watch:
        result = compare(
            options.methods,
            options.data,
            protocol(options),
            journal=options.journal,
            n_jobs=options.jobs,
            watch=watch,
        )
    return report(result, options, "setwise evaluate")


def report(result: Comparison, options: argparse.Namespace, title: str) -> int:
    """Write what was asked for; the exit code says whether everything succeeded."""
    subtitle = f"{len(result.methods)} methods, {len(result.data)} data sets; {protocol(options)}"
    records = [_plain(record) for record in result.records]
    finish(report_comparison(result, title, subtitle), records, options)
    return 1 if result.failures else 0


def _plain(record: dict[str, object]) -> dict[str, object]:
    return {name: str(value) if isinstance(value, Path) else value for name, value in record.items()}
