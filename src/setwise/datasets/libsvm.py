"""The libsvm format of multi-label data: a line ``2,5 1:0.5 7:1`` has labels 2 and 5 and two features.

scikit-learn reads the rows. If it refuses a file, the lines are checked again to name the place. An empty line is a
row without labels and features: scikit-learn writes such rows like that, but skips them when it reads. A line with
only a comment is not a row, and neither are empty lines at the end of the file.
"""

from __future__ import annotations

import os
import re
import warnings
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Literal, NamedTuple

import numpy as np
from scipy import sparse
from sklearn.datasets import load_svmlight_file

from setwise.contract import Array, Matrix
from setwise.datasets.dataset import Dataset
from setwise.errors import InputWarning
from setwise.files.errors import RAISE_LIMITS, DataFormatError
from setwise.files.limits import limits as file_limits
from setwise.files.text import blocks
from setwise.tables.encode import MAX_DENSE
from setwise.tables.schema import Schema

_WORD = re.compile(rb"\S+")
_LABELS = re.compile(rb"\d+(?:\.0*)?(?:,\d+(?:\.0*)?)*")
_FEATURE = re.compile(
    rb"(\d{1,18}):([+-]?(?:(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?|inf(?:inity)?|nan))", re.IGNORECASE
)


def _most() -> int:
    """Maximum number of features or labels of a file, so that one large index does not create millions of names."""
    return file_limits().columns


class Counting(NamedTuple):
    """Numbers of labels and features of a file (None: as many as occur), and where counting starts."""

    n_labels: int | None = None
    n_features: int | None = None
    first_label: int = 0
    zero_based: bool | Literal["auto"] = "auto"


def read_libsvm(
    path: str | os.PathLike[str],
    *,
    n_labels: int | None = None,
    n_features: int | None = None,
    first_label: int = 0,
    zero_based: bool | Literal["auto"] = "auto",
) -> Dataset:
    """Read a multi-label file in libsvm format, plain or compressed with gzip or bzip2.

    Parameters
    ----------
    path : str or path
    n_labels, n_features : int, optional
        By default as many as occur. Pass them if a test file must match its training file.
    first_label : int
        Number of the first label.
    zero_based : bool or "auto"
        Whether features are counted from 0; "auto" means yes if a feature 0 occurs.

    Returns
    -------
    Dataset
        X is CSR; labels are named by their numbers in the file; ``schema.zero_based`` says where the features
        are counted from.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> folder = tempfile.TemporaryDirectory()
    >>> path = pathlib.Path(folder.name) / "toy.svm"
    >>> _ = path.write_text("0,2 1:0.5\\n1 2:3\\n")
    >>> data = read_libsvm(path)
    >>> data.Y
    array([[1, 0, 1],
           [0, 1, 0]], dtype=int8)
    >>> data.X.toarray()
    array([[0.5, 0. ],
           [0. , 3. ]])
    """
    counting = Counting(n_labels, n_features, first_label, zero_based)
    X, Y, from_zero = load_rows(path, counting)
    return Dataset(
        X=X,
        Y=Y,
        label_names=[str(first_label + i) for i in range(Y.shape[1])],
        name=Path(path).name.split(".")[0],
        schema=Schema((), zero_based=from_zero),
    )


def load_rows(
    path: str | os.PathLike[str], counting: Counting, *, has_header: bool = False
) -> tuple[Matrix, Matrix, bool]:
    """Features and label sets of a file, and whether its features are counted from 0."""
    lines = _Lines(path, has_header)
    try:
        X, rows = load_svmlight_file(lines, multilabel=True, zero_based=True)
        from_zero = _counts_from_zero(X, counting)
        X = _features(X, from_zero, counting)
        Y = _label_sets(rows, counting)
    except DataFormatError:
        raise
    except (ValueError, OverflowError) as error:
        raise _first_fault(path, counting, has_header) or DataFormatError(str(error), file=path) from error
    lines.warn()
    return X, Y, from_zero


def _counts_from_zero(X: Matrix, counting: Counting) -> bool:
    """Whether features are counted from 0: as ``counting`` says; otherwise, if a feature 0 or no feature occurs."""
    if counting.zero_based != "auto":
        return counting.zero_based
    return not X.nnz or bool((X.indices == 0).any())


def _features(X: Matrix, from_zero: bool, counting: Counting) -> Matrix:
    """Check the features that occur against ``counting``, and put them in that many columns."""
    columns = X.indices if from_zero else X.indices - 1
    n_columns = int(columns.max(initial=0)) + 1
    if columns.min(initial=0) < 0:
        raise ValueError("found a feature 0; expected features counted from 1")
    if n_columns > (_most() if counting.n_features is None else counting.n_features):
        raise ValueError(f"{n_columns} features are too many")
    shape = (X.shape[0], n_columns if counting.n_features is None else counting.n_features)
    X = sparse.csr_array((X.data, columns, X.indptr), shape=shape)
    X.eliminate_zeros()
    return X


