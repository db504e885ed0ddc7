"""Hamming loss: the share of labels that are wrong."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from setwise.contract import Decided, Floats, Joint, Labels
from setwise.decisions.costs import Costs
from setwise.decisions.feasible import Feasible
from setwise.decisions.rule import Rule


@dataclass(frozen=True)
class Hamming(Rule):
    """The likelier value of each label, the marginal mode; exact.

    Examples
    --------
    >>> import numpy as np
    >>> from setwise.distributions import Table
    >>> sets = Table([[0, 0], [1, 0], [1, 1]], np.log([[0.4, 0.35, 0.25]]))
    >>> decided = sets.decide(Hamming())
    >>> decided.labels, decided.expected_loss.round(3)
    (array([[1, 0]], dtype=int8), array([0.325]))
    """

    def loss(self, truth: Any, answer: Any) -> Floats:
        """Share of labels that differ."""
        return np.asarray((truth != answer).mean(axis=-1), dtype=np.float64)

    def labels(self, distribution: Joint, feasible: Feasible) -> Labels:
        """Find the best answers from the marginals alone, as :class:`Costs` does."""
        return Costs().labels(distribution, feasible)

    def _best(self, distribution: Joint, feasible: Feasible) -> Decided:
        wrong = Costs().within(distribution, feasible)
        return self._decided(
            distribution, wrong.labels, wrong.expected_loss / distribution.n_labels, wrong.certified
        )

    def _expected(self, distribution: Joint, answers: Labels) -> Floats:
        return Costs()._expected(distribution, answers) / distribution.n_labels
