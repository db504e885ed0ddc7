"""What a decision is: a loss, and the answer with the least expected loss among those allowed."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import numpy as np

from setwise.blocks import block_rows, row_slices
from setwise.contract import Bools, Decided, Floats, Joint, Labels
from setwise.decisions.feasible import Feasible
from setwise.limits import N_DRAWS


class Rule(ABC):
    """A loss and its best answers: what :meth:`~setwise.distributions.LabelDistribution.decide` decides by."""

    def labels(self, distribution: Joint, feasible: Feasible) -> Labels:
        """The labels (n, L) of ``within`` alone, for rules that find a set more cheaply than its expected loss."""
        return self.within(distribution, feasible).labels

    def within(self, distribution: Joint, feasible: Feasible) -> Decided:
        """The best answers among those that are ``feasible``."""
        n = distribution.n_rows
        listed = 0 if feasible.among is None else len(feasible.among)
        sets_per_row = max(N_DRAWS if distribution.sampled else 0, listed)
        if not sets_per_row or n <= block_rows(sets_per_row * distribution.n_labels, cell_bytes=1):
            return self._block(distribution, feasible)
        blocks = row_slices(n, sets_per_row * distribution.n_labels, cell_bytes=1)
        parts = [self._block(distribution.take(rows), feasible) for rows in blocks]
        return Decided(*(np.concatenate(column) for column in zip(*parts)))

    def _block(self, distribution: Joint, feasible: Feasible) -> Decided:
        if feasible.among is None:
            return self._best(distribution, feasible)
        return self._best_of(distribution, feasible.among[feasible.holds(feasible.among)])

    @abstractmethod
    def _best(self, distribution: Joint, feasible: Feasible) -> Decided:
        """The best answers of a block of rows."""

    def _best_of(self, distribution: Joint, answers: Labels) -> Decided:
        """The best of the same ``answers`` (m, L), at least one, for each row of a block."""
        expected = self._expected(distribution, answers)
        best = expected.argmin(axis=1)
        certified = np.ones(len(best), dtype=np.bool_)
        return self._decided(distribution, answers[best], expected.min(axis=1), certified)

    def _expected(self, distribution: Joint, answers: Labels) -> Floats:
        """Expected loss (n, m) of each of the ``answers`` (m, L); over draws, unless a rule knows a sum for it."""
        draws = distribution.draws()
        return np.stack([self.loss(draws, answer).mean(axis=1) for answer in answers], axis=1)

    @abstractmethod
    def loss(self, truth: Any, answer: Any) -> Floats:
        """Loss of each answer (..., L) where the true set is ``truth`` (..., L); the two are broadcast."""

    def _decided(self, distribution: Joint, labels: Labels, expected: Floats, certified: Bools) -> Decided:
        """Exact where the distribution's sums are; else mean and standard error of the loss over its draws."""
        if not distribution.sampled:
            return Decided(labels, expected, np.zeros(len(labels)), certified)
        losses = self.loss(distribution.draws(), labels[:, None])
        error = losses.std(axis=1, ddof=1) / np.sqrt(distribution.independent_draws())
        return Decided(labels, losses.mean(axis=1), error, np.zeros(len(labels), dtype=np.bool_))


def check_only_sizes(rule: Rule, feasible: Feasible) -> None:
    """A ValueError for a rule that can keep a least number of labels and no other constraint."""
    limited = feasible.largest < feasible.n_labels or feasible.among is not None
    if limited or feasible.fixed or feasible.clauses:
        raise ValueError(f"{rule!r} cannot keep constraints; use Constrained('subset', ...)")
