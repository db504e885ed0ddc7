"""``setwise compare``: methods on a file of your own."""

from __future__ import annotations

import argparse
from functools import partial
from pathlib import Path

from setwise.cli.evaluate import add_method_arguments, protocol, report
from setwise.cli.output import add_output_arguments, progress
from setwise.datasets import available, load, read
from setwise.evaluation import compare
from setwise.evaluation.comparison import Loader

DEFAULT = ["sklearn-OneVsRest", "BinaryRelevance", "ConditionalTree"]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of ``setwise compare``."""
    parser.add_argument(
        "data",
        metavar="DATA",
        help="a file (.arff, .csv, .tsv, .parquet, .svm, .txt, .npz; also .gz, .bz2) or a known name",
    )
    parser.add_argument(
        "--labels",
        nargs="+",
        metavar="LABEL",
        help="label columns: names, one pattern such as 'tag_*', a Mulan .xml, or a number: the first k "
        "columns, or the last if negative",
    )
    add_method_arguments(parser, DEFAULT)
    add_output_arguments(parser)


def run(options: argparse.Namespace) -> int:
    """Print the table of the methods on the file."""
    name, load_data = _source(options)
    load_data()  # a file that cannot be read is an error of the command, not of every task
    with progress("compare", options) as watch:
        result = compare(
            options.methods,
            {name: load_data},
            protocol(options),
            journal=options.journal,
            n_jobs=options.jobs,
            watch=watch,
        )
    return report(result, options, f"setwise compare {name}")


def _source(options: argparse.Namespace) -> tuple[str, Loader]:
    path = Path(options.data)
    if path.exists():
        return path.name, partial(read, path.resolve(), **_labels(options.labels))
    if options.data in available():
        return options.data, partial(load, options.data)
    raise FileNotFoundError(
        f"{options.data} is neither a file nor a known data set ({', '.join(available())})"
    )


def _labels(labels: list[str] | None) -> dict[str, str | int | list[str]]:
    if labels is None:
        return {}
    if len(labels) > 1:
        return {"labels": labels}
    try:
        return {"labels": int(labels[0])}
    except ValueError:
        return {"labels": labels[0]}
