"""The most probable of some draws: CBM's simpler search for a mode (section 4), without a certificate.

It works best if the mode is probable: S draws miss a set of probability p with probability (1 - p)^S.
"""

from __future__ import annotations

import numpy as np

from setwise.contract import FREE, Floats, Labels, Mode


def best_draw(draws: Labels, log_prob: Floats, min_labels: int = 0) -> Mode:
    """Find the most probable draw of each row that has enough labels.

    Parameters
    ----------
    draws : ndarray of shape (n, S, L)
        Sets drawn from each row's distribution.
    log_prob : ndarray of shape (n, S)
        Their log-probabilities.
    min_labels : int, default=0
        Draws with fewer labels are ignored.

    Returns
    -------
    Mode
        A row without a draw of enough labels has :data:`FREE` and -inf. A row is certified only if its set has more
        than half of the probability.

    Examples
    --------
    >>> import numpy as np
    >>> draws = np.array([[[0, 0], [1, 0], [1, 1]]], dtype=np.int8)
    >>> best_draw(draws, np.log([[0.1, 0.8, 0.1]])).labels
    array([[1, 0]], dtype=int8)
    """
    value = np.where(draws.sum(axis=2) >= min_labels, log_prob, -np.inf)
    first = value.argmax(axis=1)
    best = np.take_along_axis(value, first[:, None], axis=1)[:, 0]
    labels = np.take_along_axis(draws, first[:, None, None], axis=1)[:, 0]
    labels[best == -np.inf] = FREE
    certified = best > np.log(0.5)
    # The rest of the probability bounds every set that was not drawn.
    with np.errstate(divide="ignore", invalid="ignore"):
        gap = np.where(certified, 0.0, np.log1p(-np.exp(best)) - best)
    return Mode(labels, best, certified, np.maximum(gap, 0.0))
