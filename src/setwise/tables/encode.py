"""From columns of numbers and codes to features and label sets.

A nominal column of two values becomes one feature: yes/no, true/false and 1/0 as they say, otherwise 1 for the second
value. A column of more values becomes one feature a value, named ``column=value``. A missing value makes NaN of all
its features and -1 of a label.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import Any

import numpy as np
from scipy import sparse

from setwise.contract import FREE, Floats, Matrix
from setwise.files.errors import too_large
from setwise.files.limits import limits

MAX_DENSE = 2**26
"""Cells up to which label sets are a dense matrix."""

SWELLING = 16
"""How many times the cells that were read may be stored after encoding, where that is beyond the limit on cells."""

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
    matrix: Matrix,
    names: Sequence[str],
    nominal: Mapping[int, Sequence[str]],
    path: str | os.PathLike[str] | None = None,
) -> tuple[Matrix, list[str]]:
    """Make features of columns of numbers and codes.

    Parameters
    ----------
    matrix : array or CSR array of shape (n, columns)
    names : sequence of str
        Names of the columns.
    nominal : mapping of int to sequence of str
        The values of the columns that hold codes.
    path : path of the file, optional
        For messages.

    Returns
    -------
    X : array or CSR array of shape (n, d)
    feature_names : list of str
    """
    if not nominal:
        return matrix, list(names)
    codes = {column: _codes(values) for column, values in nominal.items()}
    coded = {column: of for column, of in codes.items() if of}
    feature_names = [
        feature
        for column, name in enumerate(names)
        for feature in (
            [f"{name}={value}" for value in nominal[column]] if len(codes.get(column, ())) > 1 else [name]
        )
    ]
    if not coded:
        return matrix, feature_names
    # one feature a value would swell a dense matrix of many-valued columns
    swells = len(feature_names) > 8 * len(names) and matrix.shape[0] * len(feature_names) > 2**24
    as_sparse = swells or sparse.issparse(matrix)
    _check_cells(matrix, coded, len(feature_names), as_sparse, path)
    pieces = []
    for key, run in groupby(range(len(names)), key=lambda column: column if column in coded else -1):
        part = matrix[:, list(run)]
        pieces.append(part if key < 0 else _indicators(part, coded[key], as_sparse))
    if not as_sparse:
        return np.hstack(pieces), feature_names
    return sparse.hstack([sparse.csr_array(piece) for piece in pieces], format="csr"), feature_names


def encode_labels(
    matrix: Matrix, nominal: Mapping[int, Sequence[str]], path: str | os.PathLike[str]
) -> Matrix:
    """Make label sets (n, L) of columns of 0, 1 and NaN: dense up to :data:`MAX_DENSE` cells."""
    flipped = [column for column, words in nominal.items() if on_code(words) == 0]
    is_large = sparse.issparse(matrix) and matrix.shape[0] * matrix.shape[1] > MAX_DENSE
    if is_large and flipped:
        raise too_large(f"{matrix.shape[0]} rows and {matrix.shape[1]} labels make too large a matrix", path)
    Y = matrix.copy()
    values = Y.data if sparse.issparse(Y) else Y
    values[np.isnan(values)] = FREE
    Y = Y.astype(np.int8)
    if sparse.issparse(Y) and not is_large:
        Y = Y.toarray()
    if flipped:
        Y[:, flipped] = np.where(Y[:, flipped] == FREE, FREE, 1 - Y[:, flipped])
    return Y


def _codes(values: Sequence[str]) -> tuple[int, ...]:
    """Codes that become a feature each; none if the column is a feature already."""
    if len(values) > 2:
        return tuple(range(len(values)))
    return (0,) if on_code(values) == 0 else ()


def _indicators(column: Matrix, of: tuple[int, ...], as_sparse: bool) -> Matrix:
    """One column per code: 1 in its rows, NaN where the value is missing."""
    codes: Floats = (column.toarray() if sparse.issparse(column) else column)[:, 0]
    missing = np.isnan(codes)
    if not as_sparse:
        return np.where(missing[:, None], np.nan, codes[:, None] == np.array(of))
    known, unknown = np.flatnonzero(np.isin(codes, of)), np.flatnonzero(missing)
    rows = np.concatenate([known, np.repeat(unknown, len(of))])
    places = np.concatenate([codes[known].astype(np.int64), np.tile(of, unknown.size)])
    cells = np.concatenate([np.ones(known.size), np.full(unknown.size * len(of), np.nan)])
    return sparse.csr_array((cells, (rows, places)), shape=(codes.size, len(of)))


def _check_cells(
    matrix: Matrix,
    coded: Mapping[int, tuple[int, ...]],
    n_features: int,
    as_sparse: bool,
    path: str | os.PathLike[str] | None,
) -> None:
    """Refuse a matrix of more cells than the limits allow, before any of them is made."""
    n_rows = matrix.shape[0]
    cells = n_rows * n_features
    if as_sparse:
        missing = _missing_counts(matrix)
        cells = matrix.size + sum(n_rows + int(missing[column]) * len(of) for column, of in coded.items())
    allowed = max(limits().cells, SWELLING * matrix.size)
    if cells > allowed:
        message = f"{n_rows} rows and {n_features} features may store {cells} cells, more than the {allowed} allowed"
        raise too_large(message, path or "the table")


def _missing_counts(matrix: Matrix) -> Any:
    """How many values of each column are missing."""
    if not sparse.issparse(matrix):
        return np.isnan(matrix).sum(axis=0)
    return np.bincount(matrix.indices[np.isnan(matrix.data)], minlength=matrix.shape[1])
