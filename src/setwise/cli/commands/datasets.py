"""``setwise datasets``: list known data sets, describe a file, convert and split it."""

from __future__ import annotations

import argparse
import dataclasses
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from setwise.cli.arguments import FORMATS, add_data_argument, add_label_arguments, files_read
from setwise.cli.model_data import read_columns
from setwise.cli.output_files import check_outputs
from setwise.cli.progress import waiting
from setwise.cli.sources import csv_source, is_file, source
from setwise.cli.streams import STANDARD
from setwise.cli.terminal import print_json, print_table
from setwise.contract import Array
from setwise.datasets import (
    Dataset,
    available,
    cache_folder,
    file_format,
    grouped_train_test_split,
    raised_limits,
    read_openml,
    stratified_train_test_split,
    temporal_train_test_split,
    write_arff,
    write_csv,
    write_libsvm,
    write_npz,
)
from setwise.datasets.registry import KNOWN
from setwise.datasets.writing import write_csv_rows
from setwise.errors import InputError
from setwise.evaluation.near_duplicates import near_duplicates
from setwise.printable import printable
from setwise.tables.files.csv import csv_delimiter
from setwise.tables.files.reading import CSV, TABLES
from setwise.tables.table import Table as DataTable
from setwise.tables.times import column_times
from setwise.views import Table

EXAMPLES = """\
examples:
  setwise datasets list
  setwise datasets info my.csv --labels 'tag_*'
  setwise datasets get emotions
  setwise datasets convert emotions.arff emotions.csv
  setwise datasets split yeast train.csv test.csv --test-size 0.25
"""

