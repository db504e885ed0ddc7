"""The model chosen for you: candidates from cheap to expensive, judged on held-out rows, within a time budget."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any, Literal

import numpy as np

from setwise.contract import Floats, Labels, Matrix
from setwise.decisions import Decision
from setwise.errors import InputWarning, Parameter
from setwise.estimators.base.set_classifier import SetClassifier
from setwise.estimators.base.stack import user_stacklevel
from setwise.estimators.base.wrapped import WrappedClassifier
from setwise.estimators.catalog import candidates, expected_cost
from setwise.estimators.meta.ability import why_unable
from setwise.estimators.meta.candidate_search import LEFT_OUT, CandidateSearch, Entry
from setwise.estimators.meta.leaderboard import Leaderboard
from setwise.learning.by_content.folds import row_folds

MAX_HELD_OUT = 2000
"""Maximum number of held-out rows: they are enough to compare candidates, and more take longer to judge."""


class AutoSetClassifier(WrappedClassifier):
    """Choose the estimator with the smallest held-out joint log-loss, within a time budget.

    A fifth of the rows is held out, at most 2000. Candidates are fitted to a few rows first, from cheap to expensive,
    then the best of them to more and more rows. A fit is not begun if the fits before it show that it would not finish
    in time. The chosen estimator is fitted again to all rows, or to as many as there is time for. The joint log-loss
    rewards a model for the whole distribution, whatever the loss of the predictions.

    Parameters
    ----------
    candidates : "auto" or sequence of estimators, default="auto"
        Setwise estimators with a joint log-probability, the cheapest first. Candidates that cannot take the missing
        labels of the training rows are left out; missing features (NaN) each candidate takes or fills by itself.
    time_budget : float or None, default=60.0
        Seconds that ``fit`` aims to take. The first candidate is fitted in any case, to a few rows at least. None tries
        every candidate on all rows; only then is the choice independent of the speed of the machine.
    n_folds : int, default=5
        Number of folds, of which one is held out.
    decision : {"subset", "hamming", "f1", "jaccard"}, rule or callable, default="subset"
        Loss that ``predict`` minimizes in expectation, whatever the candidates' decisions.
    {min_labels}
    {random_state}
    {verbose}

    Attributes
    ----------
    estimator_ : SetClassifier
        The chosen estimator, fitted.
    leaderboard_ : Leaderboard
        A dict per candidate, best first: ``name``, ``log_loss`` (nats per held-out row), ``standard_error``, ``rows``
        it was fitted to, ``seconds``, and ``status``: chosen, tried, or why it was not. It prints as a table and has
        ``to_frame()``.
    reason_ : str
        Why this one, in a sentence.
    n_rows_ : int
        Number of rows that ``estimator_`` was fitted to.
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
        n_folds: int = 5,
        decision: Decision = "subset",
        min_labels: int | Literal["auto"] = "auto",
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        self.candidates = candidates
        self.time_budget = time_budget
        self.n_folds = n_folds
        self.decision = decision
        self.min_labels = min_labels
        self.random_state = random_state
        self.verbose = verbose

    def _fit(self, X: Matrix, Y: Labels, weights: Floats | None) -> None:
        entries = self._entries(Y)
        fold = row_folds(X, max(self.n_folds, -(-X.shape[0] // MAX_HELD_OUT)), outer=True)
        if fold is None:
            self._take_first(entries, X, Y, weights)
            return
        search = CandidateSearch(X, Y, weights, fold, self.time_budget, self._filled(X))
        search.run(entries)
        best = search.best()
        self.n_rows_ = search.refit(best)
        self.refitted_ = self.n_rows_ == len(Y)
        self.estimator_ = best.model
        self.estimator_.label_names_ = self.label_names_
        self.leaderboard_ = search.table()
        self.reason_ = search.reason()
        if self.n_rows_ < 0.5 * len(Y):
            message = f"{best.name} was fitted to {self.n_rows_} of {len(Y)} rows; there was no time for more"
            hint = (
                "raise ",
                Parameter("time_budget"),
                f", or fit {type(best.model).__name__} by itself, to use all rows",
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

    def _entries(self, Y: Labels) -> list[Entry]:
        entries = []
        for template in self._templates():
            entry = Entry(" ".join(repr(template).split()), self._seeded(template), expected_cost(template))
            if (reason := why_unable(template, Y)) is not None:
                entry.status = f"{LEFT_OUT}: {reason}"
            entries.append(entry)
        return entries

    def _take_first(self, entries: list[Entry], X: Matrix, Y: Labels, weights: Floats | None) -> None:
        """Take the first candidate, as too few distinct rows leave nothing to compare on."""
        chosen = next((entry for entry in entries if entry.is_able), entries[0])
        rows = X if chosen.template._takes_nan() else self._filled(X)
        self.estimator_ = chosen.template.fit(rows, Y, sample_weight=weights)
        self.n_rows_, self.refitted_ = len(Y), True
        self.reason_ = f"{chosen.name}, the first candidate: there are too few distinct rows to hold some out"
        for entry in entries:
            if entry.is_able:
                entry.status = "not tried: too few distinct rows to compare candidates"
        chosen.status, chosen.rows = "chosen", X.shape[0]
        self.leaderboard_ = Leaderboard([entry.row(np.ones(1)) for entry in entries])
