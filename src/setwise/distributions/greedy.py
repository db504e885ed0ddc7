"""The decision of a cascade: the likeliest size, then the likeliest next label until it is reached."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from setwise.contract import FREE, Decided, Floats, Joint, Labels
from setwise.decisions.feasible import Feasible
from setwise.decisions.rule import Rule, check_only_sizes
from setwise.decisions.subset import Subset, best_feasible
from setwise.distributions.cascade import Cascade
from setwise.inference.sets.candidates import ROUNDING


@dataclass(frozen=True)
class Greedy(Rule):
    """Algorithm 2 of the NaiBX paper. Its reported loss is the subset loss, 1 - P(answer).

    The answer need not be the most probable set, which is the decision ``"subset"``.

    References
    ----------
    Mossina and Rachelson, "Naive Bayes classification for subset selection", arXiv:1707.06142, 2017.

    Examples
    --------
    >>> from setwise.inference.cascades.cascade import NaiveBayesSteps
    >>> steps = NaiveBayesSteps(np.log([[0.5, 0.3, 0.2]]), np.zeros((4, 3)), np.zeros((3, 3)))
    >>> Cascade(np.log([[0.1, 0.2, 0.4, 0.3]]), steps).decide(Greedy()).labels
    array([[1, 1, 0]], dtype=int8)
    """

    def loss(self, truth: Any, answer: Any) -> Floats:
        """1 if the sets differ, otherwise 0."""
        return Subset().loss(truth, answer)

    def labels(self, distribution: Joint, feasible: Feasible) -> Labels:
        """Find the sets (n, L) without their probability, which costs more than finding them."""
        check_only_sizes(self, feasible)
        if not isinstance(distribution, Cascade):
            raise TypeError(f"Greedy needs a Cascade, got {type(distribution).__name__}; use 'subset'")
        labels = distribution.greedy_sets(feasible.least)
        lost = np.flatnonzero((labels == FREE).any(axis=1))
        if lost.size:
            labels[lost] = best_feasible(distribution.take(lost), feasible).labels
        return labels

    def _best(self, distribution: Joint, feasible: Feasible) -> Decided:
        labels = self.labels(distribution, feasible)
        assert isinstance(distribution, Cascade)
        scored = distribution.set_log_prob(labels)
        p = np.exp(np.minimum(scored.log_prob, 0.0))
        # No other set can be more probable than the remaining probability.
        certified = scored.exact & (np.maximum(1.0 - p, ROUNDING) <= p)
        return Decided(labels, 1.0 - p, p * scored.standard_error, certified)
