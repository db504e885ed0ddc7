"""The text format of the Extreme Classification Repository: a first line ``rows features labels``, then
one line a row, ``2,5 0:0.5 7:1``, with labels and features counted from 0.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

from setwise.datasets.dataset import Dataset
from setwise.datasets.libsvm import MAX_NAMES, Limits, load_rows
from setwise.datasets.source import DataFormatError, blocks

_HEADER = re.compile(rb"\s*(\d{1,18})\s+(\d{1,18})\s+(\d{1,18})\s*")


def read_extreme(path: str | os.PathLike[str]) -> Dataset:
    """Read a file of the Extreme Classification Repository, plain or compressed with gzip or bzip2.

    Returns
    -------
    Dataset
        X is CSR, and so is Y where a dense one would be huge.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> folder = tempfile.TemporaryDirectory()
    >>> path = pathlib.Path(folder.name) / "toy.txt"
    >>> _ = path.write_text("2 3 2\\n0,1 0:0.5 2:1\\n 1:2\\n")
    >>> read_extreme(path).Y
    array([[1, 1],
           [0, 0]], dtype=int8)
    """
    first = next(blocks(path), b"").split(b"\n", 1)[0]
    header = _HEADER.fullmatch(first)
    if header is None:
        raise DataFormatError(path, 1, 1, "expected a first line of three numbers: rows, features, labels")
    n_rows, n_features, n_labels = map(int, header.groups())
    if not 0 < n_features <= MAX_NAMES or not 0 < n_labels <= MAX_NAMES:
        raise DataFormatError(path, 1, 1, f"expected between 1 and {MAX_NAMES} features and labels")
    X, Y, _ = load_rows(path, Limits(n_labels, n_features, 0, True), has_header=True)
    if X.shape[0] != n_rows:
        raise DataFormatError(path, X.shape[0] + 1, 1, f"expected {n_rows} rows, found {X.shape[0]}")
    return Dataset(X, Y, name=Path(path).name.split(".")[0])
