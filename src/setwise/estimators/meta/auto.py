"""The model chosen for you: candidates from cheap to expensive, judged on held-out rows, and a stack of the best."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any, Literal

from setwise.contract import Floats, Labels, Matrix
from setwise.decisions import Decision
from setwise.errors import InputWarning, Parameter
from setwise.estimators.base.kinds.wrapped import WrappedClassifier
from setwise.estimators.base.set_classifier import SetClassifier
from setwise.estimators.base.stack import user_stacklevel
from setwise.estimators.catalog import candidates, expected_cost
from setwise.estimators.meta.ability import why_unable
from setwise.estimators.meta.leaderboard import Leaderboard
from setwise.estimators.meta.search.budget import Budget, Effort, Seconds
from setwise.estimators.meta.search.candidate import FAILURES, LEFT_OUT, Candidate
from setwise.estimators.meta.search.candidate_search import CandidateSearch
from setwise.estimators.meta.search.common_shift import common_shift, shifted
from setwise.estimators.meta.search.cost_curve import CostCurve, cells_per_row
from setwise.estimators.meta.search.outcome import ranked_rows, reason
from setwise.estimators.meta.search.prediction_time import quick_enough
from setwise.estimators.meta.search.rounds import Rounds
from setwise.estimators.meta.search.trial_pool import TrialPool
from setwise.estimators.meta.search.trials import Examples
from setwise.estimators.meta.stacked_sets import StackedSets


class AutoSetClassifier(WrappedClassifier):
    """Choose the estimator, or the stack of several, with the smallest held-out joint log-loss within a budget.

    Rows are parted into folds by their content, and candidates predict rows that they have not seen. The first,
    cheapest candidate is fitted to all training rows at once. The others are fitted to a few rows and then to more,
    which shows how long all will take, and then to all of them, the cheapest first. A fit is not begun if it, or one to
    all rows, would take too long, and stopped if it takes longer than expected. Folds of small data are repeated. In
    the end the candidates that help each other become a :class:`StackedSets`, unless one of them alone is as good; a
    stack that predicts too slowly loses its slowest members. All are fitted again to all rows if there is time. If the
    linear ones give held-out rows too few labels, or too many, all their log-odds are shifted. The joint log-loss
    rewards a model for the whole distribution, whatever the loss of the predictions.

    Parameters
    ----------
    candidates : "auto" or sequence of estimators, default="auto"
        Setwise estimators with a joint log-probability, the cheapest first. Candidates that cannot take the missing
        labels of the training rows are left out; missing features (NaN) each candidate takes or fills by itself.
    time_budget : float or None, default=60.0
        Seconds that ``fit`` aims to take. The first candidate is fitted in any case, to a few rows at least. None tries
        every candidate on all rows and folds, and does not look at times.
    effort : float, optional
        A budget in units of work instead of seconds: a unit is about a second of one core. The choice is then the same
        on every machine, however busy it is.
    n_folds : int, default=5
        Least number of folds. More than 2,500 rows are parted into more, so that fewer are held out.
    stack : bool, default=True
        Whether several estimators may be stacked.
    decision : {"subset", "hamming", "f1", "jaccard"}, rule or callable, default="subset"
        Loss that ``predict`` minimizes in expectation, whatever the candidates' decisions.
    {min_labels}
    {random_state}
    {verbose}

    Attributes
    ----------
    estimator_ : SetClassifier
        The chosen estimator, fitted; a :class:`StackedSets` if several were chosen.
    leaderboard_ : Leaderboard
        A dict per candidate, best first: ``name``, ``log_loss`` (nats per held-out row), ``standard_error``, ``rows``
        it was fitted to, ``seconds`` of all its fits, and ``status``: chosen, stacked, tried, or why it was not. A
        stack is the first row. It prints as a table and has ``to_frame()``.
    reason_ : str
        Why this one, in a sentence.
    n_rows_ : int
        Number of rows that ``estimator_`` was fitted to; of a stack, the smallest number of its members.
    refitted_ : bool
        Whether these are all rows.
    {label_attributes}

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
        effort: float | None = None,
        n_folds: int = 5,
        stack: bool = True,
        decision: Decision = "subset",
        min_labels: int | Literal["auto"] = "auto",
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        self.candidates = candidates
        self.time_budget = time_budget
        self.effort = effort
        self.n_folds = n_folds
        self.stack = stack
        self.decision = decision
        self.min_labels = min_labels
        self.random_state = random_state
        self.verbose = verbose

    def _fit(self, X: Matrix, Y: Labels, weights: Floats | None) -> None:
        budget: Budget = Seconds(self.time_budget) if self.effort is None else Effort(self.effort)
        entries = self._entries(X, Y)
        rounds = Rounds(X, Y, self.n_folds)
        if not len(rounds):
            self._take_first(entries, X, Y, weights, "there are too few distinct rows to hold some out")
            return
        search = CandidateSearch(
            Examples(X, Y, weights, self._filled(X)), entries, rounds, budget, stack=self.stack
        )
        search.run()
        pool = quick_enough(search, self.rule())
        if (
            not pool.members
        ):  # such as labels that are all on in a training part: fit to all rows, or say why not
            self._take_first(entries, X, Y, weights, "no candidate could be judged on held-out rows")
            return
        shift = common_shift(search, pool)
        search.refit(pool.members)
        self._take(pool, shift)
        self.leaderboard_ = Leaderboard(ranked_rows(search, pool))
        self.reason_ = reason(search, pool, shift)
        self._warn_of_few_rows(pool, len(Y))

    def _take(self, pool: TrialPool, shift: float) -> None:
        """Answer by the only member of a pool, or by a stack of its members."""
        models = [shifted(member.model, shift) for member in pool.members]
        for model in models:
            model.label_names_ = self.label_names_
            if hasattr(self, "fill_") and not model._takes_nan():
                model.fill_ = self.fill_  # it was fitted to filled rows
        self.estimator_ = models[0] if len(models) == 1 else StackedSets.of_fitted(models, pool.weights)
        self.n_rows_ = min(member.rows for member in pool.members)

    def _warn_of_few_rows(self, pool: TrialPool, n_rows: int) -> None:
        self.refitted_ = self.n_rows_ == n_rows
        if self.n_rows_ < 0.5 * n_rows:
            few = min(pool.members, key=lambda member: member.rows)
            message = f"{few.name} was fitted to {few.rows} of {n_rows} rows; there was no time for more"
            hint = (
                "raise ",
                Parameter("time_budget"),
                f", or fit {type(few.model).__name__} by itself, to use all rows",
            )
            warnings.warn(InputWarning(message, hint=hint), stacklevel=user_stacklevel())

    def _fit_filling(self, X: Matrix) -> Matrix:
        """Find what missing features are filled with, and keep them for the candidates that take them."""
        if hasattr(self, "estimator_"):
            del self.estimator_
        super()._fit_filling(X)
        return X

    def _check_parameters(self) -> None:
        super()._check_parameters()
        if isinstance(self.candidates, str) and self.candidates != "auto":
            raise ValueError(f"candidates is {self.candidates!r}; expected 'auto' or a list of estimators")
        given = self._templates()
        if not given or not all(isinstance(candidate, SetClassifier) for candidate in given):
            raise ValueError("candidates must be a list of at least one setwise estimator")

    def _templates(self) -> list[SetClassifier]:
        return candidates() if isinstance(self.candidates, str) else list(self.candidates)

    def _entries(self, X: Matrix, Y: Labels) -> list[Candidate]:
        cells, entries = cells_per_row(X, Y), []
        for template in self._templates():
            curve = CostCurve(expected_cost(template), cells)
            entry = Candidate(" ".join(repr(template).split()), self._seeded(template), curve)
            if (why := why_unable(template, Y)) is not None:
                entry.status = f"{LEFT_OUT}: {why}"
            entries.append(entry)
        return entries

    def _take_first(
        self, entries: list[Candidate], X: Matrix, Y: Labels, weights: Floats | None, why: str
    ) -> None:
        """Take the first candidate that can be fitted, as there is nothing to compare on."""
        for entry in entries:
            if entry.is_able:
                entry.status = "not tried: too few distinct rows to compare candidates"
        chosen = next(
            (entry for entry in entries if entry.is_able and self._fits(entry, X, Y, weights)), None
        )
        if chosen is None:
            reasons = "; ".join(f"{entry.name}: {entry.status}" for entry in entries)
            raise ValueError(f"no candidate could be fitted to these rows. {reasons}")
        self.n_rows_, self.refitted_ = len(Y), True
        self.reason_ = f"{chosen.name}, the first candidate: {why}"
        chosen.status, chosen.rows = "chosen", X.shape[0]
        self.leaderboard_ = Leaderboard([entry.row([]) for entry in entries])

    def _fits(self, entry: Candidate, X: Matrix, Y: Labels, weights: Floats | None) -> bool:
        """Fit a candidate to all rows; after an error, show it as the candidate's status."""
        rows = X if entry.template._takes_nan() else self._filled(X)
        try:
            self.estimator_ = entry.template.fit(rows, Y, sample_weight=weights)
        except FAILURES as error:
            entry.fail(error)
            return False
        return True
