"""Ridge regression of many targets on one design, by conjugate gradients on all targets side by side."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from setwise.arrays import Array, Floats
from setwise.learning.linear.design import Design

MAX_ITER = 200
TOL = 1e-8
PATH = (3.0, 1.0, 0.3, 0.1, 0.03, 0.01, 0.003)
"""Penalties to try, in units of the total variance of the columns."""


class RidgeFit(NamedTuple):
    """Coefficients (D, T) of the design's columns, and the penalty."""

    coef: Floats
    l2: float

    def scores(self, design: Design) -> Floats:
        """Predict the targets (n, T) of the rows of a design."""
        return np.asarray(design.scores(self.coef), dtype=np.float64)


def fit_ridge(design: Design, targets: Floats, weights: Floats, l2: float) -> RidgeFit:
    """Minimize  sum_i w_i (t_i - a_i' beta)^2 + l2 |beta|^2  for every target; the intercept is not penalized.

    Parameters
    ----------
    design : Design of n rows and D columns
    targets : ndarray of shape (n, T)
    weights : ndarray of shape (n,)
    l2 : float

    Returns
    -------
    RidgeFit

    Examples
    --------
    >>> import numpy as np
    >>> X = np.arange(6.0)[:, None]
    >>> design = Design(X)
    >>> fit = fit_ridge(design, 2.0 * X + 1.0, np.ones(6), l2=0.0)
    >>> design.to_features(fit.coef).coef.round(6)
    array([[2.]])
    """
    penalty = np.full((design.n_columns, 1), l2)
    penalty[design.intercept] = 0.0

    def product(coef: Floats) -> Floats:
        return design.gradient(weights[:, None] * design.scores(coef)) + penalty * coef

    start = np.zeros((design.n_columns, targets.shape[1]))
    start[design.intercept] = weights @ targets / weights.sum()
    rest = design.gradient(weights[:, None] * (targets - design.scores(start))) - penalty * start
    scale = (weights.sum() * design.mean_squares)[:, None] + penalty
    return RidgeFit(_conjugate_gradients(product, start, rest, np.maximum(scale, 1e-12)), l2)


def _conjugate_gradients(product: object, x: Floats, rest: Floats, scale: Floats) -> Floats:
    """Solve the normal equations of all columns, with the diagonal ``scale`` (D, 1) as preconditioner."""
    z = rest / scale
    direction, size = z.copy(), (rest * z).sum(axis=0)
    first = np.maximum(size, np.finfo(float).tiny)
    for _ in range(MAX_ITER):
        if (size <= TOL**2 * first).all():
            break
        image = product(direction)  # type: ignore[operator]
        step = size / np.maximum((direction * image).sum(axis=0), np.finfo(float).tiny)
        x = x + step * direction
        rest = rest - step * image
        z = rest / scale
        new = (rest * z).sum(axis=0)
        direction = z + new / np.maximum(size, np.finfo(float).tiny) * direction
        size = new
    return x


class HeldOut(NamedTuple):
    """Targets (n, T) predicted by regressions that have not seen the row's fold, and their penalty."""

    scores: Floats
    l2: float


def choose_ridge(
    design: Design, targets: Floats, weights: Floats, fold: Array | None, l2: float | str
) -> HeldOut:
    """Predict every row by regressions on the other folds, with a given penalty or that of the least squared error.

    Parameters
    ----------
    design : Design of n rows
    targets : ndarray of shape (n, T)
    weights : ndarray of shape (n,)
    fold : ndarray of shape (n,) or None
        None for too few rows: they are then predicted by a regression on all of them.
    l2 : float or "auto"

    Returns
    -------
    HeldOut
    """
    unit = max(design.total_variance, 1.0)
    penalties = [step * unit for step in PATH] if l2 == "auto" else [float(l2)]
    if fold is None:
        penalties = penalties[:1]
    tried = [HeldOut(_held_out(design, targets, weights, fold, penalty), penalty) for penalty in penalties]
    return min(tried, key=lambda t: float(weights @ ((t.scores - targets) ** 2).sum(axis=1)))


def _held_out(design: Design, targets: Floats, weights: Floats, fold: Array | None, l2: float) -> Floats:
    if fold is None:
        return fit_ridge(design, targets, weights, l2).scores(design)
    scores = np.empty(targets.shape)
    for f in np.unique(fold):
        inside, outside = np.flatnonzero(fold != f), np.flatnonzero(fold == f)
        fit = fit_ridge(design.take(inside), targets[inside], weights[inside], l2)
        scores[outside] = fit.scores(design.take(outside))
    return scores
