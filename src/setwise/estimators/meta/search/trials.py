"""The trials of a search: fits of candidates to some rows, judged on others, in this process or elsewhere."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, NamedTuple, Protocol

import numpy as np
from sklearn.base import clone

from setwise.contract import Array, Floats, Labels, Matrix


class Examples(NamedTuple):
    """Training data; ``filled`` are the rows with missing features filled, for candidates that do not take them."""

    X: Matrix
    Y: Labels
    weights: Floats | None
    filled: Matrix

    def rows(self, template: Any, rows: Array) -> Matrix:
        """Rows as an estimator takes them."""
        return (self.X if template._takes_nan() else self.filled)[rows]

    def fitted(self, template: Any, rows: Array) -> Any:
        """Fit a copy to some rows. Weights are passed only if there are any, as not every learner takes them."""
        weights = None if self.weights is None else self.weights[rows]
        return clone(template).fit(self.rows(template, rows), self.Y[rows], sample_weight=weights)


class Trial(NamedTuple):
    """A fit to ``rows`` that is judged on ``held_out`` rows."""

    template: Any
    rows: Array
    held_out: Array


class Verdict(NamedTuple):
    """The result of a trial: the model, and the log-probabilities (v,) of the held-out rows.

    ``seconds`` are those of a trial elsewhere, where the clock of the search does not show them.
    """

    model: Any
    log_prob: Floats
    seconds: float | None = None


def judge(examples: Examples, trial: Trial) -> Verdict:
    """Fit and judge."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of a candidate that may not be chosen
        model = examples.fitted(trial.template, trial.rows)
        log_prob = model.log_prob(examples.rows(trial.template, trial.held_out), examples.Y[trial.held_out])
    if np.isnan(log_prob).any():
        raise ValueError("the log-probability of a held-out row is NaN")
    return Verdict(model, log_prob)


Key = tuple[int, int, int]
"""A trial by the place of its candidate, its round and its number of rows."""


class Trials(Protocol):
    """Does the trials of one search."""

    def expect(self, keys: Sequence[Key], allowed: float) -> None:
        """Say which trials will probably be asked for, the first ones first, and what each may take."""

    def verdict(self, key: Key, allowed: float) -> Verdict:
        """Do a trial, or wait for it."""

    def close(self) -> None:
        """Stop what nobody will ask for."""


class TrialsHere:
    """Trials in this process, one after the other."""

    def __init__(self, examples: Examples, trial_of: Callable[[Key], Trial]) -> None:
        self.examples, self.trial_of = examples, trial_of

    def expect(self, keys: Sequence[Key], allowed: float) -> None:
        """Nothing: a trial is done when it is asked for."""

    def verdict(self, key: Key, allowed: float) -> Verdict:
        """Fit and judge; the time limit is that of the search."""
        return judge(self.examples, self.trial_of(key))

    def close(self) -> None:
        """Nothing is left."""


MakeTrials = Callable[[Examples, Callable[[Key], Trial]], Trials]

_CURRENT: ContextVar[MakeTrials] = ContextVar("trials", default=TrialsHere)


@contextmanager
def trials_made_by(make: MakeTrials) -> Iterator[None]:
    """Let searches inside do their trials elsewhere."""
    token = _CURRENT.set(make)
    try:
        yield
    finally:
        _CURRENT.reset(token)


def current_trials(examples: Examples, trial_of: Callable[[Key], Trial]) -> Trials:
    """Make what does the trials of a search."""
    return _CURRENT.get()(examples, trial_of)
