"""Answers about rows, written as CSV, JSON lines, Parquet or ARFF, with the names of the labels."""

from __future__ import annotations

import io
import sys
import tempfile
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from setwise.atomic import replacing
from setwise.cli.output import json_text
from setwise.contract import FREE, Array
from setwise.datasets import Dataset, write_arff
from setwise.views.csv_lines import write_csv_lines

FORMATS = {
    "csv": (".csv",),
    "tsv": (".tsv",),
    "jsonl": (".jsonl", ".ndjson", ".json"),
    "parquet": (".parquet",),
    "arff": (".arff",),
}


@dataclass(frozen=True)
class Answers:
    """A value for each row and label: ``values`` (n, L), sets or probabilities; or the k best sets (n, k, L)
    with their ``probabilities`` (n, k). ``kept`` are columns (n,) of the data that go with them, by name.
    """

    label_names: list[str]
    values: Array
    probabilities: Array | None = None
    kept: Mapping[str, Array] = field(default_factory=dict)

    def columns(self) -> dict[str, Array]:
        """The answers as columns of a table; of k best sets a line per row and rank."""
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
        """One JSON object a row."""
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
    """The name, with underscores behind it where it is taken.

    Examples
    --------
    >>> free_name("row", ["row", "row_"])
    'row__'
    """
    return free_name(name + "_", taken) if name in taken else name


def choose_format(form: str | None, output: str | None) -> str:
    """The format asked for, or that of the file's name, or CSV."""
    if output is None:
        if form in ("parquet",):
            raise ValueError("Parquet is not for terminals; name a file with -o")
        return form or "csv"
    suffix = Path(output).suffix.lower()
    found = form or next((name for name, suffixes in FORMATS.items() if suffix in suffixes), None)
    if found is None:
        known = ", ".join(suffixes[0] for suffixes in FORMATS.values())
        raise ValueError(f"{output}: unknown format {suffix!r}; known: {known}, or say --format")
    return found


def check_kept(keep: Sequence[str], label_names: Sequence[str], form: str) -> None:
    """A ValueError where columns cannot stand beside the answers."""
    if keep and form == "arff":
        raise ValueError("an ARFF file holds answers alone; write kept columns to CSV, JSON lines or Parquet")
    for name in keep:
        if name in label_names and form != "jsonl":
            raise ValueError(
                f"--keep {name}: the answers have a column of this name, the label's; write JSON lines, or "
                "rename the column"
            )


def write_answers(answers: Answers, form: str, output: str | None) -> None:
    """Write to a file, which appears complete or not at all, or to standard output."""
    content = WRITERS[form](answers)
    if output is None:
        sys.stdout.write(content.decode())
        return
    with replacing(output) as file:
        file.write(content)


def _csv(answers: Answers, delimiter: str = ",") -> bytes:
    out, columns = io.StringIO(newline=""), answers.columns()
    rows = zip(*(column.tolist() for column in columns.values()))
    write_csv_lines(out, [list(columns), *rows], delimiter)
    return out.getvalue().encode()


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
        raise ValueError(
            "an ARFF file has one set a row; write the k best sets as CSV, JSON lines or Parquet"
        )
    n, nothing = len(answers.values), np.zeros((len(answers.values), 0))
    if answers.values.dtype.kind == "f":
        data = Dataset(answers.values, nothing, answers.label_names, name="probabilities")
    else:
        data = Dataset(nothing, answers.values.reshape(n, -1), (), answers.label_names, name="predictions")
    with tempfile.TemporaryDirectory() as folder:
        write_arff(data, path := Path(folder) / "answers.arff")
        return path.read_bytes()


WRITERS = {
    "csv": _csv,
    "tsv": lambda answers: _csv(answers, "\t"),
    "jsonl": _jsonl,
    "parquet": _parquet,
    "arff": _arff,
}
