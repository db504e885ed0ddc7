"""Data sets whose labels stand in the wrong columns in some of the rows: found, and moved back.

In the public files of the rcv1 subsets, the labels of one half of the rows stand a few columns too early. The first of
them lie as 0 and 1 in the last feature columns, and the last label columns are empty. Both halves are samples of the
same source, so their labels must be about as frequent; moved back, they are.
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from setwise.arrays import Floats, Matrix
from setwise.datasets.dataset import Dataset
from setwise.kernels.matrices import append_columns, stack_rows, to_dense

MAX_COLUMNS = 40
"""Largest shift that is looked for."""
MIN_ROWS = 200
"""Fewer rows say too little about the frequencies of labels."""
UNLIKE, ALIKE = 0.5, 0.9
"""Correlation of the label frequencies of both halves below which they look wrong, and above which right."""


class Shift(NamedTuple):
    """Labels of some rows that stand in earlier columns than they should.

    Parameters
    ----------
    start, stop : int
        The rows, without ``stop``.
    columns : int
        How many columns too early.
    as_given, moved : float
        Correlation of the label frequencies of both halves of the rows, before and after the move.

    Examples
    --------
    >>> Shift(3000, 6000, 1, 0.02, 0.99).columns
    1
    """

    start: int
    stop: int
    columns: int
    as_given: float
    moved: float


def find_shift(data: Dataset) -> Shift | None:
    """Look for labels of the first or second half of the rows that stand some columns too early.

    Parameters
    ----------
    data : Dataset

    Returns
    -------
    Shift or None
        None if the label frequencies of both halves agree, or no shift makes them agree.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> Y = (rng.random((2000, 8)) < [0.6, 0.05, 0.1, 0.5, 0.05, 0.4, 0.1, 0.1]).astype(int)
    >>> both = np.hstack([rng.random((2000, 5)), Y])
    >>> both[1000:] = np.hstack([both[1000:, 2:], np.zeros((1000, 2))])
    >>> shift = find_shift(Dataset(both[:, :5], both[:, 5:]))
    >>> shift.start, shift.stop, shift.columns
    (1000, 2000, 2)
    """
    n, L = data.Y.shape
    if n < MIN_ROWS or L < 3:
        return None
    middle = n // 2
    halves = [(0, middle), (middle, n)]
    as_given = _correlation(*(_frequencies(data, *half, 0) for half in halves))
    if not as_given < UNLIKE:
        return None
    most = min(MAX_COLUMNS, data.X.shape[1], L - 2)
    found = [
        Shift(*half, k, as_given, _correlation(_frequencies(data, *half, k), _frequencies(data, *other, 0)))
        for half, other in (halves, halves[::-1])
        for k in range(1, most + 1)
        if _are_labels(data, *half, k)
    ]
    best = max(found, key=lambda shift: shift.moved, default=None)
    return best if best is not None and best.moved > ALIKE else None


def realigned(data: Dataset, shift: Shift) -> Dataset:
    """Move the labels of a shift back.

    Parameters
    ----------
    data : Dataset
    shift : Shift

    Returns
    -------
    Dataset
        The feature columns in which labels lay are zero in the rows of the shift.

    Examples
    --------
    >>> import numpy as np
    >>> data = Dataset([[5.0, 0.0], [5.0, 1.0]], [[0, 1], [0, 0]])
    >>> realigned(data, Shift(1, 2, 1, 0.0, 1.0)).Y
    array([[0, 1],
           [1, 0]], dtype=int8)
    """
    rows, k = slice(shift.start, shift.stop), shift.columns
    d, L = data.X.shape[1], data.Y.shape[1]
    Y = np.array(to_dense(data.Y))
    Y[rows] = np.hstack([to_dense(data.X[rows, d - k :]), Y[rows]])[:, :L]
    return replace(data, X=_without_tail(data.X, rows, k), Y=Y)


def _without_tail(X: Matrix, rows: slice, k: int) -> Matrix:
    """Set the last ``k`` columns of some rows to zero."""
    cleaned = append_columns(X[rows, : X.shape[1] - k], np.zeros((rows.stop - rows.start, k)))
    return stack_rows([X[: rows.start], cleaned, X[rows.stop :]])


def _are_labels(data: Dataset, start: int, stop: int, k: int) -> bool:
    """Whether the last ``k`` feature columns of some rows hold only 0 and 1, and the last label columns nothing."""
    tail = to_dense(data.X[start:stop, data.X.shape[1] - k :])
    return bool(((tail == 0) | (tail == 1)).all() and not to_dense(data.Y[start:stop, -k:]).any())


def _frequencies(data: Dataset, start: int, stop: int, k: int) -> Floats:
    """Share of the rows with each label, if the labels stand ``k`` columns too early."""
    d = data.X.shape[1]
    tail = np.asarray(data.X[start:stop, d - k :].sum(axis=0)).ravel() if k else np.empty(0)
    labels = np.asarray(data.Y[start:stop].sum(axis=0)).ravel()
    return np.concatenate([tail, labels])[: len(labels)] / (stop - start)


def _correlation(a: Floats, b: Floats) -> float:
    if a.std() == 0 or b.std() == 0:
        return float("nan")
    return float(np.corrcoef(a, b)[0, 1])
