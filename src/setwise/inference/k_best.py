"""The k most probable label sets of each forest, in falling order.

With one component the bound of :mod:`setwise.inference.branch_and_bound` is the probability of the best
completion itself, so every branch that is entered ends in one of the k best sets or in a tie.
"""

from __future__ import annotations

import numpy as np

from setwise.contract import Floats, Labels
from setwise.inference.branch_and_bound import top_k
from setwise.inference.forests import Forests


def k_best(forests: Forests, k: int) -> tuple[Labels, Floats]:
    """Sets (n, K, k, L) of each component, best first, and their log-probabilities (n, K, k) in it.

    Examples
    --------
    >>> import numpy as np
    >>> labels, log_prob = k_best(Forests.of(np.array([[[[1.0], [-2.0]]]]), [[-1, -1]]), 3)
    >>> labels[0, 0]
    array([[1, 0],
           [0, 0],
           [1, 1]], dtype=int8)
    """
    n, K = forests.logits.shape[:2]
    alone = np.zeros((n, 1))
    unlimited = np.iinfo(np.int64).max
    best = [top_k(alone, _component(forests, j), k, budget=unlimited) for j in range(K)]
    return np.stack([b.labels for b in best], axis=1), np.stack([b.log_prob for b in best], axis=1)


def _component(forests: Forests, k: int) -> Forests:
    part = slice(k, k + 1)
    logits = np.ascontiguousarray(forests.logits[:, part])
    return Forests(logits, forests.parents[part], forests.order[part])
