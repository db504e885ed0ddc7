"""What is explained: that some labels have given values, perhaps given the values of others."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from setwise.contract import FREE, Array, Labels
from setwise.contract.evidence import read_evidence
from setwise.contract.names import by_label, find_label, listed
from setwise.views.text import set_text


@dataclass(frozen=True)
class Event:
    """The event of each of m entries: labels ``wanted`` (m, L), given the labels ``given`` (m, L); others are FREE."""

    wanted: Labels
    given: Labels

    def __len__(self) -> int:
        return len(self.wanted)

    def take(self, entries: Any) -> Event:
        """Select entries."""
        return Event(self.wanted[entries], self.given[entries])

    def sizes(self) -> Array:
        """Number of labels (m,) that are wanted."""
        return np.asarray((self.wanted != FREE).sum(axis=1))

    def and_given(self) -> Labels:
        """The event and what is given, as one evidence (m, L)."""
        return np.where(self.wanted == FREE, self.given, self.wanted)

    def against(self) -> Iterator[Labels]:
        """Evidence (m, L) that together makes up the opposite of the event, without overlap.

        The first wanted label has the other value; or it has the wanted one and the second has the other; and so on.
        All entries want the same number of labels.
        """
        entries = np.arange(len(self))
        order = np.argsort(self.wanted == FREE, axis=1, kind="stable")
        evidence = self.given.copy()
        for label in order[:, : int(self.sizes().max(initial=0))].T:
            flipped = evidence.copy()
            flipped[entries, label] = 1 - self.wanted[entries, label]
            yield flipped
            evidence[entries, label] = self.wanted[entries, label]

    def texts(self, names: Array) -> list[str]:
        """Name the event of each entry: ``sea``, ``not sea``, ``sea + sand``, ``{sea, sand}``, ``sea | sand``."""
        return [_text(wanted, given, names) for wanted, given in zip(self.wanted, self.given)]


def _text(wanted: Labels, given: Labels, names: Array) -> str:
    whole = len(wanted) > 2 and bool((wanted != FREE).all())
    text = "{" + set_text(wanted, list(map(str, names))) + "}" if whole else _values(wanted, names)
    return f"{text} | {_values(given, names)}" if (given != FREE).any() else text


def _values(labels: Labels, names: Array) -> str:
    known = np.flatnonzero(labels != FREE)
    return " + ".join(str(names[j]) if labels[j] == 1 else f"not {names[j]}" for j in known)


def read_target(target: Any, n_rows: int, names: Array) -> Labels:
    """Read what to explain in each row, as labels (n, L) of 0, 1 and FREE.

    Parameters
    ----------
    target : label, tuple of labels, mapping, set of labels, or array of shape (n, L)
        A label is on; all labels of a tuple are on; a mapping gives labels their values; a Python set is the whole set
        of labels that are on, all others being off; an array or DataFrame has a set for each row, with -1 for labels
        that do not matter.
    n_rows : int
    names : array of shape (L,)

    Returns
    -------
    int8 array of shape (n, L)

    Examples
    --------
    >>> names = np.array(["sea", "sand", "city"])
    >>> read_target(("sea", "sand"), 1, names), read_target({"sea"}, 1, names)
    (array([[ 1,  1, -1]], dtype=int8), array([[1, 0, 0]], dtype=int8))
    """
    if isinstance(target, (set, frozenset)):
        on = [find_label(name, len(names), names) for name in target]
        return np.tile(np.isin(np.arange(len(names)), on).astype(np.int8), (n_rows, 1))
    if isinstance(target, (str, int, np.integer)):
        target = (target,)
    if isinstance(target, tuple):
        target = dict.fromkeys(target, 1)
    wanted = read_evidence(target, n_rows, len(names), names, "target")
    if not (wanted != FREE).any(axis=1).all():
        row = int(np.flatnonzero(~(wanted != FREE).any(axis=1))[0])
        raise ValueError(f"target names no label in row {row}; the labels are {listed(names)}")
    return wanted


def read_given(given: Any, wanted: Labels, names: Array) -> Labels:
    """Read the labels that are known, which the target may not name.

    Examples
    --------
    >>> names = np.array(["sea", "sand", "city"])
    >>> read_given({"city": 0}, read_target("sea", 1, names), names)
    array([[-1, -1,  0]], dtype=int8)
    """
    if given is None:
        return np.full_like(wanted, FREE)
    if isinstance(given, str) or (by_label(given) is None and isinstance(given, tuple)):
        given = dict.fromkeys((given,) if isinstance(given, str) else given, 1)
    known = read_evidence(given, len(wanted), wanted.shape[1], names, "given")
    both = (known != FREE) & (wanted != FREE)
    if both.any():
        name = names[int(np.argwhere(both)[0][1])]
        raise ValueError(f"label {str(name)!r} is both in target and in given; it can be explained or known")
    return known
