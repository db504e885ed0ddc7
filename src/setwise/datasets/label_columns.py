"""Which columns of a file are its labels: by name, by pattern, by number, or by a Mulan label file."""

from __future__ import annotations

import fnmatch
import os
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from setwise.datasets.mulan_xml import read_label_file

LabelChoice = Sequence[str] | str | os.PathLike[str] | int
"""Names, a pattern (``"tag_*"``), the path of an .xml file, k for the first k columns, -k for the last; no names:
no column is a label."""


def label_columns(
    labels: LabelChoice, names: Sequence[str], path: str | os.PathLike[str] = "the table"
) -> list[int]:
    """Places of the label columns among all columns of the file ``path``, in file order.

    Examples
    --------
    >>> label_columns(["beach", "sea"], ["x1", "sea", "beach"])
    [1, 2]
    >>> label_columns("tag_*", ["x1", "tag_a", "tag_b"])
    [1, 2]
    >>> label_columns(-2, ["x1", "x2", "a", "b"])
    [2, 3]
    """
    if isinstance(labels, int):
        if isinstance(labels, bool) or not 0 < abs(labels) <= len(names):
            raise ValueError(f"{path}: labels={labels} of {len(names)} columns")
        places = list(range(len(names)))
        return places[:labels] if labels > 0 else places[labels:]
    if isinstance(labels, os.PathLike) or (isinstance(labels, str) and labels.lower().endswith(".xml")):
        return _by_name(read_label_file(labels).names, names, f"{path}: the label file {labels}")
    if isinstance(labels, str):
        found = [i for i, name in enumerate(names) if fnmatch.fnmatchcase(name, labels)]
        if not found:
            raise ValueError(f"{path}: no column matches labels={labels!r}; there are {_some(names)}")
        return found
    return _by_name(labels, names, f"{path}: labels=") if len(labels) else []


def sibling_label_file(path: Path) -> Path | None:
    """The Mulan label file beside a data file: ``a.xml`` for ``a.arff`` and ``a-train.arff``."""
    stem = path.name.split(".arff")[0]
    for name in (stem, stem.removesuffix("-train").removesuffix("-test")):
        candidate = path.with_name(f"{name}.xml")
        if candidate.is_file():
            return candidate
    return None


def _by_name(wanted: Sequence[str], names: Sequence[str], source: str) -> list[int]:
    counts, chosen = Counter(names), set(wanted)
    if not chosen:
        raise ValueError(f"{source} names no label")
    missing = [name for name in wanted if name not in counts]
    if missing:
        raise ValueError(f"{source} names {missing[0]!r}, which is no column; there are {_some(names)}")
    twice = [name for name in wanted if counts[name] > 1]
    if twice:
        raise ValueError(f"{source} names {twice[0]!r}, but {counts[twice[0]]} columns are called so")
    return [i for i, name in enumerate(names) if name in chosen]


def _some(names: Sequence[str]) -> str:
    return ", ".join(names[:8]) + (f" and {len(names) - 8} more" if len(names) > 8 else "")
