"""Prediction time weighed: the slowest members leave a stack that would answer too slowly."""

from __future__ import annotations

import math
import time
from typing import Any

import numpy as np

from setwise.decisions import Rule
from setwise.estimators.meta.search.candidate import Candidate
from setwise.estimators.meta.search.candidate_search import CandidateSearch
from setwise.estimators.meta.search.trial_pool import TrialPool, best_pool
from setwise.estimators.meta.stacked_sets import StackedSets

ASKED = 20
"""Held-out rows that are predicted to measure the time."""
SLOW = 0.02
"""Processor seconds per row up to which a stack is quick enough."""

clock = time.process_time
"""Of the processor: other work on the machine must not change the choice."""


def quick_enough(search: CandidateSearch, rule: Rule) -> TrialPool:
    """The best pool whose answers take at most ``SLOW`` seconds a row, or a single candidate.

    Without a limit of time, or with one of work, the choice must not depend on the machine: nothing is left out.
    """
    candidates, pool = list(search.candidates), search.pool()
    timed = search.budget.measured and not math.isinf(search.budget.left())
    while timed and len(pool.members) > 1 and _seconds(search, pool, rule) > SLOW:
        slowest = max(pool.members, key=lambda member: _seconds_alone(search, member, rule))
        slowest.status = "tried; left out of the stack, which would answer slowly"
        candidates.remove(slowest)
        pool = best_pool(candidates, search.row_weights, search.rounds.needed)
    return pool


def _seconds(search: CandidateSearch, pool: TrialPool, rule: Rule) -> float:
    stack = StackedSets.of_fitted([member.model for member in pool.members], pool.weights)
    return _timed(stack, search.examples.X[_asked(search)], rule)


def _seconds_alone(search: CandidateSearch, member: Candidate, rule: Rule) -> float:
    return _timed(member.model, search.examples.rows(member.template, _asked(search)), rule)


def _asked(search: CandidateSearch) -> Any:
    return search.rounds[0].held_out[:ASKED]


def _timed(model: Any, X: Any, rule: Rule) -> float:
    """Seconds per row of predictions."""
    start = clock()
    model.predict(X, decision=rule)
    return float(clock() - start) / np.shape(X)[0]
