"""Data for the commands: files of every format, known names, CSV from standard input, and a model's own columns."""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import numpy as np

from setwise.contract import FREE, Array
from setwise.datasets import Dataset, Schema, available, file_format, load, read
from setwise.datasets.label_columns import sibling_label_file
from setwise.datasets.tables import FOR_MISSING, Table, check_names, csv_table, parquet_table
from setwise.kernels.matrices import first_cell, stored_values
from setwise.persistence import Description

FORMATS = ".arff, .csv, .tsv, .parquet, .svm, .txt, .npz; also .gz, .bz2"
CSV = (".csv", ".tsv")
TABLES = (*CSV, ".parquet")
STDIN = "-"
KEEP_IN_TABLES = "only columns of CSV, TSV and Parquet files are kept"
Read = TypeVar("Read")
Kept = dict[str, Array]
"""Columns to show beside the answers, as they stand: entries (n,) by name."""


def add_data_argument(parser: argparse.ArgumentParser) -> None:
    """DATA: what is read."""
    parser.add_argument(
        "data",
        metavar="DATA",
        help=f"a file ({FORMATS}), a name that `setwise datasets list` shows, or - for CSV from standard input",
    )


def add_label_arguments(parser: argparse.ArgumentParser) -> None:
    """Which columns are labels, and which are left out."""
    parser.add_argument(
        "--labels",
        nargs="+",
        metavar="LABEL",
        help="label columns: names, one pattern such as 'tag_*', one column of tags, a Mulan .xml, or a number: "
        "the first k columns, or the last if negative; ARFF, libsvm and .npz files mostly say it themselves",
    )
    parser.add_argument(
        "--ignore", nargs="+", metavar="COLUMN", help="columns to leave out, such as identifiers"
    )
    parser.add_argument(
        "--tag-separator", metavar="TEXT", help="between the tags of a column of tags (default ,)"
    )
    add_csv_arguments(parser)


def add_csv_arguments(
    parser: argparse.ArgumentParser,
    delimiter: str = "default , and a tab for .tsv",
    decimal: str = "default .",
) -> None:
    """What stands between the columns of a CSV file, and in its numbers."""
    parser.add_argument(
        "--delimiter",
        type=lambda text: text.replace("\\t", "\t"),
        metavar="CHAR",
        help=f"between the columns of CSV files, such as ';' ({delimiter})",
    )
    parser.add_argument(
        "--decimal", metavar="CHAR", help=f"in the numbers of CSV files, a point or a comma ({decimal})"
    )


def add_model_csv_arguments(parser: argparse.ArgumentParser) -> None:
    """How the CSV files are written that a fitted model reads."""
    add_csv_arguments(parser, "default: the model's", "default: the model's")


def add_keep_argument(parser: argparse.ArgumentParser) -> None:
    """Columns that go with the answers."""
    parser.add_argument(
        "--keep",
        nargs="+",
        default=[],
        metavar="COLUMN",
        help="columns of a CSV, TSV or Parquet file to show beside each answer, such as identifiers",
    )


def files_read(options: argparse.Namespace) -> list[str | Path]:
    """What a command reads: its data, files or names, and the files that say which columns are labels."""
    data = options.data if isinstance(options.data, list) else [options.data]
    read: list[str | Path] = [name for name in data if name not in (None, STDIN)]
    beside = [sibling_label_file(Path(name)) for name in read if Path(name).name]
    labels = [name for name in getattr(options, "labels", None) or [] if name.lower().endswith(".xml")]
    return [*read, *labels, *(path for path in beside if path is not None)]


class Source(NamedTuple):
    """Where data comes from: a name to show, and what reads it."""

    name: str
    load: Callable[[], Dataset]


