"""Evidence in the forms that users pass, and the checks of rows, sizes and searches."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from setwise.arrays import FREE, Array, Floats, Labels
from setwise.contract.errors import ImpossibleEvidence
from setwise.contract.names import by_label, find_label, in_order
from setwise.printable import plain_repr

Evidence = npt.ArrayLike | Mapping[str | int, Any]
"""Labels (n, L) of 0, 1 and :data:`FREE`, a DataFrame of them, or a mapping from labels to values."""


def read_evidence(
    given: Any, n_rows: int, n_labels: int, names: Array | None, what: str = "evidence"
) -> Labels:
    """Read evidence from an array, a DataFrame or a mapping.

    Parameters
    ----------
    given : array or DataFrame of shape (n, L), or mapping
        0, 1 or FREE (-1, NaN, None) for every row and label. The columns of a DataFrame are matched by name. A mapping
        gives some labels, by name or number, a value for all rows or an array (n,) of values; the others are free.
    n_rows, n_labels : int
    names : array of shape (n_labels,), optional
        The labels' names.
    what : str
        Name of the evidence in error messages.

    Returns
    -------
    int8 array of shape (n, L)

    Examples
    --------
    >>> read_evidence({"sea": 1}, 2, 2, np.array(["sand", "sea"]))
    array([[-1,  1],
           [-1,  1]], dtype=int8)
    """
    some = by_label(given)
    if some is None:
        dense = given.toarray() if hasattr(given, "toarray") else in_order(given, names, what)
        return check_evidence(dense, n_rows, n_labels, what)
    evidence = np.full((n_rows, n_labels), FREE, dtype=np.int8)
    for name, value in some.items():
        column = find_label(name, n_labels, names)
        evidence[:, column] = _check_values(value, n_rows, name)
    return evidence


def _check_values(value: Any, n_rows: int, name: str | int) -> Labels:
    values = unknown_as_free(np.asarray(value))
    if values.shape not in ((), (n_rows,)) or not np.isin(values, (0, 1, FREE)).all():
        raise ValueError(
            f"the evidence for label {name!r} is {plain_repr(value)}; expected 0, 1 or {FREE} (not observed), "
            f"or {n_rows} of them"
        )
    return values.astype(np.int8)


def check_evidence(Y: npt.ArrayLike, n_rows: int, n_labels: int, what: str = "evidence") -> Labels:
    """Check an array of evidence; an error names the first bad cell.

    Parameters
    ----------
    Y : array of shape (n_rows, n_labels)
        Values are 0, 1 or FREE (-1, NaN, None).
    n_rows, n_labels : int
        The expected shape.
    what : str
        Name of the array in error messages.

    Returns
    -------
    C-ordered int8 array of shape (n_rows, n_labels)

    Examples
    --------
    >>> check_evidence([[1, np.nan]], 1, 2)
    array([[ 1, -1]], dtype=int8)
    >>> check_evidence([[1, 2]], 1, 2)
    Traceback (most recent call last):
    ValueError: evidence[0, 1] is 2; a label is 0, 1 or -1 (not observed)
    """
    Y = unknown_as_free(np.asarray(Y))
    if Y.shape != (n_rows, n_labels):
        raise ValueError(
            f"{what} has shape {Y.shape}; expected one row of {n_labels} labels for each of the {n_rows} rows, "
            f"({n_rows}, {n_labels}), or a mapping such as {{label: 1}}"
        )
    bad = ~np.isin(Y, (0, 1, FREE))
    if bad.any():
        row, label = (int(i) for i in np.argwhere(bad)[0])
        raise ValueError(
            f"{what}[{row}, {label}] is {Y[row, label]!s}; a label is 0, 1 or {FREE} (not observed)"
        )
    return np.ascontiguousarray(Y, dtype=np.int8)


def unknown_as_free(values: Array) -> Array:
    """Replace NaN by FREE and, in arrays of objects, None and pandas' NA too.

    Parameters
    ----------
    values : array

    Returns
    -------
    array of the same shape

    Examples
    --------
    >>> unknown_as_free(np.array([1.0, np.nan]))
    array([ 1., -1.])
    """
    if values.dtype.kind == "f":
        return np.where(np.isnan(values), FREE, values)
    if values.dtype.kind == "O":
        unknown = [_is_unknown(cell) for cell in values.ravel()]
        return np.where(np.reshape(unknown, values.shape), FREE, values)
    return values


def _is_unknown(cell: Any) -> bool:
    """Whether a cell is None, NaN (not equal to itself) or pandas' NA (whose comparison is not a bool)."""
    same = cell == cell
    return cell is None or (isinstance(cell, float) and not same) or not isinstance(same, (bool, np.bool_))


def check_sizes(least: int, most: int, n_labels: int) -> None:
    """Raise a ValueError unless some set has ``least`` to ``most`` labels.

    Parameters
    ----------
    least, most : int
    n_labels : int

    Examples
    --------
    >>> check_sizes(2, 3, n_labels=5)
    >>> check_sizes(3, 2, n_labels=5)
    Traceback (most recent call last):
    ValueError: a set of 3 to 2 labels was requested; expected 0 <= least <= most <= 5 labels
    """
    if not 0 <= least <= most <= n_labels:
        raise ValueError(
            f"a set of {least} to {most} labels was requested; expected 0 <= least <= most <= {n_labels} labels"
        )


def check_rows(rows: npt.ArrayLike | slice, n_rows: int) -> npt.NDArray[np.intp]:
    """Convert indices, a slice or a mask of rows to indices."""
    chosen = rows if isinstance(rows, slice) else np.atleast_1d(rows)
    if isinstance(chosen, np.ndarray) and chosen.size == 0:
        chosen = np.empty(0, dtype=np.intp)
    return np.arange(n_rows)[chosen]


def check_search(k: int, n_labels: int, min_labels: int = 0) -> None:
    """Raise a ValueError for a search of less than one set, or of sets larger than the number of labels.

    Parameters
    ----------
    k : int
        Number of sets.
    n_labels : int
    min_labels : int

    Examples
    --------
    >>> check_search(0, n_labels=5)
    Traceback (most recent call last):
    ValueError: k is 0; expected at least 1 set
    """
    if k < 1:
        raise ValueError(f"k is {k}; expected at least 1 set")
    if not 0 <= min_labels <= n_labels:
        raise ValueError(f"min_labels is {min_labels}; expected 0 to {n_labels}, the number of labels")


def check_possible(log_prob: Floats) -> None:
    """Raise :class:`ImpossibleEvidence` if the evidence of some row has probability zero.

    Parameters
    ----------
    log_prob : array of shape (n,)

    Examples
    --------
    >>> check_possible(np.array([0.0, -np.inf]))
    Traceback (most recent call last):
    setwise.contract.errors.ImpossibleEvidence: the evidence has probability zero in 1 of 2 rows, the first: [1]
    """
    impossible = np.flatnonzero(log_prob == -np.inf)
    if impossible.size:
        raise ImpossibleEvidence(
            f"the evidence has probability zero in {impossible.size} of {len(log_prob)} rows, "
            f"the first: {impossible[:5].tolist()}"
        )
