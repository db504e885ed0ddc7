"""Write data sets as ARFF, libsvm and CSV files that :func:`setwise.datasets.read` reads."""

from __future__ import annotations

import bz2
import gzip
import io
import os
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import chain
from pathlib import Path
from typing import Any, BinaryIO, TextIO

import numpy as np
from scipy import sparse

from setwise.atomic import replacing
from setwise.contract import FREE, Array, Matrix
from setwise.datasets.dataset import Dataset
from setwise.datasets.mulan_xml import write_label_file
from setwise.errors import InputError, Parameter
from setwise.tables.files.csv import csv_delimiter
from setwise.views.csv_lines import write_csv_lines

_BLOCK = 256
PACKERS: dict[str, Callable[[BinaryIO], Any]] = {
    ".gz": lambda file: gzip.GzipFile("", "wb", fileobj=file),
    ".bz2": lambda file: bz2.BZ2File(file, "wb"),
}
_BARE = re.compile(r"[A-Za-z0-9_.:/+-]+")
_ESCAPES = str.maketrans({"\\": "\\\\", "'": "\\'", "\n": "\\n", "\r": "\\r", "\t": "\\t"})


def write_arff(dataset: Dataset, path: str | os.PathLike[str], *, style: str = "meka") -> None:
    """Write an ARFF file, sparse if X is, and compressed if the suffix is .gz or .bz2.

    Parameters
    ----------
    dataset : Dataset
    path : str or path
    style : {"meka", "mulan"}
        MEKA: labels first, their number in the relation's name, and the split if its training rows come
        first. Mulan: labels last, listed in an .xml file beside the data.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> folder = tempfile.TemporaryDirectory()
    >>> path = pathlib.Path(folder.name) / "toy.arff"
    >>> write_arff(Dataset([[0.5]], [[1, -1]], ["size"], ["red", "round"], name="toy"), path)
    >>> print(path.read_text())
    @relation 'toy: -C 2'
    <BLANKLINE>
    @attribute red {0,1}
    @attribute round {0,1}
    @attribute size numeric
    <BLANKLINE>
    @data
    1,?,0.5
    <BLANKLINE>
    """
    if style not in ("meka", "mulan"):
        raise InputError("expected 'meka' or 'mulan'", parameter=Parameter("style", style))
    labels = [f"@attribute {_quoted(name)} {{0,1}}" for name in dataset.label_names]
    features = [f"@attribute {_quoted(name)} numeric" for name in dataset.feature_names]
    head = labels + features if style == "meka" else features + labels
    with _open(path) as file:
        file.write(f"@relation {_relation(dataset, style)}\n\n" + "\n".join(head) + "\n\n@data\n")
        for X, Y in _blocks(dataset):
            matrices = (Y, X) if style == "meka" else (X, Y)
            file.writelines(_sparse_rows(*matrices) if sparse.issparse(dataset.X) else _dense_rows(*matrices))
    if style == "mulan":
        write_label_file(
            dataset.label_names, Path(path).with_name(Path(path).name.split(".arff")[0] + ".xml")
        )


def write_libsvm(dataset: Dataset, path: str | os.PathLike[str]) -> None:
    """Write a file in libsvm format: labels counted from 0, features from 1; names are lost.

    Parameters
    ----------
    dataset : Dataset
        Without unknown labels, which the format cannot express.
    path : str or path

    Examples
    --------
    >>> import tempfile, pathlib
    >>> folder = tempfile.TemporaryDirectory()
    >>> path = pathlib.Path(folder.name) / "toy.svm"
    >>> write_libsvm(Dataset([[0.5, 0.0], [0.0, 2.0]], [[1, 1], [0, 0]]), path)
    >>> print(path.read_text())
    0,1 1:0.5
     2:2
    <BLANKLINE>
    """
    if (dataset.Y == FREE).sum():
        raise InputError("the libsvm format cannot express that a label is unknown", file=path)
    with _open(path) as file:
        for X, Y in _blocks(dataset):
            X, Y = sparse.csr_array(X), sparse.csr_array(Y)
            words = _words(X.data, missing="nan")
            for row in range(X.shape[0]):
                labels = Y.indices[Y.indptr[row] : Y.indptr[row + 1]].tolist()
                entries = range(X.indptr[row], X.indptr[row + 1])
                features = " ".join(f"{X.indices[entry] + 1}:{words[entry]}" for entry in entries)
                # other readers skip a line with nothing on it
                file.write(f"{','.join(map(str, sorted(labels)))} {features or '1:0'}\n")