def source(options: argparse.Namespace, data: str | None = None) -> Source:
    """The data of the command line, not yet read."""
    wanted = options.data if data is None else data
    if wanted == STDIN:
        return Source("standard input", partial(_from_stdin, partial(read, **_reader_options(options))))
    path = Path(wanted)
    if is_file(wanted):
        return Source(path.name, partial(read, path.resolve(), **_reader_options(options)))
    if wanted in available():
        _no_labels_for_names(options, wanted)
        return Source(wanted, partial(load, wanted))
    raise FileNotFoundError(
        f"{wanted} is neither a file nor a known data set ({', '.join(available()) or 'none is here'})"
    )


def csv_source(options: argparse.Namespace) -> Callable[[], tuple[Dataset, Table]] | None:
    """What reads a CSV file both as data and as it stands; None where the data are something else."""
    reader = partial(_data_and_table, **_reader_options(options))
    if options.data == STDIN:
        return partial(_from_stdin, reader)
    path = Path(options.data)
    return partial(reader, path) if is_file(options.data) and file_format(path) in CSV else None


def _data_and_table(path: Path, **options: Any) -> tuple[Dataset, Table]:
    return read(path, **options), csv_table(path, options.get("delimiter"))


def is_file(path: str) -> bool:
    """Whether there is such a file; a folder is an error of its own."""
    if path and Path(path).is_dir():
        raise IsADirectoryError(f"{path} is a folder; name a file in it")
    return bool(path) and Path(path).exists()


def _no_labels_for_names(options: argparse.Namespace, name: str) -> None:
    if _reader_options(options):
        raise ValueError(
            f"the data set {name} knows its labels; leave out --labels, --ignore, --tag-separator, --delimiter and "
            "--decimal"
        )


def _reader_options(options: argparse.Namespace) -> dict[str, Any]:
    given: dict[str, Any] = {}
    if options.labels is not None:
        given["labels"] = _label_choice(options.labels)
    if getattr(options, "ignore", None):
        given["ignore"] = options.ignore
    if getattr(options, "tag_separator", None):
        given["tag_separator"] = options.tag_separator
    return given | csv_options(options)


def csv_options(options: argparse.Namespace) -> dict[str, str]:
    """How CSV files are written, as far as it was said."""
    said = {"delimiter": options.delimiter, "decimal": options.decimal}
    return {name: value for name, value in said.items() if value is not None}


def _label_choice(labels: list[str]) -> str | int | list[str]:
    if len(labels) > 1:
        return labels
    try:
        return int(labels[0])
    except ValueError:
        return labels[0]


def _from_stdin(reader: Callable[[Path], Read]) -> Read:
    """CSV from standard input, by way of a file: readers look twice at the beginning."""
    if sys.stdin.isatty():
        print("setwise: reading CSV from standard input; end it with Ctrl-D", file=sys.stderr)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "stdin.csv"
        with open(path, "wb") as file:
            shutil.copyfileobj(sys.stdin.buffer, file)
        with _called(path, "standard input"):
            return reader(path)


@contextmanager
def _called(path: Path, name: str) -> Iterator[None]:
    """Errors and warnings that name a file by another name than its path."""
    try:
        with warnings.catch_warnings(record=True) as caught:
            yield
    except ValueError as error:
        raise ValueError(str(error).replace(str(path), name)) from error
    finally:
        for warning in caught:
            warnings.warn(str(warning.message).replace(str(path), name), warning.category, stacklevel=2)


def tag_column(options: argparse.Namespace, data: Dataset) -> dict[str, str] | None:
    """The column of tags the labels came from, if they did."""
    labels = options.labels or []
    if len(labels) == 1 and labels[0] not in data.label_names and data.schema is not None:
        choice = _label_choice(labels)
        if isinstance(choice, str) and not choice.endswith(".xml") and not set("*?[") & set(choice):
            return {"column": choice, "separator": options.tag_separator or ","}
    return None