class _Lines:
    """Lines as a file object for scikit-learn."""

    NOTHING = b"qid:0"
    """A line that scikit-learn reads as a row without labels and features; it would skip an empty line."""

    def __init__(self, path: str | os.PathLike[str], has_header: bool) -> None:
        self._path = path
        self._has_header = has_header
        self._between = self._at_end = 0

    def raw(self) -> Iterator[bytes]:
        """The lines after the header, unchanged."""
        lines = (line for block in blocks(self._path) for line in block.splitlines())
        return islice(lines, 1, None) if self._has_header else lines

    def __iter__(self) -> Iterator[bytes]:
        self._between = self._at_end = 0
        for line in self.raw():
            if not line and not self._has_header:
                self._at_end += 1  # a row if another follows
                continue
            if not line.lstrip().startswith(b"#"):
                yield from [self.NOTHING] * self._at_end
                self._between, self._at_end = self._between + self._at_end, 0
            yield line if line.strip() else self.NOTHING

    def warn(self) -> None:
        """Report empty lines: scikit-learn writes a space for an empty row, and an editor may remove it."""
        found = []
        if self._between:
            found.append(f"{self._between} empty lines are read as rows without labels and features")
        if self._at_end:
            found.append(f"{self._at_end} empty lines at the end are ignored")
        if found:
            hint = "remove them, or put a space on each that is a row"
            warnings.warn(InputWarning(", ".join(found), file=self._path, hint=hint), stacklevel=4)

    def read(self) -> bytes:
        """Marks this as an open file; never called."""
        raise NotImplementedError


def _label_sets(rows: list[tuple[float, ...]], counting: Counting) -> Matrix:
    counts = np.array([len(row) for row in rows], dtype=np.int64)
    labels: Array = (
        np.array([label for row in rows for label in row], dtype=np.float64) - counting.first_label
    )
    top = _most() if counting.n_labels is None else counting.n_labels
    if not ((labels >= 0) & (labels < top) & (labels == np.floor(labels))).all():
        raise ValueError("a label is not a whole number in range")
    n_labels = int(labels.max(initial=-1)) + 1 if counting.n_labels is None else counting.n_labels
    indptr = np.concatenate([[0], np.cumsum(counts)])
    ones = np.ones(labels.size, dtype=np.int8)
    Y = sparse.csr_array((ones, labels.astype(np.int64), indptr), shape=(len(rows), n_labels))
    Y.sum_duplicates()
    Y.data[:] = 1
    return Y.toarray() if Y.shape[0] * n_labels <= MAX_DENSE else Y


def _first_fault(
    path: str | os.PathLike[str], counting: Counting, has_header: bool
) -> DataFormatError | None:
    """Find the first position at which the file violates the format."""
    for number, line in enumerate(_Lines(path, has_header).raw(), 2 if has_header else 1):
        try:
            _check_line(line, counting)
        except _Fault as fault:
            message, hint = f"expected {fault.expected}", RAISE_LIMITS if fault.is_limit else ()
            return DataFormatError(message, file=path, line=number, position=fault.column, hint=hint)
    return None


class _Fault(Exception):
    def __init__(self, column: int, expected: str, is_limit: bool = False) -> None:
        self.column = column
        self.expected = expected
        self.is_limit = is_limit


def _check_line(line: bytes, counting: Counting) -> None:
    words = list(_WORD.finditer(line.split(b"#")[0]))
    if words and b":" not in words[0].group():
        _check_labels(words.pop(0), counting)
    previous = 0 if counting.zero_based is False else -1
    n_features = _most() if counting.n_features is None else counting.n_features
    last = n_features - 1 if counting.zero_based is True else n_features
    for word in words:
        feature = _FEATURE.fullmatch(word.group())
        if feature is None:
            raise _Fault(
                word.start() + 1, f"<index>:<value>, found {word.group()[:40].decode('utf-8', 'replace')!r}"
            )
        if int(feature.group(1)) <= previous:
            start = ", as features are counted from 1 here" if previous == 0 and word is words[0] else ""
            raise _Fault(word.start() + 1, f"an index above {previous}{start}")
        previous = int(feature.group(1))
        if previous > last:
            raise _Fault(word.start() + 1, f"at most {n_features} features", counting.n_features is None)


def _check_labels(word: re.Match[bytes], counting: Counting) -> None:
    text = word.group()
    if not _LABELS.fullmatch(text):
        raise _Fault(word.start() + 1, f"labels such as 2,5, found {text[:40].decode('utf-8', 'replace')!r}")
    last = (_most() if counting.n_labels is None else counting.n_labels) + counting.first_label - 1
    labels = [float(label) for label in text.split(b",")]
    if min(labels) < counting.first_label or max(labels) > last:
        is_limit = counting.n_labels is None and max(labels) > last
        raise _Fault(word.start() + 1, f"labels from {counting.first_label} to {last}", is_limit)
