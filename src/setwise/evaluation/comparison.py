"""The table of a run: methods by data sets, with means, standard errors and what failed."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from setwise.datasets import Dataset, load
from setwise.evaluation.journal import Record
from setwise.evaluation.methods import method
from setwise.evaluation.protocol import LOSSES, Estimate, Protocol, summarise
from setwise.evaluation.runner import Cell, Watcher, run_cells
from setwise.views import Answer, Sheet, Table
from setwise.views.text import count

Loader = Callable[[], Dataset]
NOTHING = "-"
"""Content of a cell without a measurement."""


MEASURES = {
    "exact_match": "exact match",
    "hamming_score": "Hamming",
    "micro_f1": "micro F1",
    "macro_f1": "macro F1",
    "joint_log_loss": "log-loss",
    "cll_loss": "CLL-loss",
}
"""Measures that tables show, with their titles."""


class Comparison(Answer):
    """Scores of methods on data sets.

    Prints a table for each data set; :meth:`to_frame` has every measure.

    Parameters
    ----------
    records : iterable of dict
        Result of :func:`~setwise.evaluation.run_cells`: a record for each repetition of a method on a data set.

    Attributes
    ----------
    data, methods : list of str
        In the order of the records.
    estimates : dict of (data, method) to dict of measure to Estimate
        Of the repetitions that succeeded.
    failures : list of dict
        Records of the repetitions that failed.

    Examples
    --------
    >>> scores = {"exact_match": 0.5, "micro_f1": 0.75}
    >>> result = Comparison([{"data": "toy", "method": "BR", "repeat": 0, "scores": scores}])
    >>> result
    toy: scores
    method  exact match  micro F1
    ------  -----------  --------
    BR           0.500*    0.750*
    * an asterisk marks the best of a column
    >>> result.to_frame()[["method", "measure", "mean"]]
      method      measure  mean
    0     BR  exact_match  0.50
    1     BR     micro_f1  0.75
    """

    def __init__(self, records: Iterable[Record]) -> None:
        self.records = list(records)
        self.data = list(dict.fromkeys(record["data"] for record in self.records))
        self.methods = list(dict.fromkeys(record["method"] for record in self.records))
        self.failures = [record for record in self.records if "error" in record]
        runs = defaultdict(list)
        for record in self.records:
            if "scores" in record:
                runs[record["data"], record["method"]].append(_all_measures(record))
        self.runs = dict(runs)
        self.estimates = {cell: summarise(scores) for cell, scores in runs.items()}

    def estimate(self, data: str, method: str, measure: str) -> Estimate | None:
        """Look up the mean of a measure and its standard error.

        Parameters
        ----------
        data, method, measure : str
            Names of the data set, the method and the measure.

        Returns
        -------
        Estimate or None
            None if nothing was measured.

        Examples
        --------
        >>> records = [{"data": "toy", "method": "BR", "scores": {"exact_match": x}} for x in (0.5, 0.7)]
        >>> print(Comparison(records).estimate("toy", "BR", "exact_match"))
        0.600 ± 0.100
        """
        return self.estimates.get((data, method), {}).get(measure)

    def values(self, data: str, method: str, measure: str) -> list[float]:
        """List a measure in every repetition that succeeded, as input for the tests of ``statistics``.

        Parameters
        ----------
        data, method, measure : str
            Names of the data set, the method and the measure.

        Returns
        -------
        list of float

        Examples
        --------
        >>> records = [{"data": "toy", "method": "BR", "scores": {"exact_match": x}} for x in (0.5, 0.7)]
        >>> Comparison(records).values("toy", "BR", "exact_match")
        [0.5, 0.7]
        """
        return [scores[measure] for scores in self.runs.get((data, method), []) if measure in scores]

    def best(self, data: str, measure: str) -> str | None:
        """Name the method with the best mean on a data set.

        Parameters
        ----------
        data, measure : str
            Names of the data set and the measure.

        Returns
        -------
        str or None
            The first one of a tie; None if no mean is finite.

        Examples
        --------
        >>> records = [{"data": "toy", "method": m, "scores": {"exact_match": x}} for m, x in [("A", 0.5), ("B", 0.7)]]
        >>> Comparison(records).best("toy", "exact_match")
        'B'
        """
        sign = -1.0 if measure in LOSSES else 1.0
        means = {m: sign * e.mean for m in self.methods if (e := self.estimate(data, m, measure)) is not None}
        return max(means, key=lambda m: means[m]) if means and max(means.values()) > -np.inf else None

    def table(self, data: str) -> Table:
        """Put the scores on one data set in a table, methods in rows and measures in columns.

        Parameters
        ----------
        data : str
            Name of the data set.

        Returns
        -------
        Table

        Examples
        --------
        >>> records = [{"data": "toy", "method": "BR", "scores": {"exact_match": 0.5}}]
        >>> Comparison(records).table("toy").rows
        [['BR', '0.500*']]
        """
        shown = {"method": self.methods}
        for measure, title in MEASURES.items():
            shown[title] = self._cells(data, measure)
        shown["fit s"] = [self._seconds(data, method) for method in self.methods]
        shown["peak MB"] = [self._peak(data, method) for method in self.methods]
        shown = {title: cells for title, cells in shown.items() if any(cell != NOTHING for cell in cells)}
        rows = [list(row) for row in zip(*shown.values())]
        failures = [record for record in self.failures if record["data"] == data]
        failed = [f"{r['method']}, repetition {r['repeat']} failed: {r['error']}" for r in failures]
        return Table(
            f"{data}: scores", list(shown), rows, ["an asterisk marks the best of a column", *failed]
        )

    def _cells(self, data: str, measure: str) -> list[str]:
        best = self.estimate(data, self.best(data, measure) or "", measure)
        found = [self.estimate(data, method, measure) for method in self.methods]
        marks = ["*" if e is not None and best is not None and e.mean == best.mean else "" for e in found]
        return [NOTHING if e is None else f"{e}{mark}" for e, mark in zip(found, marks)]

    def _seconds(self, data: str, method: str) -> str:
        seconds = self.estimate(data, method, "fit_seconds")
        return f"{seconds.mean:.2f}" if seconds else NOTHING

    def _peak(self, data: str, method: str) -> str:
        peak = max(self.values(data, method, "peak_megabytes"), default=None)
        return f"{peak:.0f}" if peak else NOTHING

    def _tables(self) -> list[Table]:
        return [self.table(data) for data in self.data] or [Table(self._title(), ["method"], [])]

    def _title(self) -> str:
        return f"{count(len(self.methods), 'method')} on {count(len(self.data), 'data set')}"

    def _n_rows(self) -> int:
        return sum(map(len, self.estimates.values()))

    def _sheet(self, n_rows: int | None) -> Sheet:
        lines = [
            (data, method, measure, *estimate)
            for (data, method), measures in self.estimates.items()
            for measure, estimate in measures.items()
        ]
        names = ("data", "method", "measure", *Estimate._fields)
        columns = zip(*lines[:n_rows]) if lines else [()] * len(names)
        return Sheet(dict(zip(names, map(list, columns))))


def _all_measures(record: Record) -> dict[str, float]:
    peak = record.get("peak_megabytes")
    return record["scores"] | ({} if peak is None else {"peak_megabytes": peak})


def compare(
    methods: Mapping[str, Any] | Sequence[str],
    data: Mapping[str, Dataset | Loader] | Sequence[str],
    protocol: Protocol | None = None,
    *,
    journal: str | os.PathLike[str] | None = None,
    n_jobs: int | None = None,
    watch: Watcher | None = None,
    client: Any = None,
) -> Comparison:
    """Evaluate methods on data sets under one protocol.

    Parameters
    ----------
    methods : names of ``setwise.evaluation.METHODS``, or mapping of name to estimator
    data : names of data sets, or mapping of name to Dataset (or to a function that loads one)
    protocol : Protocol, optional
        Ten stratified folds by default.
    journal : path, optional
        A file that keeps results; a stopped run continues from it.
    n_jobs : int, optional
        Processes at a time, one per core by default.
    watch : callable, optional
        Called after each repetition; see :func:`~setwise.evaluation.run_cells`.
    client : distributed.Client, optional
        Repetitions then run on the workers of its cluster.

    Returns
    -------
    Comparison

    Examples
    --------
    >>> import numpy as np
    >>> X = np.linspace(-1, 1, 40)[:, None]
    >>> toy = Dataset(X, np.hstack([X > 0, X < 0.5]), name="toy")
    >>> result = compare(["BinaryRelevance"], {"toy": toy}, Protocol("folds", 2), n_jobs=1)
    >>> result.estimate("toy", "BinaryRelevance", "exact_match").repeats
    2
    """
    if not isinstance(methods, Mapping):
        methods = {name: method(name).build() for name in methods}
    if not isinstance(data, Mapping):
        data = {name: Named(name) for name in data}
    cells = [
        Cell(name, label, source, estimator, protocol or Protocol())
        for name, source in data.items()
        for label, estimator in methods.items()
    ]
    return Comparison(run_cells(cells, journal=journal, n_jobs=n_jobs, watch=watch, client=client))


class Named:
    """Loads a data set by name, in the worker that needs it."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __call__(self) -> Dataset:
        """The data set."""
        return load(self.name)
