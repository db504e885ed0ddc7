"""Evidence and label sets as JSON has them: labels by name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from setwise.arrays import FREE, Labels
from setwise.errors import InputError, quote_some

PlainEvidence = Mapping[str, Any] | Sequence[Mapping[str, Any] | None]
"""What is known about labels, ``{"sea": 1, "sand": 0}``: the same for all rows, or one mapping per row."""


def read_evidence(given: PlainEvidence | None, labels: Sequence[str], n_rows: int) -> Labels | None:
    """Evidence as an array (n, L) of 0, 1 and FREE; None if nothing is known.

    Examples
    --------
    >>> read_evidence([{"sea": 1}, None], ["sand", "sea"], 2)
    array([[-1,  1],
           [-1, -1]], dtype=int8)
    """
    if given is None or not len(given):
        return None
    place = {name: j for j, name in enumerate(labels)}
    if isinstance(given, Mapping):
        return np.tile(_known(given, place, None), (n_rows, 1))
    if len(given) != n_rows:
        message = f"evidence has {len(given)} entries for {n_rows} rows"
        raise InputError(message, parameter="evidence", hint="send one for all rows, or one for each")
    known = np.array([_known(some or {}, place, row) for row, some in enumerate(given)])
    return known if (known != FREE).any() else None


def _known(some: Mapping[str, Any], place: Mapping[str, int], row: int | None) -> Labels:
    where = "" if row is None else f" in row {row}"
    known = np.full(len(place), FREE, dtype=np.int8)
    for name, value in some.items():
        if value is None:
            continue
        if name not in place:
            raise _unknown(name, place, row)
        if value not in (0, 1):  # true and false count as 1 and 0
            message = f"the evidence for label {name!r}{where} is {str(value)[:40]!r}"
            raise InputError(message, label=name, row=row, hint="expected 1, 0 or null")
        known[place[name]] = int(value)
    return known


def read_sets(sets: Sequence[Sequence[str]], labels: Sequence[str], n_rows: int) -> Labels:
    """Lists of label names as an array (n, L) of 0 and 1.

    Examples
    --------
    >>> read_sets([["sea"], []], ["sand", "sea"], 2)
    array([[0, 1],
           [0, 0]], dtype=int8)
    """
    if len(sets) != n_rows:
        raise InputError(f"{len(sets)} sets of labels were sent for {n_rows} rows", parameter="labels")
    place = {name: j for j, name in enumerate(labels)}
    given = np.zeros((n_rows, len(labels)), dtype=np.int8)
    for row, names in enumerate(sets):
        for name in names:
            if name not in place:
                raise _unknown(name, place, row)
            given[row, place[name]] = 1
    return given


def check_labels(names: Sequence[str], labels: Sequence[str]) -> None:
    """Refuse names that are not labels of the model."""
    for name in names:
        if name not in labels:
            raise _unknown(name, labels, None)


def _unknown(name: str, labels: Any, row: int | None) -> InputError:
    where = "" if row is None else f", row {row}"
    message = f"the model has no label {str(name)[:60]!r}{where}; it has {quote_some(list(labels), 8)}"
    return InputError(message, label=str(name), row=row)
