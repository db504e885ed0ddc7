"""The model chosen for you: candidates from cheap to expensive, judged on held-out rows, within a time budget."""

from __future__ import annotations

import math
import time
import warnings
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
from sklearn.base import clone
from sklearn.utils import Tags, get_tags

from setwise.contract import FREE, Array, Floats, Labels, Matrix, NotTractable
from setwise.decisions import Decision
from setwise.estimators.base.set_classifier import SetClassifier
from setwise.estimators.base.validation import check_features
from setwise.estimators.base.wrapped import WrappedClassifier
from setwise.estimators.binary_relevance import BinaryRelevance
from setwise.estimators.classifier_chain import ClassifierChain
from setwise.estimators.conditional_bernoulli_mixture import ConditionalBernoulliMixture
from setwise.estimators.conditional_tree import ConditionalTree
from setwise.estimators.label_powerset import LabelPowerset
from setwise.estimators.meta.leaderboard import Leaderboard
from setwise.estimators.mixture_of_tree_experts import MixtureOfTreeExperts
from setwise.estimators.mixture_of_trees import MixtureOfTrees
from setwise.estimators.mlknn import MLkNN
from setwise.estimators.naibx import NaiBX
from setwise.kernels.matrices import stored_values
from setwise.learning.by_content.folds import row_folds
from setwise.learning.by_content.keys import example_keys, shuffled
from setwise.limits import CASCADE_LABELS

CANDIDATES: tuple[SetClassifier, ...] = (
    BinaryRelevance(),
    NaiBX(),
    NaiBX("bernoulli"),
    ConditionalTree(),
    MLkNN(),
    LabelPowerset(),
    ClassifierChain(),
    ConditionalBernoulliMixture(tuning=False),
    MixtureOfTrees(),
    MixtureOfTreeExperts(),
    ConditionalBernoulliMixture(),
    ConditionalBernoulliMixture(learner="boosting"),
)
"""From cheap to expensive; each chooses its own penalties, and the mixtures their components, inside ``fit``."""

COST = {
    "ConditionalTree()": 4,
    "LabelPowerset()": 3,
    "ClassifierChain()": 2,
    "ConditionalBernoulliMixture(tuning=False)": 10,
    "MixtureOfTrees()": 80,
    "MixtureOfTreeExperts()": 90,
    "ConditionalBernoulliMixture()": 140,
    "ConditionalBernoulliMixture(learner='boosting')": 270,
}
"""How many times longer than binary relevance, roughly (250 rows of emotions, scene and yeast): what is expected of
a candidate before its first fit, so that one fit does not use up a small budget many times over."""

FIRST_ROWS = 250
"""Rows of the first fit of a candidate, which tells how long more rows will take."""
STEP = 4
"""Each further fit has so many times the rows, until it has all."""
MAX_HELD_OUT = 2000
"""Rows held out at most: so many tell candidates apart, and more would only take time to judge them on."""
SHARE = 0.125
"""Of the time left, what a trial on a few rows may take, and each step of the first candidate to more rows: no budget
should end with nothing but models of a few."""
NEARLY_ALL = 0.9
"""A fit to this share of the rows is as good as one to all: no time is kept for that."""

FAILURES = (ValueError, TypeError, ArithmeticError, MemoryError, NotTractable, np.linalg.LinAlgError)
"""What a candidate may raise without ending the search: its status tells it."""

LEFT_OUT = {
    "ConditionalDependencyNetwork": "left out: it defines no joint probability, only each label given the others",
}


@dataclass
class _Entry:
    """A candidate and what is known of it: losses (v,) of held-out rows after a fit on ``rows`` rows.

    The time of its fits grows with the power ``growth`` of the rows; ``curve`` has its loss by number of rows.
    """

    name: str
    template: Any
    status: str = "not tried: the time was up"
    rows: int = 0
    seconds: float = 0.0
    growth: float = 1.0
    losses: Floats | None = None
    curve: dict[int, float] = field(default_factory=dict)
    model: Any = field(default=None, repr=False)

    def loss(self, weights: Floats) -> float:
        return math.inf if self.losses is None else float(np.average(self.losses, weights=weights))

    def timed(self, rows: int, seconds: float) -> None:
        """Learn from a fit to so many rows how long others take."""
        if self.rows and self.seconds > 0 and seconds > 0:
            self.growth = float(
                np.clip(math.log(seconds / self.seconds) / math.log(rows / self.rows), 0.5, 1.3)
            )
        self.rows, self.seconds = rows, seconds


