"""Checks of what users pass: evidence, rows, sizes and names of labels."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from setwise.arrays import FREE, Array, Floats, Labels
from setwise.contract.errors import ImpossibleEvidence


def find_label(name: str | int, n_labels: int, names: Array | None) -> int:
    """The column of a label given by name or number, or a ValueError that lists what is there."""
    if isinstance(name, (int, np.integer)):
        if not 0 <= name < n_labels:
            raise ValueError(f"label {name} is not there; labels are numbered 0 to {n_labels - 1}")
        return int(name)
    known = [] if names is None else [str(one) for one in names]
    if name not in known:
        some = ", ".join(map(repr, known[:20])) + (", ..." if len(known) > 20 else "")
        raise ValueError(f"no label is named {name!r}; " + (f"there are {some}" if known else "use numbers"))
    return known.index(name)


def check_sizes(least: int, most: int, n_labels: int) -> None:
    """A ValueError where no set has ``least`` to ``most`` labels."""
    if not 0 <= least <= most <= n_labels:
        raise ValueError(
            f"sets of {least} to {most} labels are asked for; expected 0 <= least <= most <= {n_labels} labels"
        )


def check_rows(rows: npt.ArrayLike | slice, n_rows: int) -> npt.NDArray[np.intp]:
    """Indices, a slice or a mask of rows, as indices."""
    chosen = rows if isinstance(rows, slice) else np.atleast_1d(rows)
    if isinstance(chosen, np.ndarray) and chosen.size == 0:
        chosen = np.empty(0, dtype=np.intp)
    return np.arange(n_rows)[chosen]


def check_search(k: int, min_labels: int, n_labels: int) -> None:
    """A ValueError where a search is asked for no set, or for sets larger than there are labels."""
    if k < 1:
        raise ValueError(f"k is {k}; at least one set must be asked for")
    if not 0 <= min_labels <= n_labels:
        raise ValueError(f"min_labels is {min_labels}; expected 0 to {n_labels}, the number of labels")


def check_evidence(Y: npt.ArrayLike, n_rows: int, n_labels: int) -> Labels:
    """Evidence as a C-ordered int8 array, NaN as FREE, or a ValueError that names the first bad cell."""
    Y = np.asarray(Y)
    if Y.dtype.kind == "f":
        Y = np.where(np.isnan(Y), FREE, Y)
    if Y.shape != (n_rows, n_labels):
        raise ValueError(
            f"evidence has shape {Y.shape}; expected one row of {n_labels} labels for each of "
            f"the {n_rows} rows, i.e. ({n_rows}, {n_labels})"
        )
    bad = ~np.isin(Y, (0, 1, FREE))
    if bad.any():
        row, label = np.argwhere(bad)[0]
        raise ValueError(
            f"evidence[{row}, {label}] is {Y[row, label]!r}; a label is 0, 1 or {FREE} (not observed)"
        )
    return np.ascontiguousarray(Y, dtype=np.int8)


def check_possible(log_prob: Floats) -> None:
    """An :class:`ImpossibleEvidence` that names the rows whose evidence has the log-probability -inf."""
    impossible = np.flatnonzero(log_prob == -np.inf)
    if impossible.size:
        raise ImpossibleEvidence(
            f"the evidence has probability zero in {impossible.size} of {len(log_prob)} rows, "
            f"the first of them {impossible[:5].tolist()}"
        )
