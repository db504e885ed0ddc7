"""Linear rankings of the labels with a large margin: the labels of a row before all others (RankSVM).

Elisseeff and Weston, "A kernel method for multi-labelled classification", NIPS 2001: with scores s_l = w_l' x + b_l,

    minimize  1/2 sum_l |w_l|^2 + C sum_i 1 / (|Y_i| |not Y_i|) sum_{k in Y_i, l not in Y_i} loss(s_ik - s_il)

Here the loss is the squared hinge, max(0, 1 - margin)^2: the problem is smooth, and solved in the primal. Sorted scores
give the loss of all pairs of a row and its slope in O(L log L).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.optimize import minimize

from setwise.arrays import Array, Floats, Labels
from setwise.learning.linear.design import Design

MAX_ITER = 500
GRID = (0.1, 1.0, 10.0, 100.0)
"""Values of C to try, on rows of mean squared length one."""


class PairLoss(NamedTuple):
    """The loss (n,) of each row's pairs, and its derivative (n, L) by the scores."""

    loss: Floats
    slope: Floats


def pair_loss(scores: Floats, Y: Labels) -> PairLoss:
    """Compute the mean squared hinge loss of the pairs of a label that is on and one that is off.

    Parameters
    ----------
    scores : ndarray of shape (n, L)
    Y : ndarray of shape (n, L)

    Returns
    -------
    PairLoss
        Zero for rows without labels, or with all of them.

    Examples
    --------
    >>> import numpy as np
    >>> pair_loss(np.array([[2.0, 0.5, 1.5]]), np.array([[1, 0, 0]])).loss
    array([0.125])
    """
    on = Y == 1
    off = ~on
    n_pairs = np.maximum(on.sum(axis=1) * off.sum(axis=1), 1)[:, None]
    # A pair loses if the score of the label that is on, minus one, is below that of the label that is off.
    place = np.where(on, scores - 1.0, scores)
    order = np.argsort(-place, axis=1, kind="stable")
    place = np.take_along_axis(place, order, axis=1)
    is_on = np.take_along_axis(on, order, axis=1)
    above, below = _sums(place, ~is_on), _sums(place[:, ::-1], is_on[:, ::-1])
    of_on = above.number * place**2 - 2.0 * place * above.first + above.second
    slope_on = -2.0 * (above.first - above.number * place)
    slope_off = 2.0 * (below.number[:, ::-1] * place - below.first[:, ::-1])
    slope = np.empty_like(scores)
    np.put_along_axis(slope, order, np.where(is_on, slope_on, slope_off), axis=1)
    return PairLoss(np.where(is_on, of_on, 0.0).sum(axis=1) / n_pairs[:, 0], slope / n_pairs)


class _Sums(NamedTuple):
    number: Floats
    first: Floats
    second: Floats


def _sums(values: Floats, counted: Array) -> _Sums:
    """Sums (n, L) of the powers of the counted values up to each place."""
    return _Sums(*(np.cumsum(np.where(counted, values**power, 0.0), axis=1) for power in range(3)))


def fit_ranking(design: Design, Y: Labels, weights: Floats, C: float, start: Floats | None = None) -> Floats:
    """Minimize the regularized loss of all pairs by L-BFGS.

    Parameters
    ----------
    design : Design of n rows and D columns
    Y : ndarray of shape (n, L)
    weights : ndarray of shape (n,)
    C : float
        Weight of the losses, on rows of mean squared length one.

    Returns
    -------
    ndarray of shape (D, L)
        Coefficients of the design.
    """
    if Y.shape[1] == 1:  # A single label is ranked against its absence.
        both = fit_ranking(design, np.hstack([Y, 1 - Y]), weights, C)
        return both[:, :1] - both[:, 1:]
    shape = design.n_columns, Y.shape[1]
    l2 = np.full((design.n_columns, 1), max(design.total_variance, 1.0) / C)
    l2[design.intercept] = 0.0

    def objective(flat: Floats) -> tuple[float, Floats]:
        coef = flat.reshape(shape)
        pairs = pair_loss(np.asarray(design.scores(coef), dtype=np.float64), Y)
        gradient = design.gradient(weights[:, None] * pairs.slope) + l2 * coef
        return float(weights @ pairs.loss + 0.5 * (l2 * coef**2).sum()), gradient.ravel()

    found = minimize(
        objective, np.zeros(shape).ravel(), jac=True, method="L-BFGS-B", options={"maxiter": MAX_ITER}
    )
    coef: Floats = found.x.reshape(shape)
    # Only differences of the intercepts matter.
    coef[design.intercept] -= coef[design.intercept].mean()
    return coef


def held_out_scores(design: Design, Y: Labels, weights: Floats, fold: Array, C: float) -> Floats:
    """Score rows (n, L) by rankings that have not seen their fold."""
    scores = np.empty(Y.shape)
    for f in np.unique(fold):
        inside, outside = np.flatnonzero(fold != f), np.flatnonzero(fold == f)
        coef = fit_ranking(design.take(inside), Y[inside], weights[inside], C)
        scores[outside] = design.take(outside).scores(coef)
    return scores


def ranking_loss(scores: Floats, Y: Labels, weights: Floats) -> float:
    """Compute the mean share of a row's pairs in the wrong order; ties count half.

    Examples
    --------
    >>> import numpy as np
    >>> ranking_loss(np.array([[2.0, 0.5, 2.5]]), np.array([[1, 0, 0]]), np.ones(1))
    0.5
    """
    total = np.zeros(len(Y))
    for label in range(Y.shape[1]):
        ahead = scores - scores[:, [label]]
        wrong = ((Y == 0) * ((ahead > 0) + 0.5 * (ahead == 0))).sum(axis=1)
        total += np.where(Y[:, label] == 1, wrong, 0.0)
    n_pairs = np.maximum(Y.sum(axis=1) * (Y.shape[1] - Y.sum(axis=1)), 1)
    return float(weights @ (total / n_pairs) / weights.sum())


def best_thresholds(scores: Floats, Y: Labels) -> Floats:
    """Find the threshold (n,) of each row that separates its labels from the others best.

    It minimizes the summed distances of the labels on the wrong side: the middle between two neighbouring scores, with
    as many labels above as the row has. Elisseeff and Weston count the labels on the wrong side instead; their
    threshold jumps as soon as two scores change places, this one moves with the scores.

    Examples
    --------
    >>> import numpy as np
    >>> best_thresholds(np.array([[2.0, 0.5, 1.5]]), np.array([[1, 0, 0]]))
    array([1.75])
    """
    ranked = -np.sort(-scores, axis=1)
    ends = np.hstack([ranked[:, :1] + 1.0, ranked, ranked[:, -1:] - 1.0])
    rows, above = np.arange(len(scores)), (Y == 1).sum(axis=1)
    return np.asarray(0.5 * (ends[rows, above] + ends[rows, above + 1]))
