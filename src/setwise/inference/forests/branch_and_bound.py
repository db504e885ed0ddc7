"""The most probable label sets of a mixture of forests, exactly, with a certificate.

P(y) = sum_k w_k p_k(y). For a partial set, the sum over the components of w_k times the most probable completion under
p_k alone bounds every completion; max-sum computes it. On a complete set the bound equals the probability. Labels are
decided one after the other, the most decisive first and the better value first, and a branch is cut if its bound does
not beat the k-th best set known. A label with one value already cut needs no branching.

The bound is that of Algorithm 2 in Li, Wang, Pavlu and Aslam, "Conditional Bernoulli mixtures for multi-label
classification", ICML 2016 (its line 13: w_k q plus the other components' best), generalized from independent labels to
forests. Algorithm 2 applies the bound to whole sets, enumerated in falling order in each component. Applied to partial
sets it cuts many of the same candidates at once, needs no queue and scores no set twice.
"""

from __future__ import annotations

from setwise.contract import Floats, TopK
from setwise.inference.forests.arrays import Forests
from setwise.kernels import implementation

BUDGET = 100_000
"""Default number of evaluations of the bounds after which a row's search stops without a certificate."""


def top_k(
    log_gate: Floats, forests: Forests, k: int = 1, *, min_labels: int = 0, budget: int = BUDGET
) -> TopK:
    """Find the ``k`` most probable sets of each row, best first.

    Parameters
    ----------
    log_gate : ndarray of shape (n, K)
        Log weights of the components.
    forests : Forests
    k : int, default=1
    min_labels : int, default=0
        Smallest number of labels of a set.
    budget : int, default=100_000
        Evaluations of the bounds of a row after which its search stops, at least L + 1 so that some set is found.
        ``certified`` is then False, and ``gap`` is the largest possible difference in log-probability between a
        set not seen and the last one returned.

    Returns
    -------
    TopK

    Examples
    --------
    >>> import numpy as np
    >>> forests = Forests.of(np.array([[[[1.0], [-2.0]], [[-1.0], [3.0]]]]), [[-1, -1], [-1, -1]])
    >>> best = top_k(np.log([[0.6, 0.4]]), forests, k=2)
    >>> best.labels
    array([[[1, 0],
            [0, 1]]], dtype=int8)
    >>> best.certified
    array([ True])
    """
    return TopK(*implementation.mixture_top_k(log_gate, *forests, k, min_labels, budget)[:4])