class AutoSetClassifier(WrappedClassifier):
    """The estimator with the smallest held-out joint log-loss among candidates, within a time budget.

    A fifth of the rows is held out, at most 2000. The first candidate is fitted to as many of the others as is quick.
    The other candidates are fitted to a few rows first, from cheap to expensive, then the best of them to more: how
    long the last fits took says whether the next would end in time, and if not it is not begun. The choice is fitted
    again to all rows, or to as many as there is time for. The joint log-loss is the one measure that rewards a model
    for the whole distribution, whatever loss its answers are then chosen for.

    Parameters
    ----------
    candidates : "auto" or sequence of estimators
        Setwise estimators with a joint log-probability, the cheapest first. Those that cannot learn from the rows, as
        some features (NaN) or labels are missing, are left out.
    time_budget : float or None
        Seconds that ``fit`` aims to take. The first candidate is always fitted, to a few rows at least. None
        tries every candidate on all rows; only then does the choice not depend on the machine's speed.
    n_folds : int
        One fold in so many is held out.
    decision : {"subset", "hamming", "f1", "jaccard"}, rule or callable
        The loss that ``predict`` answers for, whatever the candidates' own.
    min_labels : "auto" or int
        The smallest set that ``predict`` answers; ``"auto"`` forbids the empty set unless it occurs in training.

    Attributes
    ----------
    estimator_ : SetClassifier
        The fitted choice.
    leaderboard_ : Leaderboard
        A dict per candidate, best first: ``name``, ``log_loss`` (nats a held-out row), ``standard_error``,
        ``rows`` it was fitted to, ``seconds``, and ``status``: chosen, tried, or why it was not. It prints as a
        table and has ``to_frame()``.
    reason_ : str
        Why this one, in a sentence.
    n_rows_ : int
        Rows that ``estimator_`` was fitted to.
    refitted_ : bool
        Whether these are all.

    Examples
    --------
    >>> import numpy as np
    >>> from setwise import AutoSetClassifier, BinaryRelevance, ConditionalTree
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(300, 2))
    >>> rain = X[:, 0] + rng.normal(size=300) > 0
    >>> Y = np.column_stack([rain, rain ^ (rng.random(300) < 0.1)]).astype(int)
    >>> model = AutoSetClassifier([BinaryRelevance(), ConditionalTree()]).fit(X, Y)
    >>> [row["name"] for row in model.leaderboard_]
    ['ConditionalTree()', 'BinaryRelevance()']
    """

    takes_missing_labels = True

    def __init__(
        self,
        candidates: Literal["auto"] | Sequence[SetClassifier] = "auto",
        *,
        time_budget: float | None = 60.0,
        n_folds: int = 5,
        decision: Decision = "subset",
        min_labels: int | Literal["auto"] = "auto",
    ) -> None:
        self.candidates = candidates
        self.time_budget = time_budget
        self.n_folds = n_folds
        self.decision = decision
        self.min_labels = min_labels

    def _fit(self, X: Matrix, Y: Labels, weights: Floats | None) -> None:
        entries = self._entries(X, Y)
        fold = row_folds(X, max(self.n_folds, -(-X.shape[0] // MAX_HELD_OUT)), outer=True)
        if fold is None:
            self._take_first(entries, X, Y, weights)
            return
        search = _Search(X, Y, weights, fold, self.time_budget)
        search.run(entries)
        best = search.best()
        self.n_rows_ = search.refit(best)
        self.refitted_ = self.n_rows_ == len(Y)
        self.estimator_ = best.model
        self.estimator_.label_names_ = self.label_names_
        self.leaderboard_ = search.table()
        self.reason_ = search.reason()
        if self.n_rows_ < 0.5 * len(Y):
            warnings.warn(
                f"{best.name} is fitted to {self.n_rows_} of {len(Y)} rows: time_budget={self.time_budget} allowed no "
                "more. A larger one, or the estimator by itself, sees all",
                stacklevel=3,
            )

    def _templates(self) -> tuple[SetClassifier, ...]:
        return CANDIDATES if isinstance(self.candidates, str) else tuple(self.candidates)

    def _entries(self, X: Matrix, Y: Labels) -> list[_Entry]:
        given = self._templates()
        if isinstance(self.candidates, str) and self.candidates != "auto":
            raise ValueError(f"candidates is {self.candidates!r}; expected 'auto' or a list of estimators")
        if not given or not all(isinstance(candidate, SetClassifier) for candidate in given):
            raise ValueError("candidates must be a list of at least one setwise estimator")
        entries = [_Entry(" ".join(repr(candidate).split()), candidate) for candidate in given]
        for entry in entries:
            entry.status = _left_out(entry.template, X, Y) or entry.status
        return entries

    def _checked(self, X: Any) -> Array:
        """Rows that the choice can answer for: NaN that some candidate took in training may be none it takes."""
        X = super()._checked(X)
        return check_features(self.estimator_, X, reset=False)

    def _take_first(self, entries: list[_Entry], X: Matrix, Y: Labels, weights: Floats | None) -> None:
        """Too few different rows to hold any out: nothing can be compared."""
        chosen = next((entry for entry in entries if not entry.status.startswith("left out")), entries[0])
        self.estimator_ = clone(chosen.template).fit(X, Y, sample_weight=weights)
        self.n_rows_, self.refitted_ = len(Y), True
        self.reason_ = (
            f"{chosen.name}, the first candidate: there are too few different rows to hold some out"
        )
        chosen.status, chosen.rows = "chosen", X.shape[0]
        self.leaderboard_ = Leaderboard([_row(entry, np.ones(1)) for entry in entries])

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = any(map(_allows_nan, self._templates()))
        return tags


class _Search:
    """Rows held out, the clock, and what each candidate did."""

    def __init__(
        self, X: Matrix, Y: Labels, weights: Floats | None, fold: Array, budget: float | None
    ) -> None:
        self.X, self.Y, self.weights = X, Y, weights
        self.train, self.held_out = np.flatnonzero(fold != 0), np.flatnonzero(fold == 0)
        self.sequence = self.train[shuffled(example_keys(X[self.train], Y[self.train]), 0)]
        self.judging = np.ones(len(self.held_out)) if weights is None else weights[self.held_out]
        self.budget = math.inf if budget is None else float(budget)
        self.start = time.perf_counter()
        self.entries: list[_Entry] = []
        self.seconds_per_row = 0.0

    def left(self) -> float:
        """Seconds of the budget that are left."""
        return self.budget - (time.perf_counter() - self.start)

    def steps(self) -> list[int]:
        """Numbers of rows a candidate is fitted to, one after another; without a budget all at once."""
        if math.isinf(self.budget):
            return [len(self.train)]
        sizes, n = [], FIRST_ROWS
        while 2 * n <= len(self.train):
            sizes.append(n)
            n *= STEP
        return [*sizes, len(self.train)]

    def run(self, entries: list[_Entry]) -> None:
        """Fit every candidate to a few rows, then the best of them to more and more, while the time allows it.

        The first goes on at once, where it is quick.
        """
        self.entries = entries
        able = [entry for entry in entries if not entry.status.startswith("left out")]
        for entry in able:
            self._advance(entry)
            while entry is able[0] and self._is_quick(entry) and self._advance(entry):
                pass
        while able := [e for e in able if e.losses is not None and e.rows < len(self.train)]:
            best = min(able, key=self._loss)
            if not self._advance(best):
                able.remove(best)

    def _is_quick(self, entry: _Entry) -> bool:
        """Whether a candidate can be fitted to more rows in a small part of the time."""
        if not 0 < entry.rows < len(self.train):
            return False
        return self._expected(entry, self._next_size(entry)) < SHARE * self.left()

    def _next_size(self, entry: _Entry) -> int:
        return next(size for size in self.steps() if size > entry.rows)

    def _advance(self, entry: _Entry) -> bool:
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

    def _expected(self, entry: _Entry, n_rows: int) -> float:
        """Seconds of a fit to so many rows: from the last fit, or before the first from what is known of its kind."""
        if entry.rows:
            return float(entry.seconds * (n_rows / entry.rows) ** entry.growth)
        return COST.get(entry.name, 1) * self.seconds_per_row * n_rows

    def _reserve(self, entry: _Entry, expected: float, n_rows: int) -> float:
        """Seconds to keep for the final fit to all rows, of the best so far.

        None where that could not be made, or hardly sees more rows, nor for a candidate that was better on as many
        rows. A step of the best itself is left out if only one of the two can be made.
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

    def _fit(self, entry: _Entry, n_rows: int) -> bool:
        rows = self._first(n_rows)
        clock = time.perf_counter()
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # a candidate that is not chosen has nothing to say
                entry.model = self._fitted(entry, rows)
                losses = -entry.model.log_prob(self.X[self.held_out], self.Y[self.held_out])
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

    def _fitted(self, entry: _Entry, rows: Array) -> Any:
        """A candidate fitted to some rows, with weights only where there are any: not every learner takes them."""
        weights = None if self.weights is None else self.weights[rows]
        return clone(entry.template).fit(self.X[rows], self.Y[rows], sample_weight=weights)

    def best(self) -> _Entry:
        """The candidate with the smallest loss; all were judged on the same rows, however many they were fitted to."""
        judged = [entry for entry in self.entries if entry.losses is not None]
        if not judged:
            reasons = "; ".join(f"{entry.name}: {entry.status}" for entry in self.entries)
            raise ValueError(f"none of the candidates could be fitted. {reasons}")
        chosen = min(judged, key=self._loss)
        chosen.status = "chosen"
        return chosen

    def _loss(self, entry: _Entry) -> float:
        return entry.loss(self.judging)

    def refit(self, best: _Entry) -> int:
        """Fit the choice to all rows, or to as many more as the time allows; how many it has seen."""
        n = self.X.shape[0]
        for size in (n, *reversed(self.steps())):
            if size > best.rows and self._expected(best, size) <= self.left():
                rows = np.arange(n) if size == n else self._first(size)
                best.model = self._fitted(best, rows)
                return size
        return best.rows

    def _first(self, n_rows: int) -> Array:
        """The first of the rows to train on, in an order by their content."""
        return np.sort(self.sequence[:n_rows])

    def ranked(self) -> list[_Entry]:
        """The choice, then the others by their loss."""
        return sorted(self.entries, key=lambda entry: (entry.status != "chosen", self._loss(entry)))

    def table(self) -> Leaderboard:
        """The candidates in their order, with what became of them."""
        return Leaderboard([_row(entry, self.judging) for entry in self.ranked()])

    def reason(self) -> str:
        """Why the first of the table is the first, against the second."""
        best, *others = self.ranked()
        rivals = [entry for entry in others if entry.losses is not None]
        start = f"{best.name} has the smallest joint log-loss, {self._loss(best):.3f} nats a held-out row"
        if not rivals:
            return f"{start}; no other candidate was fitted"
        assert best.losses is not None
        assert rivals[0].losses is not None
        with np.errstate(invalid="ignore"):
            difference = rivals[0].losses - best.losses
        if not np.isfinite(difference).all():
            return f"{start}; the next, {rivals[0].name}, held some of those sets impossible"
        error = float(difference.std() / np.sqrt(len(difference)))
        rows = (
            "" if rivals[0].rows == best.rows else f" fitted to {rivals[0].rows} rows instead of {best.rows}"
        )
        return f"{start}; the next, {rivals[0].name}{rows}, has {difference.mean():.3f} ± {error:.3f} more"


def _left_out(candidate: SetClassifier, X: Matrix, Y: Labels) -> str | None:
    """Why a candidate cannot be fitted to these rows and judged by its joint log-probability, if it cannot."""
    if not _allows_nan(candidate) and np.isnan(stored_values(X)).any():
        return "left out: some features are missing (NaN)"
    if not candidate.takes_missing_labels and (Y == FREE).any():
        return "left out: some labels are not known"
    if isinstance(candidate, NaiBX) and Y.shape[1] > CASCADE_LABELS:
        return f"left out: its joint probability is exact up to {CASCADE_LABELS} labels only"
    return LEFT_OUT.get(type(candidate).__name__)


def _allows_nan(candidate: Any) -> bool:
    return isinstance(candidate, SetClassifier) and bool(get_tags(candidate).input_tags.allow_nan)


def _row(entry: _Entry, weights: Floats) -> dict[str, Any]:
    known = entry.losses is not None and bool(np.isfinite(entry.losses).all())
    error = (
        float(entry.losses.std() / np.sqrt(len(entry.losses))) if known and entry.losses is not None else None
    )
    return {
        "name": entry.name,
        "log_loss": None if entry.losses is None else entry.loss(weights),
        "standard_error": error,
        "rows": entry.rows,
        "seconds": round(entry.seconds, 3),
        "status": entry.status,
    }
