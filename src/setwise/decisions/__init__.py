"""Which label set to answer for a loss."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from setwise.contract import LabelDistribution, Labels
from setwise.decisions.hamming import hamming
from setwise.decisions.subset import subset

Decision = str | Callable[[LabelDistribution], Labels]
"""The name of a loss, or a function from a distribution to one label set (n, L) a row."""

DECISIONS = {"subset": subset, "hamming": hamming}

__all__ = ["DECISIONS", "Decision", "decide", "hamming", "subset"]


def decide(distribution: LabelDistribution, decision: Decision, *, min_labels: int = 0) -> Labels:
    """The best label set (n, L) of each row for a loss.

    Parameters
    ----------
    distribution : LabelDistribution of n rows
    decision : {"subset", "hamming"} or callable
        A callable is given the distribution and answers for itself; ``min_labels`` does not bind it.
    min_labels : int
        Sets with fewer labels are not answered.

    Examples
    --------
    >>> import numpy as np
    >>> from setwise.distributions import Table
    >>> sets = Table(np.array([[0, 0], [1, 0], [1, 1]]), np.log([[0.4, 0.3, 0.3]]))
    >>> decide(sets, "subset"), decide(sets, "hamming")
    (array([[0, 0]], dtype=int8), array([[1, 0]], dtype=int8))
    """
    if callable(decision):
        return np.asarray(decision(distribution), dtype=np.int8)
    if decision not in DECISIONS:
        known = ", ".join(map(repr, DECISIONS))
        raise ValueError(f"decision {decision!r} is not known; use one of {known}, or a callable")
    return DECISIONS[decision](distribution, min_labels=min_labels)
