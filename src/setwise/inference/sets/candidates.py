"""The best distinct sets among candidates that may repeat."""

from __future__ import annotations

import numpy as np

from setwise.contract import FREE, Floats, Labels

ROUNDING = 1e-15
"""Rounding error of a sum of probabilities: a smaller remainder is indistinguishable from zero."""


def best_distinct(sets: Labels, log_prob: Floats, k: int) -> tuple[Labels, Floats]:
    """Select the ``k`` most probable of some sets, each once, best first.

    Parameters
    ----------
    sets : ndarray of shape (n, S, L)
        Candidates, which may repeat.
    log_prob : ndarray of shape (n, S)
    k : int

    Returns
    -------
    labels : ndarray of shape (n, k, L)
        :data:`FREE` if a row has fewer than ``k`` different sets.
    log_prob : ndarray of shape (n, k)
        -inf if a row has fewer.

    Examples
    --------
    >>> import numpy as np
    >>> sets = np.array([[[0, 1], [1, 1], [0, 1]]], dtype=np.int8)
    >>> best_distinct(sets, np.array([[-1.0, -2.0, -1.0]]), 3)[0]
    array([[[ 0,  1],
            [ 1,  1],
            [-1, -1]]], dtype=int8)
    """
    n, n_sets, L = sets.shape
    packed = np.packbits(sets == 1, axis=2)
    value = log_prob.copy()
    for s in range(1, n_sets):
        same = (packed[:, :s] == packed[:, s : s + 1]).all(axis=2) & (value[:, :s] > -np.inf)
        value[same.any(axis=1), s] = -np.inf
    order = np.argsort(-value, axis=1, kind="stable")[:, :k]
    labels, best = np.full((n, k, L), FREE, dtype=np.int8), np.full((n, k), -np.inf)
    found = order.shape[1]
    best[:, :found] = np.take_along_axis(value, order, axis=1)
    labels[:, :found] = np.take_along_axis(sets, order[:, :, None], axis=1)
    labels[best == -np.inf] = FREE
    return labels, best
