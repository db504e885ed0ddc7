"""A paper: its printed tables, its protocol, and our counterpart of each of its methods."""

from __future__ import annotations

import csv
from collections.abc import Container, Mapping
from dataclasses import dataclass, field
from importlib import resources
from typing import NamedTuple

import numpy as np

from setwise.datasets import Dataset, load
from setwise.datasets.registry import KNOWN
from setwise.evaluation.methods import Recipe
from setwise.evaluation.protocol import Protocol
from setwise.papers.artificial import ARTIFICIAL, Artificial
from setwise.papers.growth import Generated

PRINTED = "printed_tables.csv"
PLAIN = ", as published"
"""What the names of published forms end with in journals."""


class Printed(NamedTuple):
    """One number of a printed table."""

    table: str
    data: str
    method: str
    measure: str
    value: float
    marker: str = ""
    """Whether the paper's method is significantly "better" or "worse" than this one, as printed."""


@dataclass(frozen=True)
class Paper:
    """The printed results of a paper, and how they were measured.

    ``columns`` maps the paper's methods to our estimators, ``special`` those that depend on the data set (by "data,
    method"). ``protocols`` has the data sets that were not measured by ``protocol``, ``runs`` the methods that were
    measured several times on one split. ``remarks`` are about a table, a method, a data set, a measure or "table,
    method". ``own`` is the paper's method, to which its markers compare the others, and ``published`` has the plain
    forms of the paper's own methods, beside the defaults in ``columns``. ``rivals`` are the methods whose best the
    paper's own one is subtracted from, if it has such a table.
    """

    key: str
    citation: str
    protocol: Protocol
    columns: Mapping[str, Recipe]
    special: Mapping[str, Recipe] = field(default_factory=dict)
    protocols: Mapping[str, Protocol] = field(default_factory=dict)
    runs: Mapping[str, int] = field(default_factory=dict)
    remarks: Mapping[str, str] = field(default_factory=dict)
    data_names: Mapping[str, str] = field(default_factory=dict)
    unprinted: tuple[str, ...] = ()
    own: str = ""
    published: Mapping[str, Recipe] = field(default_factory=dict)
    rivals: frozenset[str] = frozenset()

    def printed(self) -> list[Printed]:
        """The numbers of the paper's result tables."""
        text = resources.files(__package__).joinpath(PRINTED).read_text(encoding="utf-8")
        rows = [row for row in csv.DictReader(text.splitlines()) if row["paper"] == self.key]
        return [
            Printed(
                row["table"],
                row["dataset"],
                row["method"],
                self._measure(row["metric"]),
                _value(row["value"]),
                row["marker"],
            )
            for row in rows
        ]

    def _measure(self, printed: str) -> str:
        """Our name for a printed measure; the macro-F1 of MC and ML-ME is not the usual one."""
        return "macro_f1_of_means" if printed == "macro_f1" and self.key in ("mc", "mlme") else printed

    def data(self) -> list[str]:
        """Names of the paper's data sets, as printed."""
        return list(dict.fromkeys([row.data for row in self.printed()])) or list(self.unprinted)

    def recipe(self, data: str, method: str) -> Recipe:
        """Our counterpart of a method on a data set."""
        recipes = {**self.columns, **{f"{name}{PLAIN}": plain for name, plain in self.published.items()}}
        return self.special.get(f"{data}, {method}", recipes[method])

    def protocol_of(self, data: str, method: str) -> Protocol:
        """How the paper measured a method on a data set."""
        protocol = self.protocols.get(data, self.protocol)
        method = method.removesuffix(PLAIN)
        if method in self.runs and protocol.repeats == 1:
            return Protocol(protocol.kind, self.runs[method], protocol.seed, protocol.test_size)
        return protocol

    @property
    def own_methods(self) -> frozenset[str]:
        """The methods that the paper proposes."""
        return frozenset({self.own, *self.published} - {""})

    def source(self, data: str) -> Source | Artificial | Generated:
        """The source of the rows."""
        if data.startswith(ARTIFICIAL):
            return Artificial(data.removeprefix(ARTIFICIAL))
        if generated := Generated.named(data):
            return generated
        reduced = self.key in ("mc", "mlme") and data.startswith("rcv1")
        return Source(self.data_names.get(data, data.replace("_subset", "subset")), reduced)

    def remarks_on(self, row: Printed) -> list[str]:
        """The remarks about a number."""
        subjects = (row.table, row.method, row.data, f"{row.table}, {row.method}", row.measure)
        return [self.remarks[subject] for subject in subjects if subject in self.remarks]


def _value(text: str) -> float:
    """A printed number; times below a millisecond are printed as "<0.001"."""
    return float(text.lstrip("<"))


@dataclass(frozen=True)
class Source:
    """Loads a paper's data set by our name, optionally reduced as in MC and ML-ME."""

    name: str
    reduced: bool = False

    def is_here(self, here: Container[str]) -> bool:
        """Whether the data set is among those found on this machine."""
        return self.name in here

    def rows(self) -> int:
        """Number of rows that the registry knows."""
        return KNOWN[self.name].rows

    def __call__(self) -> Dataset:
        """The data set. Misplaced labels stay where they are: the printed numbers were most likely made with them."""
        data = load(self.name, repair=False)
        return most_common(data) if self.reduced else data


def most_common(data: Dataset, labels: int = 10, documents: int = 4) -> Dataset:
    """Select the most common labels, and the features that occur in enough rows.

    On rcv1 this leaves 8393 features (subset 1) and 8327 (subset 3); the papers print 8394 and 8328.

    Examples
    --------
    >>> data = Dataset([[1, 0], [2, 0], [0, 3]], [[1, 0], [1, 1], [1, 0]])
    >>> most_common(data, labels=1, documents=2)
    Dataset('', rows=3, features=1, labels=1)
    """
    counts = np.asarray((data.Y == 1).sum(axis=0)).ravel()
    kept = np.sort(np.argsort(-counts, kind="stable")[:labels])
    frequent = np.flatnonzero(np.asarray((data.X != 0).sum(axis=0)).ravel() >= documents)
    return Dataset(
        X=data.X[:, frequent],
        Y=data.Y[:, kept],
        feature_names=[data.feature_names[int(j)] for j in frequent],
        label_names=[data.label_names[int(j)] for j in kept],
        split=data.split,
        name=data.name,
    )