def write_csv(dataset: Dataset, path: str | os.PathLike[str]) -> None:
    """Write a CSV file (.tsv: with tabs), the features first, then a column of 0 and 1 for each label.

    Parameters
    ----------
    dataset : Dataset
    path : str or path

    Examples
    --------
    >>> import tempfile, pathlib
    >>> folder = tempfile.TemporaryDirectory()
    >>> path = pathlib.Path(folder.name) / "toy.csv"
    >>> write_csv(Dataset([[0.5]], [[1, 0]], ["size"], ["red", "round"]), path)
    >>> print(path.read_text())
    size,red,round
    0.5,1,0
    <BLANKLINE>
    """
    rows = (row for X, Y in _blocks(dataset) for row in _dense_words(X, Y, missing=""))
    write_csv_rows([*dataset.feature_names, *dataset.label_names], rows, path, csv_delimiter(path))


def write_csv_rows(
    names: Sequence[str], rows: Iterable[Sequence[str]], path: str | os.PathLike[str], delimiter: str
) -> None:
    """Write a CSV file of rows of text under the names of the columns."""
    with _open(path) as file:
        write_csv_lines(file, chain([names], rows), delimiter)


def _relation(dataset: Dataset, style: str) -> str:
    name = (dataset.name or "data").replace(":", " ")
    if style == "mulan":
        return _quoted(name)
    options = f"{name}: -C {len(dataset.label_names)}"
    if dataset.split is not None:
        n_train = int(dataset.split.sum())
        if dataset.split[:n_train].all():
            options += f" -split-number {n_train}"
    return _quoted(options)


def _blocks(dataset: Dataset) -> Iterator[tuple[Matrix, Matrix]]:
    """Yield some rows at a time: features, and labels with NaN for unknown ones."""
    for start in range(0, dataset.X.shape[0], _BLOCK):
        labels = dataset.Y[start : start + _BLOCK].astype(np.float64)
        cells = labels.data if sparse.issparse(labels) else labels
        cells[cells == FREE] = np.nan
        yield dataset.X[start : start + _BLOCK], labels


def _dense_rows(first: Matrix, second: Matrix) -> Iterator[str]:
    for row in _dense_words(first, second, missing="?"):
        yield ",".join(row) + "\n"


def _dense_words(first: Matrix, second: Matrix, missing: str) -> Iterator[list[str]]:
    parts = [part.toarray() if sparse.issparse(part) else part for part in (first, second)]
    width = [part.shape[1] for part in parts]
    words = [_words(part.ravel(), missing) for part in parts]
    for row in range(parts[0].shape[0]):
        yield [word for w, n in zip(words, width) for word in w[row * n : (row + 1) * n]]


def _sparse_rows(first: Matrix, second: Matrix) -> Iterator[str]:
    both = sparse.hstack([sparse.csr_array(part) for part in (first, second)], format="csr")
    both.sort_indices()
    words = _words(both.data)
    for start, stop in zip(both.indptr, both.indptr[1:]):
        yield "{" + ", ".join(f"{both.indices[e]} {words[e]}" for e in range(start, stop)) + "}\n"


def _words(numbers: Array, missing: str = "?") -> list[str]:
    """Write numbers in the shortest form that reads back as the same numbers."""
    return [missing if word == "nan" else word.removesuffix(".0") for word in numbers.astype(str).tolist()]


def _quoted(name: str) -> str:
    return name if _BARE.fullmatch(name) else "'" + name.translate(_ESCAPES) + "'"


@contextmanager
def _open(path: str | os.PathLike[str]) -> Iterator[TextIO]:
    """Open a text file for writing, compressed according to its name, that replaces its target when it is complete."""
    with replacing(path) as raw:
        packed: Any = raw
        if Path(path).suffix in PACKERS:
            packed = PACKERS[Path(path).suffix](raw)
        text = io.TextIOWrapper(packed, encoding="utf-8", newline="")
        yield text
        text.detach()
        if packed is not raw:
            packed.close()
