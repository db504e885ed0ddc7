"""Draws of cascades, step by step for all rows at once."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.special import softmax

from setwise.arrays import Array, Floats, Labels

Scores = Callable[[Array, Array, Labels], Floats]
"""``scores(rows, sizes, chosen)`` (r, L): log scores of the next label of rows (r,), given the labels chosen (r, L)."""


def level_inclusions(scores: Scores, size_probs: Floats, points: Floats, angles: Floats) -> Floats:
    """Average the sets of draws, each with its last label replaced by that label's probabilities.

    Parameters
    ----------
    scores : Scores
    size_probs : ndarray of shape (n, L + 1)
    points : ndarray of shape (S, L + 1)
        Numbers between 0 and 1 of each draw: the first decides the size, the next ones a label each.
    angles : ndarray of shape (n, L + 1)
        What each row adds to them, modulo 1.

    Returns
    -------
    ndarray of shape (n, L)
    """
    (n, width), n_draws = size_probs.shape, len(points)
    numbers = points + angles[:, None]
    numbers = (numbers - (numbers >= 1.0)).reshape(n * n_draws, width)
    rows = np.repeat(np.arange(n), n_draws)
    sizes = _places(size_probs[rows], numbers[:, 0])
    chosen = np.zeros((len(rows), width - 1), np.int8)
    total = np.zeros((n, width - 1))
    for step in range(int(sizes.max(initial=0))):
        there = np.flatnonzero(sizes > step)
        values = np.where(chosen[there] == 1, -np.inf, scores(rows[there], sizes[there], chosen[there]))
        possible = (values > -np.inf).any(axis=1)
        there, shares = there[possible], np.asarray(softmax(values[possible], axis=1))
        last = sizes[there] == step + 1
        np.add.at(total, rows[there[last]], shares[last])
        drawn = there[~last]
        chosen[drawn, _places(shares[~last], numbers[drawn, step + 1])] = 1
    np.add.at(total, rows, chosen)
    return total / n_draws


def _places(shares: Floats, numbers: Floats) -> Array:
    """The first place (r,) of each row where the running sum of ``shares`` (r, m) exceeds its number of the sum."""
    ends = np.cumsum(shares, axis=1)
    beyond = ends > (numbers * ends[:, -1])[:, None]
    return np.where(beyond.any(axis=1), beyond.argmax(axis=1), (shares > 0).cumsum(axis=1).argmax(axis=1))
