"""Which label set to answer for a loss, and what that answer is expected to cost."""

from __future__ import annotations

from collections.abc import Callable

from setwise.contract import Decided, LabelDistribution, Labels
from setwise.decisions.abstain import Abstain
from setwise.decisions.constrained import Constrained, Sizes
from setwise.decisions.costs import Costs
from setwise.decisions.expected import Loss
from setwise.decisions.f_measure import FBeta
from setwise.decisions.feasible import Feasible
from setwise.decisions.hamming import Hamming
from setwise.decisions.jaccard import Jaccard
from setwise.decisions.named import DECISIONS, resolve
from setwise.decisions.rule import Rule
from setwise.decisions.subset import Subset

Decision = str | Rule | Callable[[LabelDistribution], Labels | Decided]
"""The name of a loss, a rule, or a function from a distribution to one label set (n, L) a row."""

__all__ = [
    "DECISIONS",
    "Abstain",
    "Constrained",
    "Costs",
    "Decision",
    "FBeta",
    "Hamming",
    "Jaccard",
    "Loss",
    "Rule",
    "Sizes",
    "Subset",
    "decide",
]


def decide(distribution: LabelDistribution, decision: Decision, *, min_labels: int = 0) -> Decided:
    """The best answer of each row for a loss, with its expected loss under the model.

    Parameters
    ----------
    distribution : LabelDistribution of n rows
    decision : {"subset", "hamming", "f1", "jaccard"}, rule or callable
        A callable is given the distribution and answers for itself: ``min_labels`` does not bind it, and unless
        it gives a :class:`~setwise.contract.Decided` the expected loss is not known (NaN).
    min_labels : int
        Sets with fewer labels are not answered.

    Examples
    --------
    >>> import numpy as np
    >>> from setwise.distributions import Table
    >>> sets = Table(np.array([[0, 0], [1, 0], [1, 1]]), np.log([[0.4, 0.35, 0.25]]))
    >>> decide(sets, "subset").labels, decide(sets, "hamming").labels
    (array([[0, 0]], dtype=int8), array([[1, 0]], dtype=int8))
    >>> decide(sets, Sizes(2, 2)).expected_loss
    array([0.75])
    """
    rule = resolve(decision)
    if isinstance(rule, Rule):
        return rule.within(distribution, Feasible(distribution.n_labels, min_labels))
    return Decided.of(rule(distribution), distribution.n_rows, distribution.n_labels)
