"""What a decision is: a loss, and the answer with the least expected loss among those allowed."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import numpy as np

from setwise.contract import Bools, Decided, Floats, LabelDistribution, Labels
from setwise.decisions.feasible import Feasible

BLOCK_CELLS = 1 << 26
"""Labels of draws held at a time where a distribution is estimated from draws."""


class Rule(ABC):
    """A loss and its best answers. Called with a distribution, a rule gives :class:`Decided`."""

    def __call__(self, distribution: LabelDistribution) -> Decided:
        """The answers (n, L) with the least expected loss, and that loss."""
        return self.within(distribution, Feasible(distribution.n_labels))

    def within(self, distribution: LabelDistribution, feasible: Feasible) -> Decided:
        """The best answers among those that are ``feasible``."""
        n = distribution.n_rows
        step = max(1, BLOCK_CELLS // (1000 * distribution.n_labels)) if distribution.sampled else max(n, 1)
        if n <= step:
            return self._best(distribution, feasible)
        parts = [self._best(distribution.take(slice(i, i + step)), feasible) for i in range(0, n, step)]
        return Decided(*(np.concatenate(column) for column in zip(*parts)))

    @abstractmethod
    def _best(self, distribution: LabelDistribution, feasible: Feasible) -> Decided:
        """The best answers of a block of rows."""

    @abstractmethod
    def loss(self, truth: Any, answer: Any) -> Floats:
        """Loss of each answer (..., L) where the true set is ``truth`` (..., L); the two are broadcast."""

    def _decided(
        self, distribution: LabelDistribution, labels: Labels, expected: Floats, certified: Bools
    ) -> Decided:
        """Exact where the distribution's sums are; else mean and standard error of the loss over its draws."""
        if not distribution.sampled:
            return Decided(labels, expected, np.zeros(len(labels)), certified)
        losses = self.loss(distribution.draws(), labels[:, None])
        error = losses.std(axis=1, ddof=1) / np.sqrt(distribution.independent_draws())
        return Decided(labels, losses.mean(axis=1), error, np.zeros(len(labels), dtype=np.bool_))
