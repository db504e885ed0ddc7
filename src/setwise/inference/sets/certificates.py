"""Certificates of an answer: whether a set left out may be more probable, and by how much."""

from __future__ import annotations

import numpy as np

from setwise.contract import Floats, Labels, TopK


def certify(labels: Labels, log_p: Floats, bound: Floats) -> TopK:
    """Build an answer with its certificate from a bound on the sets left out.

    Parameters
    ----------
    labels : ndarray of shape (n, k, L)
    log_p : ndarray of shape (n, k)
        Best first.
    bound : ndarray of shape (n,)
        Log-probability that no set left out exceeds.

    Returns
    -------
    TopK

    Examples
    --------
    >>> import numpy as np
    >>> answer = certify(np.zeros((2, 1, 3), np.int8), np.log([[0.5], [0.2]]), np.log([0.4, 0.4]))
    >>> answer.certified, answer.gap.round(3)
    (array([ True, False]), array([0.   , 0.693]))
    """
    last = log_p[:, -1]
    open_rows = bound > last
    gap = np.zeros(len(bound))
    gap[open_rows] = bound[open_rows] - last[open_rows]
    return TopK(labels, log_p, ~open_rows, gap)


def upper_bound(answer: TopK) -> Floats:
    """Compute the log-probability (n,) that no set left out of an answer exceeds."""
    endless = np.isinf(answer.gap)
    return np.where(endless, 0.0, answer.log_prob[:, -1] + np.where(endless, 0.0, answer.gap))
