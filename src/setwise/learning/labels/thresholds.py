"""Thresholds of probabilities that maximize the F1 of rows that the model has not seen."""

from __future__ import annotations

import numpy as np
from scipy.special import expit, logit

from setwise.contract import Array, Floats, Labels

SMALLEST = 1e-9
"""Thresholds stay this far away from 0 and 1."""


def shrunken_thresholds(p: Floats, Y: Labels, weights: Floats, shrinkage: float) -> Floats:
    """The best thresholds of columns, drawn towards those that the probabilities alone suggest.

    The logit of the threshold is a mean of both, weighted by the rows that have the label and by ``shrinkage``.

    Parameters
    ----------
    p : ndarray of shape (n, L)
        Probabilities of rows that were held out.
    Y : ndarray of shape (n, L)
        Their labels.
    weights : ndarray of shape (n,)
    shrinkage : float

    Returns
    -------
    ndarray of shape (L,)
        1 for a label that no row has, which is then never answered.

    Examples
    --------
    >>> import numpy as np
    >>> p = np.array([[0.1], [0.2], [0.4], [0.3]])
    >>> y = np.array([[0], [1], [1], [0]])
    >>> [round(float(shrunken_thresholds(p, y, np.ones(4), s)[0]), 2) for s in (0.0, 2.0, 1e9)]
    [0.15, 0.2, 0.25]
    """
    tuned, suggested = best_thresholds(p, Y, weights), best_thresholds(p, p, weights)
    rows = weights @ Y
    share = np.divide(rows, rows + shrinkage, out=np.zeros(len(rows)), where=rows > 0)
    both = [logit(np.clip(t, SMALLEST, 1.0 - SMALLEST)) for t in (tuned, suggested)]
    drawn = expit(share * both[0] + (1.0 - share) * both[1])
    return np.where(rows > 0, drawn, 1.0)


def best_thresholds(p: Floats, Y: Array, weights: Floats) -> Floats:
    """The thresholds of columns with the largest F1 = 2 TP / (true + answered).

    Parameters
    ----------
    p : ndarray of shape (n, L)
        Probabilities.
    Y : ndarray of shape (n, L)
        True labels, or their expectations: with ``Y = p`` this is the threshold of a calibrated model.
    weights : ndarray of shape (n,)

    Returns
    -------
    ndarray of shape (L,)
        Halfway between the last probability answered and the next one.

    Examples
    --------
    >>> import numpy as np
    >>> best_thresholds(np.array([[0.1], [0.2], [0.4], [0.3]]), np.array([[0], [1], [1], [0]]), np.ones(4))
    array([0.15])
    """
    order = np.argsort(-p, axis=0, kind="stable")
    ranked, w = np.take_along_axis(p, order, axis=0), weights[order]
    both = (w * np.take_along_axis(Y, order, axis=0)).cumsum(axis=0)
    score = 2.0 * both / (both[-1] + w.cumsum(axis=0))
    following = np.concatenate([ranked[1:], np.zeros((1, p.shape[1]))])
    score[ranked == following] = -np.inf  # equal probabilities are answered together
    best, column = score.argmax(axis=0), np.arange(p.shape[1])
    return np.asarray((ranked[best, column] + following[best, column]) / 2.0)


def jackknife(estimates: Floats) -> Floats:
    """Standard error (L,) of an estimate, from those (k, L) that each leave out one of k folds.

    Examples
    --------
    >>> import numpy as np
    >>> jackknife(np.array([[0.1], [0.3]]))
    array([0.1])
    """
    k = len(estimates)
    return np.asarray(np.sqrt((k - 1.0) / k * ((estimates - estimates.mean(axis=0)) ** 2).sum(axis=0)))
