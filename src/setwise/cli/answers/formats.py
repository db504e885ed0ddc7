"""The formats of answers, and what each of them cannot hold."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from setwise.cli.streams import STANDARD
from setwise.errors import InputError, Parameter

FORMATS = {
    "csv": (".csv",),
    "tsv": (".tsv",),
    "jsonl": (".jsonl", ".ndjson", ".json"),
    "parquet": (".parquet",),
    "xlsx": (".xlsx",),
    "arff": (".arff",),
}

BINARY = {"parquet": "Parquet", "xlsx": "Excel"}
ONE_SET = "an ARFF file has one set per row"
OTHER_FORMATS = "write the k best sets as CSV, JSON lines, Parquet or Excel"


def choose_format(form: str | None, output: str | None) -> str:
    """The format that was passed, or that of the file's name, or CSV."""
    if output in (None, STANDARD):
        if form in BINARY:
            raise InputError(f"{BINARY[form]} is not written to standard output", hint="name a file with -o")
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
            "an ARFF file contains answers only",
            hint="write kept columns to CSV, JSON lines, Parquet or Excel",
        )
    for name in keep:
        if name in label_names and form != "jsonl":
            raise InputError(
                "the answers already have a column of this name, for the label",
                parameter=Parameter("keep", name),
                hint="write JSON lines, or rename the column",
            )
