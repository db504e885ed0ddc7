"""The table of a run: methods by data sets, with means, standard errors and what failed."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from setwise.datasets import Dataset, load
from setwise.evaluation.journal import Record
from setwise.evaluation.methods import method
from setwise.evaluation.protocol import Estimate, Protocol, summarise
from setwise.evaluation.runner import Cell, Watcher, run_cells

Loader = Callable[[], Dataset]


class Comparison:
    """Records of a run, by data set and method.

    Attributes
    ----------
    data, methods : list of str
        In the order of the records.
    estimates : dict of (data, method) to dict of measure to Estimate
        Of the repetitions that succeeded.
    failures : list of records
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
        """One cell, or None where nothing was measured."""
        return self.estimates.get((data, method), {}).get(measure)

    def values(self, data: str, method: str, measure: str) -> list[float]:
        """A measure in every repetition that succeeded, to be passed to the tests of ``statistics``."""
        return [scores[measure] for scores in self.runs.get((data, method), []) if measure in scores]


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
) -> Comparison:
    """Judge methods on data sets under one protocol.

    Parameters
    ----------
    methods : names of ``setwise.evaluation.METHODS``, or mapping of name to estimator
    data : names of data sets, or mapping of name to Dataset (or to a function that loads one)
    protocol : Protocol, optional
        Ten stratified folds by default.
    journal, n_jobs, watch
        See :func:`~setwise.evaluation.run_cells`.

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
    return Comparison(run_cells(cells, journal=journal, n_jobs=n_jobs, watch=watch))


class Named:
    """Loads a data set by name, in the worker that needs it."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __call__(self) -> Dataset:
        """The data set."""
        return load(self.name)
