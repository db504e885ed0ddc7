"""Subset 0/1 loss: the whole set is right or wrong."""

from __future__ import annotations

import heapq
import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from setwise.contract import (
    FREE,
    Array,
    Bools,
    Decided,
    Floats,
    Joint,
    Labels,
    Mode,
    NotTractable,
    replace_rows,
)
from setwise.decisions.feasible import Feasible
from setwise.decisions.linear import best_linear, logit_scores
from setwise.decisions.rule import Rule

MAX_NODES = 512
"""Maximum number of constrained modes per row; a search that needs more ends without a certificate."""
CERTAIN = 1e3
"""A score beyond the log-odds of any label."""


@dataclass(frozen=True)
class Subset(Rule):
    """The most probable allowed set, which minimizes the expected subset 0/1 loss, 1 - P(answer).

    Sizes and fixed labels are part of the search for the mode. Clauses are handled by branching: if the mode violates a
    clause, the two ways to satisfy it are searched instead, the more probable one first. The first set found that
    satisfies all clauses is the best.

    Examples
    --------
    >>> import numpy as np
    >>> from setwise.distributions import Table
    >>> sets = Table([[0, 0], [1, 0], [1, 1]], np.log([[0.4, 0.35, 0.25]]))
    >>> sets.decide(Subset())
    Decision for 1 row
    row  set          expected_loss
    ---  -----------  -------------
      0  (no labels)          0.600
    """

    def loss(self, truth: Any, answer: Any) -> Floats:
        """1 if the sets differ, otherwise 0."""
        return np.asarray((truth != answer).any(axis=-1), dtype=np.float64)

    def _best(self, distribution: Joint, feasible: Feasible) -> Decided:
        best = best_feasible(distribution, feasible)
        expected = -np.expm1(np.minimum(best.log_prob, 0.0))
        if distribution.weighs_sets:
            return Decided(best.labels, expected, np.zeros(len(expected)), best.certified)
        return self._decided(distribution, best.labels, expected, best.certified)

    def _best_of(self, distribution: Joint, answers: Labels) -> Decided:
        if not distribution.weighs_sets:
            return super()._best_of(distribution, answers)
        log_prob = distribution.log_probs_of(answers)
        best, exact = log_prob.argmax(axis=1), np.ones(len(log_prob), dtype=np.bool_)
        expected = -np.expm1(np.minimum(log_prob.max(axis=1), 0.0))
        return Decided(answers[best], expected, np.zeros(len(best)), exact)


def best_feasible(distribution: Joint, feasible: Feasible, evidence: Labels | None = None) -> Mode:
    """Find the most probable allowed set of each row; if the search finds none, an allowed set of probable labels.

    If the ``evidence`` (n, L) of a row is impossible, the answer is FREE with log-probability -inf, certified.
    """
    known = evidence
    if feasible.fixed:
        known = np.tile(feasible.evidence, (distribution.n_rows, 1))
    best = _mode(distribution, known, feasible)
    broken = np.flatnonzero(feasible.violated(best.labels).any(axis=1) & _found(best))
    if broken.size:
        search = _Branching(distribution.take(broken), feasible, best.certified[broken])
        replace_rows(best, broken, search.run(best.labels[broken]))
    lost = _lost(distribution, best, evidence)
    if lost.size:
        given = None if evidence is None else evidence[lost]
        replace_rows(best, lost, _fall_back(distribution.take(lost), feasible, best.certified[lost], given))
    return best


def _lost(distribution: Joint, best: Mode, evidence: Labels | None) -> Array:
    """Rows for which no set was found, except those whose evidence is impossible."""
    lost = np.flatnonzero(~_found(best))
    if evidence is None or not lost.size:
        return lost
    any_size = distribution.take(lost).find_mode(evidence[lost])
    return lost[_found(any_size) | ~any_size.certified]


def _found(best: Mode) -> Bools:
    return np.asarray((best.labels != FREE).all(axis=1))


def _mode(distribution: Joint, evidence: Labels | None, feasible: Feasible) -> Mode:
    found = distribution.find_mode(evidence, least=feasible.least, most=feasible.largest)
    return Mode(*(part.copy() for part in found))  # type: ignore[arg-type]


def _fall_back(part: Joint, feasible: Feasible, exhausted: Bools, evidence: Labels | None) -> Mode:
    """Answer with probable labels if no allowed set was found; certified only if all allowed sets are impossible."""
    scores = logit_scores(part.marginals())
    if evidence is not None:
        scores = np.where(evidence == FREE, scores, CERTAIN * (2.0 * evidence - 1.0))
    labels = best_linear(scores, feasible)
    try:
        log_prob = part.log_prob(labels)
    except NotTractable:
        log_prob = np.full(part.n_rows, -np.inf)
    certified = exhausted & (log_prob == -np.inf)
    return Mode(labels, log_prob, certified, np.where(certified, 0.0, np.inf))


class _Branching:
    """Search in rows whose mode violates a clause. A node is evidence together with the mode given that evidence."""

    def __init__(self, distribution: Joint, feasible: Feasible, certified: Bools) -> None:
        self.distribution, self.feasible, self.certified = distribution, feasible, certified
        self.heaps: list[list[Any]] = [[] for _ in range(distribution.n_rows)]
        self.counter = itertools.count()

    def run(self, labels: Labels) -> Mode:
        """Find the best allowed set of each row, starting from modes (n, L) that violate a clause."""
        n, L = labels.shape
        answer = Mode(np.full((n, L), FREE, np.int8), np.full(n, -np.inf), self.certified, np.zeros(n))
        start = self.feasible.evidence
        active = [(row, start, labels[row]) for row in range(n)]
        for _ in range(MAX_NODES):
            self._expand(active)
            active = self._next([row for row, _, _ in active], answer)
            if not active:
                return answer
        self.certified[[row for row, _, _ in active]] = False
        return answer

    def _next(self, rows: list[int], answer: Mode) -> list[tuple[int, Labels, Labels]]:
        """Take the most probable open node of each row. If it satisfies all clauses, the row is done."""
        active = []
        for row in rows:
            if self.heaps[row]:
                value, _, evidence, y = heapq.heappop(self.heaps[row])
                if self.feasible.holds(y):
                    answer.labels[row], answer.log_prob[row] = y, -value
                else:
                    active.append((row, evidence, y))
        return active

    def _expand(self, nodes: list[tuple[int, Labels, Labels]]) -> None:
        """Search the two ways to satisfy the first clause that the mode of each node violates."""
        children = [(row, child) for row, evidence, y in nodes for child in self._children(evidence, y)]
        if not children:
            return
        rows = np.array([row for row, _ in children])
        found = _mode(self.distribution.take(rows), np.array([child for _, child in children]), self.feasible)
        for i in np.flatnonzero(_found(found)):
            row, child = children[i]
            heapq.heappush(self.heaps[row], (-found.log_prob[i], next(self.counter), child, found.labels[i]))
        np.logical_and.at(self.certified, rows, found.certified)

    def _children(self, evidence: Labels, y: Labels) -> Iterator[Labels]:
        labels, values = self.feasible.arrays
        clause = int(self.feasible.violated(y).argmax())
        (a, b), (v, w) = labels[clause], values[clause]
        for changes in ({a: v}, {a: 1 - v, b: w}):
            if all(evidence[label] in (FREE, value) for label, value in changes.items()):
                child = evidence.copy()
                child[list(changes)] = list(changes.values())
                yield child
