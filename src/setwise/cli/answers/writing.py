"""Write answers to a file or to standard output, part by part, in the format that was asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from shutil import copyfileobj
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from setwise.cli.answers.answers import Answers
from setwise.cli.answers.formats import ONE_SET, OTHER_FORMATS
from setwise.cli.answers.lines import table_rows, write_csv, write_json_lines
from setwise.cli.output_files import Output, opened_output
from setwise.datasets import Dataset, write_arff
from setwise.errors import InputError
from setwise.tables.files.excel import write_excel


def write_answers(parts: Iterator[Answers], form: str, output: str | None, *, csv_safe: bool = False) -> None:
    """Write to a file, which appears complete or not at all, or to standard output.

    Each part is written before the next is made, so the memory does not grow with the number of rows, except that of
    an ARFF file.
    """
    write = (
        partial(write_csv, delimiter=DELIMITERS[form], safe=csv_safe) if form in DELIMITERS else WRITERS[form]
    )
    first = next(parts)  # an error in it is not one of the output
    with opened_output(output) as file:
        write(_chained(first, parts), file)


def _chained(first: Answers, parts: Iterator[Answers]) -> Iterator[Answers]:
    yield first
    yield from parts


def _write_parquet(parts: Iterable[Answers], file: Output) -> None:
    try:
        import polars
    except ImportError:
        raise ImportError("writing Parquet files needs polars: pip install 'setwise[parquet]'") from None
    with TemporaryDirectory() as folder:
        paths = []
        for number, part in enumerate(parts):
            columns = part.columns().items()
            frame = polars.DataFrame({name: c.tolist() if c.dtype == object else c for name, c in columns})
            paths.append(Path(folder) / f"{number}.parquet")
            frame.write_parquet(paths[-1])
        whole = paths[0]
        if len(paths) > 1:
            whole = Path(folder) / "whole.parquet"
            scans = [polars.scan_parquet(path, glob=False) for path in paths]
            polars.concat(scans, how="vertical_relaxed").sink_parquet(whole)
        with open(whole, "rb") as content:
            copyfileobj(content, file)


def _write_xlsx(parts: Iterable[Answers], file: Output) -> None:
    rows = (row for number, part in enumerate(parts) for row in table_rows(part, with_header=number == 0))
    with TemporaryDirectory() as folder:
        path = Path(folder) / "answers.xlsx"
        with open(path, "x+b") as book:
            write_excel(book, rows)
            book.seek(0)
            copyfileobj(book, file)


def _write_arff(parts: Iterable[Answers], file: Output) -> None:
    answers = _joined(list(parts))
    if answers.probabilities is not None:
        raise InputError(ONE_SET, hint=OTHER_FORMATS)
    n, nothing = len(answers.values), np.zeros((len(answers.values), 0))
    if answers.values.dtype.kind == "f":
        data = Dataset(answers.values, nothing, answers.label_names, name="probabilities")
    else:
        data = Dataset(nothing, answers.values.reshape(n, -1), (), answers.label_names, name="predictions")
    with TemporaryDirectory() as folder:
        write_arff(data, path := Path(folder) / "answers.arff")
        file.write(path.read_bytes())


def _joined(parts: list[Answers]) -> Answers:
    return replace(parts[0], values=np.concatenate([part.values for part in parts]))


DELIMITERS = {"csv": ",", "tsv": "\t"}
WRITERS: dict[str, Callable[[Iterable[Answers], Any], None]] = {
    "jsonl": write_json_lines,
    "parquet": _write_parquet,
    "xlsx": _write_xlsx,
    "arff": _write_arff,
}
