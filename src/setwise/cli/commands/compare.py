"""``setwise compare``: judge methods on data sets by name, and on your own files."""

from __future__ import annotations

import argparse
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Any

from setwise.cli.arguments import FORMATS, add_label_arguments, files_read
from setwise.cli.checks import check_features, check_labels
from setwise.cli.models import fill_missing, full_name, short_names
from setwise.cli.output import add_experiment_arguments, finish, flat_table
from setwise.cli.output_files import check_reports
from setwise.cli.progress import waiting, watching
from setwise.cli.sources import source
from setwise.cli.streams import STANDARD
from setwise.datasets import Dataset
from setwise.errors import InputError
from setwise.evaluation import METHODS, Cell, Comparison, Protocol, built_methods, run_cells
from setwise.evaluation.comparison import Loader
from setwise.evaluation.methods import method
from setwise.evaluation.peers.environment import make_peer_environment
from setwise.evaluation.peers.peer_classifier import PeerClassifier
from setwise.evaluation.peers.peer_program import PEERS
from setwise.evaluation.protocol import Estimate
from setwise.reports import report_comparison
from setwise.views import Table

DEFAULT = ["sklearn-OneVsRest", "BinaryRelevance", "ConditionalTree"]

EXAMPLES = """\
examples:
  setwise compare my.csv --labels 'tag_*'
  setwise compare yeast emotions --methods BinaryRelevance ConditionalTree --folds 5
  setwise compare my.arff --journal run.jsonl --html report.html
  setwise compare my.csv --labels 'tag_*' --methods tree --peers LightGBM BOOMER
  setwise compare yeast --dask tcp://127.0.0.1:8786
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of ``setwise compare``."""
    parser.add_argument(
        "data",
        nargs="+",
        metavar="DATA",
        help=f"files ({FORMATS}), names that `setwise datasets list` shows, or - for CSV from standard input",
    )
    add_label_arguments(parser)
    missing = [name for name in METHODS if name not in built_methods()]
    parser.add_argument(
        "--methods",
        "--models",
        nargs="+",
        default=DEFAULT,
        metavar="NAME",
        help=f"built: {', '.join(built_methods())}; in short {', '.join(short_names())}"
        + (f"; not built yet: {', '.join(missing)}" if missing else "")
        + f" (default: {' '.join(DEFAULT)})",
    )
    parser.add_argument(
        "--peers",
        nargs="*",
        default=None,
        choices=[*PEERS],
        metavar="NAME",
        help=f"methods of other libraries, each in a process of its own: {', '.join(PEERS)}; all without names. The "
        "first use makes an environment for them, about 2 GB, beside the cached data sets or in SETWISE_PEERS",
    )
    parser.add_argument(
        "--protocol",
        choices=["folds", "official", "holdout"],
        default="folds",
        help="stratified folds (default), the split that comes with the data, or random partitions",
    )
    parser.add_argument("--folds", type=int, default=None, help="number of folds, or of partitions (10; 1)")
    parser.add_argument("--seed", type=int, default=0, help="seed of the folds and of the methods (0)")
    parser.add_argument(
        "--dask",
        metavar="ADDRESS",
        help="run on the workers of a Dask scheduler, such as tcp://127.0.0.1:8786; workers of one thread each",
    )
    add_experiment_arguments(parser)


def run(options: argparse.Namespace) -> int:
    """Print a table for each data set; the exit code says whether everything succeeded."""
    check_reports(options, files_read(options))
    peers = _peers(options)
    sources = [source(options, data) for data in options.data]
    if len({name for name, _ in sources}) < len(sources):
        raise InputError("two data sets have the same name", hint="rename one of the files")
    protocol, methods = _protocol(options), _methods(options.methods) | peers
    cells: list[Cell] = []
    filled: list[str] = []
    for (name, load_data), given in zip(sources, options.data):
        # read it here once: a file that cannot be read is an error of the command, not of every task
        with waiting(f"reading {name}"):
            found = load_data()
        check_features(found, name, allow_nan=True)
        check_labels(found, name)
        _check_splits(protocol, found, name)
        # workers of a cluster may not see the file
        data: Dataset | Loader = found if given == STANDARD or options.dask is not None else load_data
        ready = {label: fill_missing(model, found) for label, model in methods.items()}
        cells += [Cell(name, label, data, model, protocol) for label, model in ready.items()]
        if any(ready[label] is not model for label, model in methods.items()):
            filled.append(name)
    with _cluster(options.dask) as client, watching("compare", options) as watch:
        records = run_cells(cells, journal=options.journal, n_jobs=options.jobs, watch=watch, client=client)
        result = Comparison(records)
    return _report(result, filled, options)


def _cluster(address: str | None) -> AbstractContextManager[Any]:
    """A client of the scheduler, if one was named."""
    if address is None:
        return nullcontext()
    try:
        from setwise.dask.rounds import connected
    except ImportError:
        raise ImportError("--dask needs Dask: pip install 'setwise[dask]'") from None
    return connected(address)


def _methods(names: list[str]) -> dict[str, Any]:
    """New estimators by their full names."""
    full = [full_name(name) or name for name in names]
    return {name: method(name).build() for name in full}


def _peers(options: argparse.Namespace) -> dict[str, Any]:
    """Peers by their names; their environment is made if there is none."""
    if options.peers is None:
        return {}
    with waiting("making the environment of the peers, some minutes"):
        make_peer_environment()
    return {name: PeerClassifier(name) for name in options.peers or PEERS}


def _protocol(options: argparse.Namespace) -> Protocol:
    least = 2 if options.protocol == "folds" else 1
    if options.folds is not None and options.folds < least:
        raise InputError(f"--folds is {options.folds}; expected at least {least}")
    repeats = options.folds or (1 if options.protocol == "official" else 10)
    return Protocol(options.protocol, repeats, options.seed)


def _check_splits(protocol: Protocol, data: Dataset, name: str) -> None:
    """Split the rows once: rows that cannot be split are an error of the command, not of every task."""
    try:
        protocol.splits(data)
    except InputError as error:
        raise error.with_file(name) from error
    except ValueError as error:
        raise InputError(str(error), file=name) from error


def _report(result: Comparison, filled: list[str], options: argparse.Namespace) -> int:
    subtitle = f"methods: {len(result.methods)}, data sets: {len(result.data)}; {_protocol(options)}"
    if filled:
        subtitle += (
            f"; missing features of {', '.join(filled)} were filled with their columns' means in training"
        )
    records = [_plain(record) for record in result.records]
    report = report_comparison(result, f"setwise compare {' '.join(result.data)}", subtitle)
    finish(report, _flat(result), records, options)
    return 1 if result.failures else 0


def _flat(result: Comparison) -> Table:
    """Every measure of a method on a data set."""
    rows = [
        [data, method, measure, *estimate]
        for (data, method), measures in result.estimates.items()
        for measure, estimate in measures.items()
    ]
    return flat_table(["data", "method", "measure", *Estimate._fields], rows)


def _plain(record: dict[str, object]) -> dict[str, object]:
    return {name: str(value) if isinstance(value, Path) else value for name, value in record.items()}
