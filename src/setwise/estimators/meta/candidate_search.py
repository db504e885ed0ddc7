"""The search of the automatic choice: which candidate to fit next, to how many rows, within a time budget."""

from __future__ import annotations

import math
import time
import warnings
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from sklearn.base import clone

from setwise.contract import Array, Floats, Labels, Matrix, NotTractable
from setwise.estimators.meta.leaderboard import Leaderboard
from setwise.learning.by_content.keys import example_keys, shuffle_by_key
from setwise.learning.progress.monitor import current_monitor

FIRST_ROWS = 250
"""Rows of the first fit of a candidate, which shows how long fits to more rows will take."""
STEP = 4
"""Factor between the numbers of rows of successive fits."""
SHARE = 0.125
"""Share of the remaining time that a first trial on a few rows may take, and that each further fit of the first
candidate may take. Otherwise the budget could end with models of a few rows only."""
NEARLY_ALL = 0.9
"""A fit to this share of the rows is as good as one to all: no time is reserved for a final fit."""

FAILURES = (ValueError, TypeError, ArithmeticError, MemoryError, NotTractable, np.linalg.LinAlgError)
"""Errors of a candidate that do not end the search; its status shows the error."""
LEFT_OUT = "left out"


@dataclass
class Entry:
    """A candidate and the results of its fits.

    ``cost`` is the expected time of a fit in units of that of the first candidate. After a fit to ``rows`` rows,
    ``losses`` (v,) are those of the held-out rows; ``curve`` has their mean by number of rows. The time of fits grows
    with the power ``growth`` of the number of rows.
    """

    name: str
    template: Any
    cost: float = 1.0
    status: str = "not tried: the time was up"
    rows: int = 0
    seconds: float = 0.0
    growth: float = 1.0
    losses: Floats | None = None
    curve: dict[int, float] = field(default_factory=dict)
    model: Any = field(default=None, repr=False)

    @property
    def is_able(self) -> bool:
        """Whether the candidate can be fitted to these rows and scored."""
        return not self.status.startswith(LEFT_OUT)

    def loss(self, weights: Floats) -> float:
        """Weighted mean loss of the held-out rows; infinite before a fit."""
        return math.inf if self.losses is None else float(np.average(self.losses, weights=weights))

    def timed(self, rows: int, seconds: float) -> None:
        """Update the expected time of further fits from one that took ``seconds``."""
        if self.rows and self.seconds > 0 and seconds > 0:
            self.growth = float(
                np.clip(math.log(seconds / self.seconds) / math.log(rows / self.rows), 0.5, 1.3)
            )
        self.rows, self.seconds = rows, seconds

    def row(self, weights: Floats) -> dict[str, Any]:
        """The candidate's row of the leaderboard."""
        error = None
        if self.losses is not None and np.isfinite(self.losses).all():
            error = float(self.losses.std() / np.sqrt(len(self.losses)))
        return {
            "name": self.name,
            "log_loss": None if self.losses is None else self.loss(weights),
            "standard_error": error,
            "rows": self.rows,
            "seconds": round(self.seconds, 3),
            "status": self.status,
        }


