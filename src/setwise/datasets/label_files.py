"""Mulan label files, beside a data file or passed as ``labels``."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from setwise.datasets.mulan_xml import read_label_file
from setwise.errors import InputError, quote_some
from setwise.tables.labels.label_columns import LabelChoice


def resolve_label_file(
    labels: LabelChoice, columns: Sequence[str], path: str | os.PathLike[str]
) -> Sequence[str] | str | int:
    """Replace the path of a Mulan .xml file by the names that it lists; return any other choice unchanged.

    Names that are not among the columns of the data file ``path`` are refused.
    """
    if not (isinstance(labels, os.PathLike) or (isinstance(labels, str) and labels.lower().endswith(".xml"))):
        return labels
    names, known = read_label_file(labels).names, set(columns)
    missing = [name for name in names if name not in known]
    if missing:
        message = f"label {missing[0]!r} of the label file {labels} is not a column"
        raise InputError(f"{message}; the columns are {quote_some(columns)}", file=path, label=missing[0])
    return names


def sibling_label_file(path: Path) -> Path | None:
    """Find the Mulan label file beside a data file: ``a.xml`` for ``a.arff`` and ``a-train.arff``."""
    stem = path.name.split(".arff")[0]
    for name in (stem, stem.removesuffix("-train").removesuffix("-test")):
        candidate = path.with_name(f"{name}.xml")
        if candidate.is_file():
            return candidate
    return None
