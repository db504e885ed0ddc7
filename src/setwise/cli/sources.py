"""The data that a command line names: files of every format, known names, CSV from standard input."""

from __future__ import annotations

import argparse
import shutil
import tempfile
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from sklearn.base import clone

from setwise.cli.messages import OPTIONS
from setwise.cli.streams import STANDARD, standard_input
from setwise.datasets import Dataset, available, file_format, load, raised_limits, read
from setwise.datasets.table_files import PLAIN
from setwise.errors import InputError, InputWarning, quote_some
from setwise.tables.encoder import CHOICES, TableEncoder
from setwise.tables.files.csv import csv_table
from setwise.tables.files.reading import CSV, TABLES
from setwise.tables.table import Table

Read = TypeVar("Read")


class Source(NamedTuple):
    """A source of data: a name to show, and a function that reads it."""

    name: str
    load: Callable[[], Dataset]


def source(options: argparse.Namespace, data: str | None = None, *, plain: bool = False) -> Source:
    """The data of the command line, not yet read; ``plain`` keeps the numbers of a table as they are."""
    wanted = options.data if data is None else data
    reader = partial(_read, raise_limits=options.raise_limits, plain=plain, **reader_options(options))
    if wanted == STANDARD:
        return Source("standard input", partial(from_standard_input, reader))
    if is_file(wanted):
        return Source(Path(wanted).name, partial(reader, Path(wanted).resolve()))
    if wanted in available():
        _refuse_reader_options(options, wanted)
        return Source(wanted, partial(load, wanted))
    raise FileNotFoundError(unknown_data(wanted))


def unknown_data(name: str) -> str:
    """The message for a name that is neither a file nor a data set."""
    here = available()
    known = f"; the data sets here are {quote_some(here, 30)}" if here else ""
    return f"{name or 'an empty name'} is neither a file nor a known data set{known}"


def _read(path: Path, *, raise_limits: float, plain: bool, **options: Any) -> Dataset:
    if file_format(path) in TABLES:
        columns = options.pop("columns", None)
        options["encoder"] = clone(PLAIN if plain else TableEncoder()).set_params(columns=columns)
    with raised_limits(raise_limits):
        return read(path, **options)


def csv_source(options: argparse.Namespace) -> Callable[[], tuple[Dataset, Table]] | None:
    """What reads a CSV file both as data and as text; None if the data are something else."""
    reader = partial(
        _read_with_table, plain=True, raise_limits=options.raise_limits, **reader_options(options)
    )
    if options.data == STANDARD:
        return partial(from_standard_input, reader)
    path = Path(options.data)
    return partial(reader, path) if is_file(options.data) and file_format(path) in CSV else None


def _read_with_table(path: Path, *, raise_limits: float, **options: Any) -> tuple[Dataset, Table]:
    data = _read(path, raise_limits=raise_limits, **options)
    with raised_limits(raise_limits):
        return data, csv_table(path, options.get("delimiter"))


def is_file(path: str) -> bool:
    """Whether there is such a file; a folder is an error."""
    if path and Path(path).is_dir():
        raise IsADirectoryError(f"{path} is a folder; name a file in it")
    return bool(path) and Path(path).exists()


def _refuse_reader_options(options: argparse.Namespace, name: str) -> None:
    given = reader_options(options)
    if given:
        option = OPTIONS[next(iter(given))]
        raise InputError(f"the data set {name} has its labels already", hint=f"leave out {option}")


def reader_options(options: argparse.Namespace) -> dict[str, Any]:
    """The options of the readers that were passed."""
    given = {
        "labels": None if options.labels is None else _label_choice(options.labels),
        "ignore": options.ignore,
        "columns": None if options.columns is None else _kinds(options.columns),
        "min_rows": options.min_rows,
        "tag_separator": options.tag_separator,
        "delimiter": options.delimiter,
        "decimal": options.decimal,
    }
    return {name: value for name, value in given.items() if value is not None}


def _kinds(given: list[str]) -> dict[str, str]:
    """``name=kind`` as a mapping."""
    pairs = [item.rpartition("=") for item in given]
    wrong = [item for item, (name, _, kind) in zip(given, pairs) if not name or kind not in CHOICES]
    if wrong:
        raise InputError(f"--columns {wrong[0]}: expected NAME=KIND with one of {', '.join(CHOICES)}")
    return {name: kind for name, _, kind in pairs}


def _label_choice(labels: list[str]) -> str | int | list[str]:
    if len(labels) > 1:
        return labels
    try:
        return int(labels[0])
    except ValueError:
        return labels[0]


def from_standard_input(reader: Callable[[Path], Read]) -> Read:
    """Read CSV from standard input."""
    with standard_input_file() as path:
        return reader(path)


@contextmanager
def standard_input_file() -> Iterator[Path]:
    """Standard input as a temporary CSV file, which errors and warnings call by its name."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "stdin.csv"
        with open(path, "wb") as file:
            shutil.copyfileobj(standard_input(), file)
        with _called(path, "standard input"):
            yield path


@contextmanager
def _called(path: Path, name: str) -> Iterator[None]:
    """Replace the name of a file in errors and warnings."""
    try:
        with warnings.catch_warnings(record=True) as caught:
            yield
    except InputError as error:
        raise error.with_file(name) if error.file == str(path) else error from error
    finally:
        for warning in caught:
            message = warning.message
            if isinstance(message, InputWarning) and message.file == str(path):
                message = message.with_file(name)
            warnings.warn(message, warning.category, stacklevel=2)
