"""The text format of the Extreme Classification Repository: a first line ``rows features labels``, then
one line per row, ``2,5 0:0.5 7:1``, with labels and features counted from 0.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

from setwise.datasets.dataset import Dataset
from setwise.datasets.libsvm import Counting, load_rows
from setwise.files.errors import DataFormatError, too_large
from setwise.files.limits import limits
from setwise.files.text import blocks

_HEADER = re.compile(rb"\s*(\d{1,18})\s+(\d{1,18})\s+(\d{1,18})\s*")


def read_extreme(path: str | os.PathLike[str]) -> Dataset:
    """Read a file of the Extreme Classification Repository, plain or compressed with gzip or bzip2.

    Parameters
    ----------
    path : str or path

    Returns
    -------
    Dataset
        X is CSR; Y too, if it would be huge as a dense array.

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
        message = "expected a first line of three numbers: rows, features, labels"
        raise DataFormatError(message, file=path, line=1)
    n_rows, n_features, n_labels = map(int, header.groups())
    if min(n_features, n_labels) < 1:
        raise DataFormatError("expected at least one feature and one label", file=path, line=1)
    if max(n_features, n_labels) > limits().columns:
        raise too_large(f"more than the {limits().columns} features or labels allowed", path, 1)
    X, Y, _ = load_rows(path, Counting(n_labels, n_features, 0, True), has_header=True)
    if X.shape[0] != n_rows:
        raise DataFormatError(f"expected {n_rows} rows, found {X.shape[0]}", file=path, line=X.shape[0] + 1)
    return Dataset(X, Y, name=Path(path).name.split(".")[0])
