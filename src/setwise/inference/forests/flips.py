"""The probability of a label set after one label is flipped, for every label.

In a forest a label depends on its parent and its children only, so all L flips of a set cost one pass.
"""

from __future__ import annotations

import numpy as np
from scipy.special import log_expit, logsumexp

from setwise.contract import Floats, Labels
from setwise.inference.forests.arrays import Forests


def flip_log_probs(log_gate: Floats, forests: Forests, Y: Labels) -> Floats:
    """Compute the log-probability of each set with one label flipped.

    Parameters
    ----------
    log_gate : ndarray of shape (n, K)
        Log weights of the components.
    forests : Forests
        With finite logits.
    Y : ndarray of shape (n, L)
        Complete label sets.

    Returns
    -------
    ndarray of shape (n, L)
        Entry (i, l) is the log-probability of row i's set with label l flipped.

    Examples
    --------
    >>> import numpy as np
    >>> forests = Forests.of(np.array([[[[0.0], [2.0]]]]), [[-1, -1]])
    >>> np.exp(flip_log_probs(np.zeros((1, 1)), forests, np.array([[1, 1]], dtype=np.int8))).round(3)
    array([[0.44, 0.06]])
    """
    n, K, L, _ = forests.logits.shape
    flips = np.empty((n, K, L))
    for k in range(K):
        flips[:, k] = _component(forests.logits[:, k].astype(np.float64), forests.parents[k], Y)
    return np.asarray(logsumexp(log_gate[:, :, None] + flips, axis=1))


def _component(z: Floats, parents: Labels, Y: Labels) -> Floats:
    """Compute the flips (n, L) under one forest with tables z (n, L, V)."""
    sign = 2.0 * Y - 1.0
    inner = np.flatnonzero(parents >= 0)
    above = Y[:, parents[inner]].astype(np.intp)
    own = z[:, :, 0].copy()
    own[:, inner] = np.take_along_axis(z[:, inner], above[:, :, None], axis=2)[:, :, 0]
    now = log_expit(sign * own)
    change = log_expit(-sign * own) - now
    if inner.size:
        otherwise = np.take_along_axis(z[:, inner], 1 - above[:, :, None], axis=2)[:, :, 0]
        np.add.at(change.T, parents[inner], (log_expit(sign[:, inner] * otherwise) - now[:, inner]).T)
    return np.asarray(now.sum(axis=1, keepdims=True) + change)