def read_for_model(
    data: str,
    about: Description,
    *,
    with_labels: bool,
    may_miss: bool,
    csv: dict[str, str],
    keep: Sequence[str] = (),
) -> tuple[Dataset, Kept]:
    """Data with the columns that a model was fitted to, its labels where they are asked for, and columns to ``keep``.

    Columns are found by name, wherever they stand; words are encoded as they were for the model. ``may_miss`` says
    whether it takes missing features, ``csv`` how CSV files are written if not as the model's.
    """
    reader = partial(_read_file, about=about, with_labels=with_labels, may_miss=may_miss, csv=csv, keep=keep)
    if data == STDIN:
        found, kept = _from_stdin(reader)
    elif is_file(data):
        found, kept = reader(Path(data))
    elif data in available():
        if keep:
            raise ValueError(f"--keep {keep[0]}: {data} is a data set by name; {KEEP_IN_TABLES}")
        found, kept = load(data), {}
    else:
        raise FileNotFoundError(f"{data or 'an empty name'} is neither a file nor a known data set")
    if found.X.shape[0] == 0:
        raise ValueError(f"{data} has no rows")
    found = _features_of(found, data, about)
    if not with_labels:
        return found, kept
    found = _labels_of(found, data, about)
    check_labels(found, data)
    return found, kept


def _read_file(
    path: Path,
    about: Description,
    with_labels: bool,
    may_miss: bool,
    csv: dict[str, str],
    keep: Sequence[str],
) -> tuple[Dataset, Kept]:
    csv = _csv_of_model(path, about) | csv
    kept = _kept(path, keep, csv.get("delimiter")) if keep else {}
    return _read_like(path, about, with_labels, may_miss, csv), kept


def _csv_of_model(path: Path, about: Description) -> dict[str, str]:
    """How the model's own CSV file was written; tabs are the delimiters of .tsv."""
    names = {".csv": ("delimiter", "decimal"), ".tsv": ("decimal",)}.get(file_format(path), ())
    return {name: about.notes[name] for name in names if about.notes.get(name) is not None}


def _kept(path: Path, keep: Sequence[str], delimiter: str | None) -> Kept:
    """Columns of a table as they stand, by name."""
    form = file_format(path)
    if form not in TABLES:
        raise ValueError(f"--keep {keep[0]}: {path} is no table; {KEEP_IN_TABLES}")
    table = csv_table(path, delimiter) if form in CSV else parquet_table(path)
    missing = [name for name in keep if name not in table.names]
    if missing:
        raise ValueError(f"--keep {missing[0]}: {path} has no such column; it has {_some(table.names)}")
    check_names(table, keep)
    return {name: _entries(table.columns[table.names.index(name)]) for name in keep}


def _entries(column: Sequence[Any]) -> Array:
    entries = np.empty(len(column), dtype=object)
    entries[:] = column
    return entries


def _read_like(
    path: Path, about: Description, with_labels: bool, may_miss: bool, csv: dict[str, str]
) -> Dataset:
    form, schema = file_format(path), schema_of(about)
    options: dict[str, Any] = {**csv}
    if form in (".svm", ".libsvm", ".svmlight"):
        limits: dict[str, Any] = {
            "n_features": about.n_features or None,
            "n_labels": len(about.label_names) or None,
            "zero_based": schema.zero_based if schema is not None else None,
        }
        options |= {name: limit for name, limit in limits.items() if limit is not None}
        return read(path, **options)
    if form not in (*TABLES, ".arff"):
        return read(path, **options)
    tags = about.notes.get("tags")
    labels: Any = about.label_names if with_labels else []
    if form in TABLES and schema is not None and schema.zero_based is None:
        options["like"] = replace(schema, may_miss=may_miss)
    if with_labels and tags and form in TABLES:
        labels, options["tag_separator"] = tags["column"], tags["separator"]
    try:
        return read(path, labels, **options)
    except ValueError as error:
        raise ValueError(str(error).replace("labels= names", "the model has the label")) from error