class CandidateSearch:
    """Held-out rows, a clock, and the candidates with what is known about them.

    ``filled`` are the rows with missing features filled, for candidates that do not take them.
    """

    def __init__(
        self,
        X: Matrix,
        Y: Labels,
        weights: Floats | None,
        fold: Array,
        budget: float | None,
        filled: Matrix | None = None,
    ) -> None:
        self.X, self.Y, self.weights = X, Y, weights
        self.filled = X if filled is None else filled
        self.train, self.held_out = np.flatnonzero(fold != 0), np.flatnonzero(fold == 0)
        self.sequence = self.train[shuffle_by_key(example_keys(X[self.train], Y[self.train]), 0)]
        self.judging = np.ones(len(self.held_out)) if weights is None else weights[self.held_out]
        self.budget = math.inf if budget is None else float(budget)
        self.start = time.perf_counter()
        self.entries: list[Entry] = []
        self.seconds_per_row = 0.0

    def left(self) -> float:
        """Seconds of the budget that are left."""
        return self.budget - (time.perf_counter() - self.start)

    def steps(self) -> list[int]:
        """Numbers of rows of the successive fits of a candidate; without a budget, one fit to all."""
        if math.isinf(self.budget):
            return [len(self.train)]
        sizes, n = [], FIRST_ROWS
        while 2 * n <= len(self.train):
            sizes.append(n)
            n *= STEP
        return [*sizes, len(self.train)]

    def run(self, entries: list[Entry]) -> None:
        """Fit every candidate to a few rows, then the best ones to more and more rows, while there is time.

        The first candidate proceeds to more rows at once if that is quick.
        """
        self.entries = entries
        able = [entry for entry in entries if entry.is_able]
        for entry in able:
            self._advance(entry)
            while entry is able[0] and self._is_quick(entry) and self._advance(entry):
                pass
        while able := [e for e in able if e.losses is not None and e.rows < len(self.train)]:
            best = min(able, key=self._loss)
            if not self._advance(best):
                able.remove(best)

    def _is_quick(self, entry: Entry) -> bool:
        """Whether a candidate can be fitted to more rows in a small part of the time."""
        if not 0 < entry.rows < len(self.train):
            return False
        return self._expected(entry, self._next_size(entry)) < SHARE * self.left()

    def _next_size(self, entry: Entry) -> int:
        return next(size for size in self.steps() if size > entry.rows)

    def _advance(self, entry: Entry) -> bool:
        """Fit a candidate to the next number of rows, unless that would take too long."""
        n_rows = self._next_size(entry)
        expected = self._expected(entry, n_rows)
        first = not any(other.rows for other in self.entries)
        trial = entry.rows == 0 and n_rows < len(self.train)
        needed = expected / SHARE if trial else expected + self._reserve(entry, expected, n_rows)
        if not first and needed >= self.left():
            if self.left() > 0:
                begun = "stopped" if entry.rows else "not begun"
                entry.status = f"{begun}: {n_rows} rows would take about {expected:.1f} s, too long"
            return False
        return self._fit(entry, n_rows)

    def _expected(self, entry: Entry, n_rows: int) -> float:
        """Expected seconds of a fit to ``n_rows`` rows: from the last fit, or from the cost of the method."""
        if entry.rows:
            return float(entry.seconds * (n_rows / entry.rows) ** entry.growth)
        return entry.cost * self.seconds_per_row * n_rows

    def _reserve(self, entry: Entry, expected: float, n_rows: int) -> float:
        """Seconds to reserve for the final fit of the best candidate to all rows.

        Nothing is reserved if there is not enough time for that fit anyway, if it hardly uses more rows, or for the fit
        of a candidate that was better on the same number of rows. If there is time for only one of them, the final fit
        of the best candidate has priority over its next step.
        """
        n = self.X.shape[0]
        judged = [other for other in self.entries if other.losses is not None]
        if not judged or len(self.train) >= NEARLY_ALL * n:
            return 0.0
        best = min(judged, key=self._loss)
        final = self._expected(best, n)
        promises = best is not entry and entry.curve.get(entry.rows, math.inf) < best.curve.get(
            entry.rows, -math.inf
        )
        if promises or final >= self.left():
            return 0.0
        if best is not entry:
            return final
        return max(final, expected * n / n_rows if n_rows == len(self.train) else 0.0)

    def _fit(self, entry: Entry, n_rows: int) -> bool:
        rows = self._first(n_rows)
        clock = time.perf_counter()
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # of a candidate that may not be chosen
                entry.model = self._fitted(entry, rows)
                losses = -entry.model.log_prob(self._rows(entry, self.held_out), self.Y[self.held_out])
            if np.isnan(losses).any():
                raise ValueError("the log-probability of a held-out row is NaN")
        except FAILURES as error:
            entry.status = f"failed: {error}"
            entry.losses = None
            return False
        entry.timed(n_rows, time.perf_counter() - clock)
        entry.losses, entry.status = losses, "tried"
        entry.curve[n_rows] = self._loss(entry)
        self.seconds_per_row = self.seconds_per_row or entry.seconds / n_rows
        return True

    def _fitted(self, entry: Entry, rows: Array) -> Any:
        """Fit a candidate to some rows. Weights are passed only if there are any, as not every learner takes them."""
        monitor = current_monitor()
        monitor.task(f"{entry.name} on {len(rows)} rows")
        monitor.report(0, 1)
        weights = None if self.weights is None else self.weights[rows]
        model = clone(entry.template).fit(self._rows(entry, rows), self.Y[rows], sample_weight=weights)
        monitor.report(1, 1)
        return model

    def _rows(self, entry: Entry, rows: Array) -> Matrix:
        return (self.X if entry.template._takes_nan() else self.filled)[rows]

    def best(self) -> Entry:
        """The candidate with the smallest loss. All were judged on the same rows."""
        judged = [entry for entry in self.entries if entry.losses is not None]
        if not judged:
            reasons = "; ".join(f"{entry.name}: {entry.status}" for entry in self.entries)
            raise ValueError(f"no candidate could be fitted. {reasons}")
        chosen = min(judged, key=self._loss)
        chosen.status = "chosen"
        return chosen

    def _loss(self, entry: Entry) -> float:
        return entry.loss(self.judging)

    def refit(self, best: Entry) -> int:
        """Fit the chosen candidate to all rows, or to as many as there is time for. Return their number."""
        n = self.X.shape[0]
        for size in (n, *reversed(self.steps())):
            if size > best.rows and self._expected(best, size) <= self.left():
                rows = np.arange(n) if size == n else self._first(size)
                best.model = self._fitted(best, rows)
                return size
        return best.rows

    def _first(self, n_rows: int) -> Array:
        """Select the first training rows, in an order that depends on their content."""
        return np.sort(self.sequence[:n_rows])

    def ranked(self) -> list[Entry]:
        """The chosen candidate, then the others by loss."""
        return sorted(self.entries, key=lambda entry: (entry.status != "chosen", self._loss(entry)))

    def table(self) -> Leaderboard:
        """The candidates as a leaderboard."""
        return Leaderboard([entry.row(self.judging) for entry in self.ranked()])

    def reason(self) -> str:
        """Explain why the first candidate of the leaderboard is better than the second."""
        best, *others = self.ranked()
        rivals = [entry for entry in others if entry.losses is not None]
        start = f"{best.name} has the smallest joint log-loss, {self._loss(best):.3f} nats per held-out row"
        if not rivals:
            return f"{start}; no other candidate was fitted"
        assert best.losses is not None
        assert rivals[0].losses is not None
        with np.errstate(invalid="ignore"):
            difference = rivals[0].losses - best.losses
        if not np.isfinite(difference).all():
            return f"{start}; the next, {rivals[0].name}, gives some of the held-out sets probability zero"
        error = float(difference.std() / np.sqrt(len(difference)))
        rows = (
            "" if rivals[0].rows == best.rows else f" fitted to {rivals[0].rows} rows instead of {best.rows}"
        )
        return f"{start}; the next, {rivals[0].name}{rows}, has {difference.mean():.3f} ± {error:.3f} more"
