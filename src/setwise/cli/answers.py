"""Answers about rows, written as CSV, JSON lines, Parquet or ARFF, with the names of the labels."""

from __future__ import annotations

import io
import tempfile
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from setwise.cli.output_files import write_output
from setwise.cli.streams import STANDARD
from setwise.cli.terminal import json_text
from setwise.contract import FREE, Array
from setwise.datasets import Dataset, write_arff
from setwise.errors import InputError, Parameter
from setwise.tables.files.csv_safety import safe_cell
from setwise.views.csv_lines import write_csv_lines

FORMATS = {
    "csv": (".csv",),
    "tsv": (".tsv",),
    "jsonl": (".jsonl", ".ndjson", ".json"),
    "parquet": (".parquet",),
    "arff": (".arff",),
}

ONE_SET = "an ARFF file has one set per row"
OTHER_FORMATS = "write the k best sets as CSV, JSON lines or Parquet"


@dataclass(frozen=True)
class Answers:
    """Answers for rows.

    Attributes
    ----------
    label_names : list of str
    values : array of shape (n, L) or (n, k, L)
        Sets or probabilities; or the k best sets.
    probabilities : array of shape (n, k), optional
        Of the k best sets.
    kept : mapping of str to array of shape (n,)
        Columns of the data that are shown beside the answers.
    """

    label_names: list[str]
    values: Array
    probabilities: Array | None = None
    kept: Mapping[str, Array] = field(default_factory=dict)

    def columns(self) -> dict[str, Array]:
        """Convert the answers to columns of a table; the k best sets have a line per row and rank."""
        if self.probabilities is None:
            labels = {name: self.values[:, label] for label, name in enumerate(self.label_names)}
            return {**self.kept, **labels}
        n, k, _ = self.values.shape
        there = (self.values[:, :, 0] != FREE).ravel()
        table = {
            "row": np.repeat(np.arange(n), k),
            "rank": np.tile(np.arange(1, k + 1), n),
            "probability": self.probabilities.ravel(),
        }
        kept = {name: np.repeat(column, k)[there] for name, column in self.kept.items()}
        used = [*self.label_names, *self.kept]
        taken = {free_name(name, used): column[there] for name, column in table.items()}
        labels = {
            name: self.values[:, :, label].ravel()[there] for label, name in enumerate(self.label_names)
        }
        return {**taken, **kept, **labels}

    def records(self) -> Iterator[dict[str, Any]]:
        """One JSON object per row."""
        names = np.asarray(self.label_names, dtype=object)
        for row, values in enumerate(self.values):
            about: dict[str, Any] = {"row": row}
            if self.kept:
                about["kept"] = {name: column[row] for name, column in self.kept.items()}
            if self.probabilities is not None:
                sets = [
                    {"labels": names[labels == 1].tolist(), "probability": float(p)}
                    for labels, p in zip(values, self.probabilities[row])
                    if labels[0] != FREE
                ]
                yield {**about, "sets": sets}
            elif values.dtype.kind == "f":
                yield {**about, "proba": dict(zip(self.label_names, values.tolist()))}
            else:
                yield {**about, "labels": names[values == 1].tolist()}


def free_name(name: str, taken: Collection[str]) -> str:
    """Append underscores to a name until it is not taken.

    Examples
    --------
    >>> free_name("row", ["row", "row_"])
    'row__'
    """
    return free_name(name + "_", taken) if name in taken else name


def choose_format(form: str | None, output: str | None) -> str:
    """The format that was passed, or that of the file's name, or CSV."""
    if output in (None, STANDARD):
        if form == "parquet":
            raise InputError("Parquet is not written to standard output", hint="name a file with -o")
        return form or "csv"
    suffix = Path(str(output)).suffix.lower()
    found = form or next((name for name, suffixes in FORMATS.items() if suffix in suffixes), None)
    if found is None and Path(str(output)).exists() and not Path(str(output)).is_file():
        return "csv"  # a device such as /dev/null
    if found is None:
        known = ", ".join(suffixes[0] for suffixes in FORMATS.values())
        raise InputError(
            f"unknown format {suffix!r}; known are {known}", file=output, hint="or pass --format"
        )
    return found


def check_kept(keep: Sequence[str], label_names: Sequence[str], form: str) -> None:
    """Refuse columns that cannot be shown beside the answers."""
    if keep and form == "arff":
        raise InputError(
            "an ARFF file contains answers only", hint="write kept columns to CSV, JSON lines or Parquet"
        )
    for name in keep:
        if name in label_names and form != "jsonl":
            raise InputError(
                "the answers already have a column of this name, for the label",
                parameter=Parameter("keep", name),
                hint="write JSON lines, or rename the column",
            )


def write_answers(answers: Answers, form: str, output: str | None, *, csv_safe: bool = False) -> None:
    """Write to a file, which appears complete or not at all, or to standard output."""
    if form in DELIMITERS:
        write_output(_csv(answers, DELIMITERS[form], csv_safe), output)
    else:
        write_output(WRITERS[form](answers), output)


def _csv(answers: Answers, delimiter: str, safe: bool) -> bytes:
    out, columns = io.StringIO(newline=""), answers.columns()
    rows: Iterable[Iterable[Any]] = [list(columns), *zip(*(column.tolist() for column in columns.values()))]
    if safe:
        rows = ([safe_cell(cell) for cell in row] for row in rows)
    write_csv_lines(out, rows, delimiter)
    return out.getvalue().encode(errors="backslashreplace")


def _jsonl(answers: Answers) -> bytes:
    return "".join(json_text(record) + "\n" for record in answers.records()).encode()


def _parquet(answers: Answers) -> bytes:
    try:
        import polars
    except ImportError:
        raise ImportError("writing Parquet files needs polars: pip install 'setwise[parquet]'") from None
    out = io.BytesIO()
    columns = {
        name: column.tolist() if column.dtype == object else column
        for name, column in answers.columns().items()
    }
    polars.DataFrame(columns).write_parquet(out)
    return out.getvalue()


def _arff(answers: Answers) -> bytes:
    if answers.probabilities is not None:
        raise InputError(ONE_SET, hint=OTHER_FORMATS)
    n, nothing = len(answers.values), np.zeros((len(answers.values), 0))
    if answers.values.dtype.kind == "f":
        data = Dataset(answers.values, nothing, answers.label_names, name="probabilities")
    else:
        data = Dataset(nothing, answers.values.reshape(n, -1), (), answers.label_names, name="predictions")
    with tempfile.TemporaryDirectory() as folder:
        write_arff(data, path := Path(folder) / "answers.arff")
        return path.read_bytes()


DELIMITERS = {"csv": ",", "tsv": "\t"}
WRITERS = {"jsonl": _jsonl, "parquet": _parquet, "arff": _arff}
