"""From columns of numbers and codes to features and label sets.

A nominal column of two values becomes one feature: yes/no, true/false and 1/0 as they say, otherwise 1 for
the second value listed. One of more values becomes one feature a value, named ``column=value``. A missing
value makes NaN of all its features and -1 (not known) of a label.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import groupby

import numpy as np
from scipy import sparse

from setwise.contract import FREE, Floats
from setwise.datasets.dataset import Matrix

MAX_DENSE = 2**28
"""Cells up to which label sets are kept as a dense matrix."""

MAX_CELLS = 2**30
"""Stored cells from which a matrix is refused: 8 GB of float64."""

_YES = ("1", "yes", "true", "y", "t")
_NO = ("0", "no", "false", "n", "f")


def on_code(values: Sequence[str]) -> int:
    """Code of the value that means 1, among at most two.

    Examples
    --------
    >>> on_code(["no", "yes"]), on_code(["1", "0"]), on_code(["red", "blue"])
    (1, 0, 1)
    """
    words = [value.strip().lower() for value in values]
    if len(words) == 1:
        return 0 if words[0] in _YES else 1
    return 0 if len(words) == 2 and words[0] in _YES and words[1] in _NO else 1


def encode_features(
    matrix: Matrix, names: Sequence[str], nominal: Mapping[int, Sequence[str]]
) -> tuple[Matrix, list[str]]:
    """Features (n, d) of columns, with their names; ``nominal`` has the values of those that hold codes."""
    if not nominal:
        return matrix, list(names)
    codes = {column: _codes(values) for column, values in nominal.items()}
    coded = {column for column, of in codes.items() if of}
    feature_names = [
        feature
        for column, name in enumerate(names)
        for feature in (
            [f"{name}={v}" for v in nominal[column]] if len(codes.get(column, ())) > 1 else [name]
        )
    ]
    if not coded:
        return matrix, feature_names
    # one feature a value would swell a dense matrix of many-valued columns
    swells = len(feature_names) > 8 * len(names) and matrix.shape[0] * len(feature_names) > 2**24
    as_sparse = swells or sparse.issparse(matrix)
    pieces, cells = [], 0
    for key, run in groupby(range(len(names)), key=lambda column: column if column in coded else -1):
        part = matrix[:, list(run)]
        pieces.append(part if key < 0 else _indicators(part, codes[key], as_sparse))
        cells += pieces[-1].size
        _check_size(cells)
    if not as_sparse:
        return np.hstack(pieces), feature_names
    return sparse.hstack([sparse.csr_array(piece) for piece in pieces], format="csr"), feature_names


def encode_labels(matrix: Matrix, nominal: Mapping[int, Sequence[str]]) -> Matrix:
    """Label sets (n, L) of columns that hold 0, 1 and NaN: dense up to :data:`MAX_DENSE` cells."""
    Y = matrix.copy()
    values = Y.data if sparse.issparse(Y) else Y
    values[np.isnan(values)] = FREE
    Y = Y.astype(np.int8)
    flipped = [column for column, words in nominal.items() if on_code(words) == 0]
    if sparse.issparse(Y):
        if Y.shape[0] * Y.shape[1] > MAX_DENSE and not flipped:
            return Y
        _check_size(Y.shape[0] * Y.shape[1])
        Y = Y.toarray()
    Y[:, flipped] = np.where(Y[:, flipped] == FREE, FREE, 1 - Y[:, flipped])
    return Y


def _codes(values: Sequence[str]) -> tuple[int, ...]:
    """Codes that get a feature each; none where the column is a feature as it stands."""
    if len(values) > 2:
        return tuple(range(len(values)))
    return (0,) if on_code(values) == 0 else ()


def _indicators(column: Matrix, of: tuple[int, ...], as_sparse: bool) -> Matrix:
    """One column per code: 1 where it is, NaN where it is missing."""
    codes: Floats = (column.toarray() if sparse.issparse(column) else column)[:, 0]
    missing = np.isnan(codes)
    if not as_sparse:
        return np.where(missing[:, None], np.nan, codes[:, None] == np.array(of))
    known, unknown = np.flatnonzero(np.isin(codes, of)), np.flatnonzero(missing)
    _check_size(known.size + unknown.size * len(of))
    rows = np.concatenate([known, np.repeat(unknown, len(of))])
    places = np.concatenate([codes[known].astype(np.int64), np.tile(of, unknown.size)])
    cells = np.concatenate([np.ones(known.size), np.full(unknown.size * len(of), np.nan)])
    return sparse.csr_array((cells, (rows, places)), shape=(codes.size, len(of)))


def _check_size(cells: int) -> None:
    if cells > MAX_CELLS:
        raise ValueError(f"the matrix would have more than the {MAX_CELLS} stored cells allowed")