def schema_of(about: Description) -> Schema | None:
    """How the columns of the training file became features, if the model's file says it."""
    kept = about.notes.get("schema")
    if not isinstance(kept, dict):
        return None
    words = {name: tuple(words) for name, words in kept["categories"].items()}
    return Schema(tuple(kept["columns"]), words, kept.get("zero_based"))


def _features_of(found: Dataset, data: str, about: Description) -> Dataset:
    """The model's features among those of the data, by name; by number where neither side has names."""
    _check_words(found, data, about)
    names = about.notes.get("features") or about.feature_names
    if names:
        there = set(found.feature_names)
        missing = [name for name in names if name not in there]
        if missing:
            raise ValueError(
                f"{data} is not like the data of the model: {len(missing)} of its {len(names)} features are missing, "
                f"the first {missing[0]!r}; {data} has {_some(found.feature_names)}"
            )
        return found.with_features(names)
    if about.n_features is not None and found.X.shape[1] != about.n_features:
        raise ValueError(
            f"{data} has {found.X.shape[1]} features; the model was fitted to {about.n_features}"
        )
    return found


def _check_words(found: Dataset, data: str, about: Description) -> None:
    schema = schema_of(about)
    if schema is None or found.schema is None:
        return
    for name, words in schema.categories.items():
        if name in found.schema.columns and tuple(found.schema.categories.get(name, ())) != tuple(words):
            raise ValueError(
                f"{data}: the values of {name!r} are not declared as for the model: {', '.join(words[:8])}"
            )


def _labels_of(found: Dataset, data: str, about: Description) -> Dataset:
    if about.notes.get("tags"):
        return _tags_of(found, data, about.label_names)
    if set(about.label_names) <= set(found.label_names):
        return found.with_labels(about.label_names)
    if len(found.label_names) == len(about.label_names) and file_has_no_names(found):
        return found
    missing = [name for name in about.label_names if name not in found.label_names]
    raise ValueError(f"{data} lacks the label {missing[0]!r} of the model; it has {_some(found.label_names)}")


def _tags_of(found: Dataset, data: str, names: list[str]) -> Dataset:
    """Labels from tags: one that never occurs is off in all known rows, one the model does not know is an error."""
    new = [name for name in found.label_names if name not in names]
    if new:
        raise ValueError(
            f"{data} has the tag {new[0]!r}, which the model does not know; it knows {_some(names)}"
        )
    unknown = (found.Y == FREE).any(axis=1)
    Y = np.where(unknown[:, None], FREE, np.zeros(len(names), dtype=np.int8))
    Y[:, [names.index(name) for name in found.label_names]] = found.Y
    return Dataset(found.X, Y, found.feature_names, names, name=found.name)


def check_labels(data: Dataset, where: str, remedy: str = "; leave the row out") -> None:
    """A ValueError where a label is not known, and what to do about it."""
    values = stored_values(data.Y)
    if (values == FREE).any():
        row, label = first_cell(data.Y, values == FREE)
        raise ValueError(f"{where}: label {data.label_names[label]!r} of row {row} is not known{remedy}")


def check_features(data: Dataset, where: str, *, allow_nan: bool) -> None:
    """A ValueError where a feature is infinite, or missing and that is not allowed."""
    values = stored_values(data.X)
    bad = np.isinf(values) if allow_nan else ~np.isfinite(values)
    if bad.any():
        row, column = first_cell(data.X, bad)
        what = (
            f"missing, which the model cannot take; {FOR_MISSING}"
            if np.isnan(data.X[row, column])
            else "infinite"
        )
        raise ValueError(f"{where}: feature {data.feature_names[column]!r} of row {row} is {what}")


def file_has_no_names(data: Dataset) -> bool:
    """Whether the labels are only numbered."""
    return all(name.removeprefix("y").isdigit() for name in data.label_names)


def _some(names: Any) -> str:
    return ", ".join(map(str, names[:6])) + (f" and {len(names) - 6} more" if len(names) > 6 else "")
