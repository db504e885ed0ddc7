"""A function from distributions to label sets, used as a decision."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NoReturn

from setwise.contract import Decided, Joint, Labels
from setwise.decisions.feasible import Feasible
from setwise.decisions.rule import Rule


@dataclass(frozen=True)
class ByFunction(Rule):
    """The answers of a function of the distribution, which need not respect ``min_labels``.

    The expected loss is NaN, unless the function returns a :class:`~setwise.contract.Decided`.

    Parameters
    ----------
    function : callable
        From a distribution to label sets (n, L), or to a Decided.

    Examples
    --------
    >>> from setwise.distributions import ForestMixture
    >>> joint = ForestMixture.independent([[2.0, -1.0]])
    >>> joint.decide(lambda joint: (joint.marginals() > 0.2).astype(int)).labels
    array([[1, 1]], dtype=int8)
    """

    function: Callable[[Any], Labels | Decided]

    def within(self, distribution: Joint, feasible: Feasible) -> Decided:
        """The answers of the function."""
        return Decided.of(self.function(distribution), distribution.n_rows, distribution.n_labels)

    def _best(self, distribution: Joint, feasible: Feasible) -> Decided:
        return self.within(distribution, feasible)

    def loss(self, truth: Any, answer: Any) -> NoReturn:
        """Raise a ValueError: the loss behind a function is not known."""
        raise ValueError(
            f"the decision {self.function!r} is a function that returns label sets and has no loss; pass a rule, such "
            "as Loss(function) for a function that returns losses"
        )