WRITERS: dict[str, Callable[[Dataset, Any], None]] = {
    ".arff": write_arff,
    ".csv": write_csv,
    ".tsv": write_csv,
    ".svm": write_libsvm,
    ".libsvm": write_libsvm,
    ".npz": write_npz,
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of ``setwise datasets``."""
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    listed = actions.add_parser("list", help="the known data sets, and which of them are here")
    info = actions.add_parser("info", help="rows, features, labels and other figures of a data set or file")
    add_data_argument(info)
    add_label_arguments(info)
    get = actions.add_parser("get", help="download a known data set from openml.org and keep it")
    get.add_argument("name", metavar="NAME", help="a name that `setwise datasets list` shows")
    convert = actions.add_parser("convert", help="write a data set or file in another format")
    add_data_argument(convert)
    convert.add_argument(
        "output", metavar="OUTPUT", help=f"the file to write: {', '.join(WRITERS)}; also .gz, .bz2"
    )
    add_label_arguments(convert)
    split = actions.add_parser(
        "split",
        help="split the rows of a data set into a training and a test file, stratified; CSV rows stay unchanged",
    )
    add_data_argument(split)
    split.add_argument("train", metavar="TRAIN", help="the file for the training rows")
    split.add_argument("test", metavar="TEST", help="the file for the test rows")
    add_label_arguments(split)
    split.add_argument(
        "--test-size", type=float, default=1 / 3, metavar="X", help="share or number of rows (1/3)"
    )
    by = split.add_mutually_exclusive_group()
    by.add_argument(
        "--group",
        metavar="COLUMN",
        help="keep rows with the same entry of this column in one file, such as a customer",
    )
    by.add_argument("--time", metavar="COLUMN", help="put the latest rows by this column into the test file")
    split.add_argument("--seed", type=int, default=0, metavar="N", help="seed of the split (0)")
    for action in (listed, info):
        action.add_argument("--json", action="store_true", help="print JSON instead of a table")
    for action in (listed, info, get, convert, split):
        action.add_argument("--debug", action="store_true", default=argparse.SUPPRESS, help=argparse.SUPPRESS)


def run(options: argparse.Namespace) -> int:
    """Do the action."""
    {"list": _list, "info": _info, "get": _get, "convert": _convert, "split": _split}[options.action](options)
    return 0


def _list(options: argparse.Namespace) -> None:
    here = set(available())
    if options.json:
        print_json([{"name": name, "here": name in here, **entry._asdict()} for name, entry in KNOWN.items()])
        return
    rows = [
        [name, str(e.rows), str(e.features), str(e.labels), "yes" if name in here else e.page]
        for name, e in KNOWN.items()
    ]
    print_table(
        Table("Known data sets", ["name", "rows", "features", "labels", "here, or published at"], rows)
    )


def _info(options: argparse.Namespace) -> None:
    name, load_data = source(options, plain=True)
    data = load_data()
    statistics = dataclasses.asdict(data.statistics())
    if options.json:
        print_json({"name": name, **statistics, "label_names": list(data.label_names)})
        return
    rows = [[key.replace("_", " "), f"{value:g}"] for key, value in statistics.items()]
    rows.append(
        ["official split", "none" if data.split is None else f"{int(data.split.sum())} rows to train on"]
    )
    print_table(Table(name, ["figure", "value"], rows))
    on = (data.Y == 1).sum(axis=0)
    labels = [[label, str(int(n))] for label, n in zip(data.label_names, on)]
    print_table(Table("Labels", ["label", "rows"], labels))


def _get(options: argparse.Namespace) -> None:
    if options.name not in KNOWN:
        raise InputError(f"unknown data set {options.name!r}; known are {', '.join(KNOWN)}")
    entry, path = KNOWN[options.name], cache_folder() / f"{options.name}.npz"
    if options.name in available():
        print(f"{options.name} is here already")
        return
    if entry.openml_id is None:
        raise InputError(
            f"{options.name} is not on openml.org",
            hint=f"get it from {entry.page}, then use convert to {path}",
        )
    with waiting(f"downloading {options.name} from openml.org"):
        data = read_openml(entry.openml_id)
    path.parent.mkdir(parents=True, exist_ok=True)
    _write(data, path)


def _convert(options: argparse.Namespace) -> None:
    [output] = _targets(options, options.output)
    _write(source(options, plain=True).load(), output)


def _split(options: argparse.Namespace) -> None:
    outputs = _targets(options, options.train, options.test)
    read_csv = csv_source(options) if all(file_format(output) in CSV for output in outputs) else None
    data, table = (source(options, plain=True).load(), None) if read_csv is None else read_csv()
    parts = _parts(data, options)
    for part, output in zip(parts, outputs):
        if table is None:
            _write(data.take(part), output)
        else:
            _write_rows(table, part, output, options)


def _parts(data: Dataset, options: argparse.Namespace) -> list[Array]:
    """The rows of both files, with a line about rows that are nearly the same in both."""
    if options.group is None and options.time is None:
        rows = np.arange(data.X.shape[0])
        size, seed = options.test_size, options.seed
        *parts, _, _ = stratified_train_test_split(rows, data.Y, test_size=size, random_state=seed)
    else:
        parts = _ordered_parts(data, options)
    share = near_duplicates(data.X[parts[0]], data.X[parts[1]]).mean()
    if share > 0.01 and data.X.shape[1] > 2:
        advice = "; --group can keep copies together" if options.group is None else ""
        print(
            f"{share:.0%} of the test rows are nearly copies of training rows{advice}".replace("%", " %", 1)
        )
    return list(parts)


def _ordered_parts(data: Dataset, options: argparse.Namespace) -> list[Array]:
    """Rows split by the entries of a column."""
    name, parameter = (options.time, "time") if options.group is None else (options.group, "group")
    path = Path(options.data)
    if options.data == STANDARD or not is_file(options.data) or file_format(path) not in TABLES:
        raise InputError("--group and --time need a CSV, TSV, Parquet or Excel file", file=options.data)
    with raised_limits(options.raise_limits):
        entries = read_columns(path, [name], options.delimiter, None, parameter)[name]
    if options.group is not None:
        size = options.test_size if options.test_size < 1 else options.test_size / len(entries)
        return list(grouped_train_test_split(data.Y, entries, test_size=size, random_state=options.seed))
    size = options.test_size if options.test_size < 1 else options.test_size / len(entries)
    return list(temporal_train_test_split(column_times(name, entries, options.data), test_size=size))


def _write_rows(table: DataTable, rows: Array, path: Path, options: argparse.Namespace) -> None:
    """Write rows of a CSV file unchanged, so that a model of them reads the user's other files too."""
    kept = [column for column, name in enumerate(table.names) if name not in (options.ignore or [])]
    words = ([table.columns[column][row] for column in kept] for row in rows)
    delimiter = csv_delimiter(path) if file_format(path) == ".tsv" else options.delimiter or ","
    write_csv_rows([table.names[column] for column in kept], words, path, delimiter)
    print(f"{printable(str(path))}: {len(rows)} rows, {len(kept)} columns, unchanged")


def _targets(options: argparse.Namespace, *outputs: str) -> list[Path]:
    """The paths of the files to write, checked before any work."""
    check_outputs(outputs, files_read(options))
    for output in outputs:
        _writer(Path(output))
    return [Path(output) for output in outputs]


def _writer(path: Path) -> Callable[[Dataset, Any], None]:
    form = next((s for s in reversed(path.suffixes) if s.lower() not in (".gz", ".bz2")), "").lower()
    if form not in WRITERS:
        message = (
            f"the format {form!r} cannot be written; known are {', '.join(WRITERS)} (to read: {FORMATS})"
        )
        raise InputError(message, file=path)
    return WRITERS[form]


def _write(data: Dataset, path: Path) -> None:
    _writer(path)(data, path)
    rows, features = data.X.shape
    print(f"{printable(str(path))}: {rows} rows, {features} features, {len(data.label_names)} labels")
