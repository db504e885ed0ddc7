"""The most probable of some draws: CBM's simpler way to a mode (section 4), without a certificate.

It works best where the mode has a high probability: a set of probability p is missed by m draws with
probability (1 - p)^m.
"""

from __future__ import annotations

import numpy as np

from setwise.contract import FREE, LabelDistribution, Mode
from setwise.limits import SEARCH_DRAWS


def best_draw(
    distribution: LabelDistribution,
    rng: np.random.Generator,
    *,
    min_labels: int = 0,
    n_draws: int = SEARCH_DRAWS,
) -> Mode:
    """The most probable of ``n_draws`` sets of each row, of those with at least ``min_labels`` labels.

    A row whose draws are all too small has no answer: :data:`FREE` and -inf. Nothing is certified unless the
    set has more than half of the probability.

    Examples
    --------
    >>> import numpy as np
    >>> from setwise.distributions import Table
    >>> sets = Table(np.array([[0, 0], [1, 0], [1, 1]]), np.log([[0.1, 0.8, 0.1]]))
    >>> best_draw(sets, np.random.default_rng(0)).labels
    array([[1, 0]], dtype=int8)
    """
    draws = distribution.sample(n_draws, rng)
    labels = np.full(draws.shape[::2], FREE, dtype=np.int8)
    log_prob = np.full(len(labels), -np.inf)
    for draw in draws.transpose(1, 0, 2):
        value = np.where(draw.sum(axis=1) >= min_labels, distribution.log_prob(draw), -np.inf)
        better = value > log_prob
        labels[better], log_prob[better] = draw[better], value[better]
    certified = log_prob > np.log(0.5)
    # What is left of the probability bounds every set that was not drawn.
    with np.errstate(divide="ignore", invalid="ignore"):
        gap = np.where(certified, 0.0, np.log1p(-np.exp(log_prob)) - log_prob)
    return Mode(labels, log_prob, certified, np.maximum(gap, 0.0))
