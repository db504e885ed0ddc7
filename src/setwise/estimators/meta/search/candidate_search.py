"""The search of the automatic choice: which candidate to fit next, to how many rows, within a budget."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np

from setwise.contract import Floats
from setwise.estimators.meta.search.budget import Budget
from setwise.estimators.meta.search.candidate import FAILURES, Candidate
from setwise.estimators.meta.search.cost_curve import GROWTH
from setwise.estimators.meta.search.rounds import Rounds
from setwise.estimators.meta.search.trial_pool import TrialPool, best_pool, common_log_probs
from setwise.estimators.meta.search.trials import Examples, Key, Trial, Verdict, current_trials
from setwise.learning.progress.monitor import current_monitor
from setwise.learning.progress.time_limit import OutOfTime

FIRST_ROWS = 250
"""Rows of the first fit of a candidate, which shows how long fits to more rows will take."""
STEP = 8
"""Factor between the numbers of rows of successive fits."""
SHARE = 0.125
"""Share of what is left that a first fit to a few rows may cost."""
HOPELESS = 4.0
"""A candidate is not fitted to a few rows if all rows would probably take this many times what is left."""
PROMISING = 2.0
"""A candidate is fitted to more rows, to know its costs better, if all rows might take at most so many times what is
left."""
FIRST_SHARE = 0.6
"""Share of what is left that the next fit of the first candidate may cost."""
LAST_SHARE = 0.8
"""Share of what is left in the end that a fit to more rows may cost, if no candidate has seen all of them."""
STOPPED = 2.0
"""What a fit that was stopped is expected to cost, in what it has cost until then."""
WORTH = 1.5
"""Least factor of rows for which such a fit is made."""
NEARLY_ALL = 0.85
"""A fit to this share of the rows is nearly as good as one to all: no time is reserved for a final fit."""
BEHIND = 3.0
"""Standard errors by which a candidate that does not help the others is behind the best when it is given up."""
BEHIND_ROUNDS = 3
"""Rounds before a candidate is given up."""


class CandidateSearch:
    """Candidates, the rounds in which they are judged, and a budget.

    The first candidate is fitted to all training rows before others are tried, so that there is always a model of them.
    The others are fitted to a few rows and to more, which shows their costs, and then to all training rows, the
    cheapest first.
    """

    def __init__(
        self,
        examples: Examples,
        candidates: list[Candidate],
        rounds: Rounds,
        budget: Budget,
        *,
        stack: bool = True,
    ) -> None:
        self.examples, self.candidates, self.rounds, self.budget = examples, candidates, rounds, budget
        self.stack = stack
        weights = examples.weights
        ones = np.ones(len(examples.Y)) if weights is None else weights
        self.row_weights: list[Floats] = [ones[rounds[number].held_out] for number in range(len(rounds))]
        self.n_rows = len(examples.Y)
        self.n_train = len(rounds[0].train)
        self.rate = 1.0
        self.begun = False
        self.trials = current_trials(examples, self._trial)
        self._pool: TrialPool | None = None

    def run(self) -> None:
        """Fit candidates while the budget allows it."""
        able = [candidate for candidate in self.candidates if candidate.is_able]
        try:
            if able:
                self._run(able)
        finally:
            self.trials.close()

    def _run(self, able: list[Candidate]) -> None:
        self._begin(able[0])
        if self.budget.measured and not math.isinf(self.budget.left()):
            for candidate in able[1:]:
                self._try_few(candidate)
        in_turn = sorted(able, key=self._cost)
        self._expect(in_turn)
        for candidate in in_turn:
            self._judge(candidate, self.rounds.needed)
        for number in range(self.rounds.needed, len(self.rounds)):
            if not self._judge_again(number):
                break
        self._spend_the_rest(able[0])

    def _expect(self, in_turn: list[Candidate]) -> None:
        """Announce the trials that come if all goes well."""
        numbers = range(self.rounds.needed)
        keys = [
            (self.candidates.index(candidate), number, self.n_train)
            for candidate in in_turn
            for number in numbers[self._next_round(candidate) :]
        ]
        self.trials.expect(keys, self._limit(self.budget.left()))

    def sizes(self) -> list[int]:
        """Numbers of rows of the successive fits of a candidate in the first round."""
        if math.isinf(self.budget.left()):
            return [self.n_train]
        sizes, n = [], FIRST_ROWS
        while 3 * n <= self.n_train:
            sizes.append(n)
            n *= STEP
        return [*sizes, self.n_train]

    def pool(self) -> TrialPool:
        """The best of what was judged so far."""
        if self._pool is None:
            self._pool = best_pool(self.candidates, self.row_weights, self.rounds.needed, stack=self.stack)
        return self._pool

    def expected(self, candidate: Candidate, n_rows: int) -> float:
        """Expected cost of a fit.

        Linear learners fit a few rows of many features by another, quicker way than many rows: costs that were measured
        once are expected to grow at least as those of the first candidate did. Where these grew slowly, as a search for
        penalties takes most of the time for a few rows, others are expected to grow somewhat faster.
        """
        first = self.candidates[0].curve.growth()
        growth = max(first, (first + GROWTH) / 2)
        return candidate.curve.expected(n_rows, self.rate, growth)

    def _cost(self, candidate: Candidate) -> float:
        return self.expected(candidate, self.n_train)

    def _begin(self, first: Candidate) -> None:
        """Fit the first candidate to more and more rows; to a few in any case."""
        for size in self.sizes():
            if self.begun and self.expected(first, size) > FIRST_SHARE * self.budget.left():
                return
            if not self._fit(first, 0, size, FIRST_SHARE * self.budget.left() if self.begun else math.inf):
                return

    def _try_few(self, candidate: Candidate) -> None:
        """Fit a candidate to a few rows, then to more, unless that costs too much or is all there are.

        What a few rows cost says little of many: searches for penalties cost as much, and distances between all rows
        nothing.
        """
        for size in self.sizes()[:-1]:
            left, cost = self.budget.left(), self.expected(candidate, size)
            if left <= 0:
                return
            limit, all_rows = (
                (PROMISING if candidate.curve.points else HOPELESS) * left,
                self._cost(candidate),
            )
            if self.begun and (cost > SHARE * left or all_rows > limit):
                candidate.status = _too_long("not begun", self.n_train, all_rows)
                return
            if not self._fit(candidate, 0, size, 2 * SHARE * left):
                return

    def _judge(self, candidate: Candidate, last: int) -> None:
        """Judge a candidate in rounds up to ``last``, as long as there is time and it may help."""
        if candidate.status.startswith("failed"):
            return
        while (number := self._next_round(candidate)) < last:
            if not self._is_affordable(candidate, last - number):
                return
            allowed = self.budget.left() - self._reserve(self.pool().members)
            if not self._fit(candidate, number, len(self.rounds[number].train), allowed):
                return
            if number + 1 < last and self._is_behind(candidate):
                candidate.status = f"stopped: behind after {number + 1} of {last} folds"
                return

    def _spend_the_rest(self, first: Candidate) -> None:
        """Fit the first candidate to more rows, as many as there is time for, if no candidate has seen all."""
        while (most := max(candidate.fold_rows for candidate in self.candidates)) < self.n_train:
            allowed = LAST_SHARE * self.budget.left()
            size = min(self.n_train, first.curve.rows(allowed))
            if size < WORTH * most:
                return
            if not self._fit(first, 0, size, allowed) and first.status.startswith("failed"):
                return

    def _next_round(self, candidate: Candidate) -> int:
        """The number of the next round; the first is repeated after a fit to a few rows."""
        return 0 if candidate.rows < self.n_train else len(candidate.log_probs)

    def _is_affordable(self, candidate: Candidate, n_rounds: int) -> bool:
        cost, left = self._cost(candidate), self.budget.left()
        if not self.begun or n_rounds * cost + self._reserve([*self.pool().members, candidate]) <= left:
            return True
        if left > 0:
            begun = "stopped" if candidate.is_judged else "not begun"
            candidate.status = _too_long(begun, self.n_train, cost, n_rounds)
        return False

    def _reserve(self, members: list[Candidate]) -> float:
        """Cost of the final fits of some candidates to all rows; nothing if those of the first round nearly are."""
        if self.n_train >= NEARLY_ALL * self.n_rows or math.isinf(self.budget.left()):
            return 0.0
        distinct = {id(member): member for member in members}
        return sum(self.expected(member, self.n_rows) for member in distinct.values())

    def _is_behind(self, candidate: Candidate) -> bool:
        """Whether a candidate is clearly worse than the best so far, and does not help it."""
        members = self.pool().members
        if len(candidate.log_probs) < BEHIND_ROUNDS or not members or candidate in members:
            return False
        best, own = common_log_probs([members[0], candidate]).T
        with np.errstate(invalid="ignore"):  # both may rule a row out
            error = (best - own).std() / np.sqrt(len(own))
            return bool((best - own).mean() > BEHIND * error)

    def _judge_again(self, number: int) -> bool:
        """Judge the members of the pool in one more round, if there is time for all of them."""
        members = self.pool().members
        cost = sum(self._cost(member) for member in members)
        if len(members) < 2 or cost + self._reserve(members) > self.budget.left():
            return False
        return all(
            [
                self._fit(member, number, len(self.rounds[number].train), self.budget.left())
                for member in members
            ]
        )

    def _fit(self, candidate: Candidate, number: int, n_rows: int, allowed: float) -> bool:
        """Fit a candidate in a round and judge it on the held-out rows. Return whether it went well."""
        key, start = (self.candidates.index(candidate), number, n_rows), self.budget.now()
        try:
            with self.budget.limited(allowed), _reported(candidate, n_rows):
                verdict = self.trials.verdict(key, self._limit(allowed))
        except OutOfTime:
            cost = self.budget.now() - start
            candidate.cost += cost
            candidate.curve.add(n_rows, STOPPED * cost)
            candidate.status = f"stopped: {n_rows} rows took longer than the {allowed:.1f} s left for them"
            return False
        except FAILURES as error:
            candidate.fail(error)
            self._pool = None
            return False
        self._keep(candidate, number, n_rows, verdict, start)
        return True

    def _limit(self, allowed: float) -> float:
        """Seconds that a trial elsewhere may take."""
        return allowed if self.budget.measured else math.inf

    def _trial(self, key: Key) -> Trial:
        place, number, n_rows = key
        part = self.rounds[number]
        return Trial(self.candidates[place].template, part.first(n_rows), part.held_out)

    def _keep(self, candidate: Candidate, number: int, n_rows: int, verdict: Verdict, start: float) -> None:
        """Remember a fit: its cost, and its predictions."""
        work = candidate.curve.work(n_rows)
        self.budget.charge(work)
        cost = self.budget.now() - start
        if self.budget.measured and verdict.seconds is not None:
            cost = verdict.seconds
        candidate.curve.add(n_rows, cost)
        candidate.cost += cost
        candidate.status = "tried"
        if number == 0:
            candidate.log_probs, candidate.model = [verdict.log_prob], verdict.model
            candidate.rows = candidate.fold_rows = n_rows
        else:
            candidate.log_probs.append(verdict.log_prob)
        if not self.begun or candidate is self.candidates[0]:
            self.rate = cost / work
        self.begun = True
        if number == 0 or number + 1 >= self.rounds.needed:
            self._pool = None  # between these rounds the candidate is not among its rivals

    def refit(self, members: list[Candidate]) -> None:
        """Fit members to all rows, as far as there is time; the others keep their fits of the first round."""
        everything = np.arange(self.n_rows)
        for member in members:
            cost, left = self.expected(member, self.n_rows), self.budget.left()
            if member.rows >= self.n_rows or cost > left:
                continue
            start = self.budget.now()
            try:
                with self.budget.limited(left), _reported(member, self.n_rows):
                    member.model = self.examples.fitted(member.template, everything)
            except OutOfTime:
                continue
            self.budget.charge(member.curve.work(self.n_rows))
            member.cost += self.budget.now() - start
            member.rows = self.n_rows


@contextmanager
def _reported(candidate: Candidate, n_rows: int) -> Iterator[None]:
    """Report a fit that begins and ends."""
    monitor = current_monitor()
    monitor.task(f"{candidate.name} on {n_rows} rows")
    monitor.report(0, 1)
    yield
    monitor.report(1, 1)


def _too_long(begun: str, n_rows: int, cost: float, n_rounds: int = 1) -> str:
    times = "" if n_rounds == 1 else f" for each of {n_rounds} folds"
    return f"{begun}: {n_rows} rows would take about {cost:.1f} s{times}, too long"
