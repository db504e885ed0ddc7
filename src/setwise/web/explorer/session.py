"""What is being explored: one or two models, the rows, and what held-out models say of them."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from setwise.contract import Array, Labels
from setwise.distributions import LabelDistribution
from setwise.errors import InputError
from setwise.nesting import distribution_of
from setwise.web.explorer.held_out import HeldOut, Judgement, Progress, folds_of
from setwise.web.explorer.jobs import Job, Jobs
from setwise.web.explorer.rows import ExploredRows

CACHED = 64
"""Distributions of single rows that are kept."""


def itself(estimator: Any) -> Any:
    """The estimator as it is."""
    return estimator


@dataclass(frozen=True)
class ExploredModel:
    """A fitted model, a name for it, and the file that it came from.

    ``whole`` makes what a file holds of an estimator that was fitted again: it adds the steps before it.
    """

    name: str
    estimator: Any
    path: str = ""
    whole: Callable[[Any], Any] = itself


@dataclass(frozen=True)
class ExploredData:
    """Rows with their given labels, if they have some.

    Attributes
    ----------
    name : str
    rows : ExploredRows
    label_names : list of str
        In the order of the model.
    given : array of shape (n, L), or None
    path : Path or None
        The file of the rows.
    copy : callable, optional
        Makes the text of a corrected copy of the file.
    tags : str
        The column of the file that lists the labels, if one does.
    """

    name: str
    rows: ExploredRows
    label_names: list[str]
    given: Labels | None = None
    path: Path | None = None
    copy: Callable[[Labels, Labels], str] | None = None
    tags: str = ""


@dataclass
class Judged:
    """Held-out models and their judgement of all rows."""

    models: HeldOut
    judgement: Judgement


@dataclass
class Session:
    """One explorer: its data, its models, and the work in progress.

    Parameters
    ----------
    data : ExploredData
    models : list of ExploredModel
        One or two.
    n_folds : int
        Models that judge the rows, each fitted without those that it judges; 0: the model itself judges all rows.
    """

    data: ExploredData
    models: list[ExploredModel]
    n_folds: int = 5
    jobs: Jobs = field(default_factory=Jobs)
    _lock: threading.RLock = field(default_factory=threading.RLock)
    _known: dict[str, Any] = field(default_factory=dict)
    _cache: OrderedDict[tuple[Any, ...], LabelDistribution] = field(default_factory=OrderedDict)

    def start_judging(self) -> None:
        """Judge all rows by every model, in the background."""
        if self.data.given is not None:
            for number in range(len(self.models)):
                self.jobs.start(f"judge {number}", partial(self._judge, number))

    def judged(self, number: int = 0) -> Judged:
        """The judgement of a model; an InputError says that it is not ready."""
        if self.data.given is None:
            raise InputError("the rows have no labels, so nothing can be measured on them")
        job = self.jobs.get(f"judge {number}")
        if job is None or job.result is None:
            raise NotReady(job)
        result: Judged = job.result
        return result

    def joint(
        self, row: int, number: int = 0, *, changes: Mapping[str, Any] | None = None, held_out: bool = False
    ) -> LabelDistribution:
        """P(y | x) of a row, perhaps with other entries, by a model or by one that has not seen the row."""
        self.check_row(row)
        changes = dict(changes or {})
        key = (row, number, held_out, tuple(sorted(changes.items())))
        if key not in self._cache:
            model = self.judged(number).models.of(row) if held_out else self.model(number).estimator
            rows = self.data.rows
            one = rows.changed(row, changes) if changes else rows.features(np.array([row]))
            self._cache[key] = distribution_of(model, one)
            while len(self._cache) > CACHED:
                self._cache.popitem(last=False)
        return self._cache[key]

    def model(self, number: int) -> ExploredModel:
        """A model by number."""
        if not 0 <= number < len(self.models):
            raise InputError(f"there is no model {number}; this explorer has {len(self.models)}")
        return self.models[number]

    def once(self, key: str, compute: Callable[[], Any]) -> Any:
        """A value that stays the same as long as the session lives, computed when it is first asked for."""
        with self._lock:
            if key not in self._known:
                self._known[key] = compute()
            return self._known[key]

    def check_row(self, row: int) -> None:
        """Refuse a row that is not there."""
        if not 0 <= row < self.data.rows.n_rows:
            raise InputError(f"there is no row {row}; the data have {self.data.rows.n_rows} rows")

    def label(self, name: str) -> int:
        """The number of a label."""
        try:
            return self.data.label_names.index(name)
        except ValueError:
            raise InputError(f"there is no label {name[:60]!r}") from None

    def given_set(self, row: int) -> Array | None:
        """The given labels of a row."""
        return None if self.data.given is None else self.data.given[row]

    def hold_out(self, given: Labels, number: int, progress: Progress) -> HeldOut:
        """The held-out models of a model, fitted to these labels."""
        model, rows = self.model(number).estimator, self.data.rows
        if not self.n_folds:
            return HeldOut.itself(model, rows)
        assert self.data.given is not None
        folds = folds_of(rows, self.data.given, self.n_folds)
        return HeldOut.fit(model, rows, given, self.data.label_names, folds, progress)

    def _judge(self, number: int, job: Job) -> Judged:
        assert self.data.given is not None
        models = self.hold_out(self.data.given, number, lambda share: job.progress(0.8 * share))
        judgement = models.judge(self.data.given, lambda share: job.progress(0.8 + 0.2 * share))
        return Judged(models, judgement)


class NotReady(InputError):
    """Raised for a question that waits for a judgement."""

    def __init__(self, job: Job | None) -> None:
        share = 0.0 if job is None else job.share
        failed = f"; it failed: {job.error}" if job is not None and job.state == "failed" else ""
        super().__init__(f"held-out models are being fitted, {share:.0%} done{failed}")
