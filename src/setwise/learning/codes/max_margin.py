"""Maximum-margin output coding: a metric of label vectors under which the right one is nearest to its prediction.

Zhang and Schneider, "Maximum margin output coding", ICML 2012. With predictions m_i of the label vectors y_i by linear
regression, a positive semidefinite matrix Q is to satisfy, for every other vector y,

    (y - m_i)' Q (y - m_i)  >=  (y_i - m_i)' Q (y_i - m_i) + |y - y_i|_1 - slack_i

while |Q|^2 / (2 C) plus the mean slack is smallest. The codes are the columns of V with Q = V V'. As in the paper the
vectors y range over the whole box [0, 1]^L, so that the most violated one is the solution of a concave problem. The
objective is convex in Q; instead of cutting planes it is minimized by projected gradients with steps of Barzilai and
Borwein.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from setwise.arrays import Floats

MAX_ITER = 200
TOL = 1e-6
SWEEPS = 50
MEMORY = 5
"""A step is accepted if the objective is below the largest of this many before."""


class Codes(NamedTuple):
    """Columns ``vectors`` (L, k) of the code, the matrix ``metric`` (L, L), and the ``objective`` reached."""

    vectors: Floats
    metric: Floats
    objective: float


def fit_codes(Y: Floats, predicted: Floats, weights: Floats, C: float) -> Codes:
    """Learn the code.

    Parameters
    ----------
    Y : ndarray of shape (n, L)
    predicted : ndarray of shape (n, L)
        Predictions of the labels, best by regressions that have not seen the row.
    weights : ndarray of shape (n,)
    C : float
        Weight of the mean slack.

    Returns
    -------
    Codes
    """
    metric, value = _minimize(Y, predicted, weights / weights.sum(), C)
    values, vectors = np.linalg.eigh(metric)
    kept = values > 1e-6 * max(values[-1], 1e-12)
    code = vectors[:, kept] * np.sqrt(values[kept])
    # The sign of an eigenvector is arbitrary: its largest entry is made positive.
    largest = np.take_along_axis(code, np.abs(code).argmax(axis=0)[None], axis=0)
    return Codes(np.ascontiguousarray((code * np.sign(largest))[:, ::-1]), metric, value)


def _minimize(Y: Floats, predicted: Floats, share: Floats, C: float) -> tuple[Floats, float]:
    metric = np.eye(Y.shape[1])
    value, gradient = objective(metric, Y, predicted, share, C)
    history, step = [value], 1.0
    for _ in range(MAX_ITER):
        direction = nearest_semidefinite(metric - step * gradient) - metric
        if np.abs(direction).max() < TOL * max(step, TOL) * max(1.0, np.abs(metric).max()):
            break
        slope, length = float((direction * gradient).sum()), 1.0
        while True:
            found = objective(metric + length * direction, Y, predicted, share, C)
            if found[0] <= max(history[-MEMORY:]) + 1e-4 * length * slope or length < 1e-6:
                break
            length *= 0.5
        if length < 1e-6:
            break
        change = found[1] - gradient
        moved = length * direction
        curvature = float((moved * change).sum())
        step = float(np.clip((moved**2).sum() / curvature, 1e-4, 1e4)) if curvature > 0 else 1e4
        metric, (value, gradient) = metric + moved, found
        history.append(value)
        if len(history) > MEMORY and max(history[-MEMORY - 1 :]) - value < 1e-10 * max(1.0, abs(value)):
            break
    return metric, value


def objective(metric: Floats, Y: Floats, predicted: Floats, share: Floats, C: float) -> tuple[float, Floats]:
    """Compute |Q|^2 / (2 C) plus the mean slack, and the gradient by Q.

    Parameters
    ----------
    metric : ndarray of shape (L, L)
        Q, positive semidefinite.
    Y, predicted : ndarray of shape (n, L)
    share : ndarray of shape (n,)
        Weights that sum to one.
    C : float

    Returns
    -------
    tuple of (float, ndarray of shape (L, L))
    """
    right, wrong = Y - predicted, most_violated(metric, Y, predicted) - predicted
    gap = np.einsum("nl,nl->n", right @ metric, right) - np.einsum("nl,nl->n", wrong @ metric, wrong)
    slack = gap + np.abs(wrong - right).sum(axis=1)
    gradient = right.T @ (share[:, None] * right) - wrong.T @ (share[:, None] * wrong) + metric / C
    return float(share @ slack) + 0.5 * float((metric**2).sum()) / C, gradient


def most_violated(metric: Floats, Y: Floats, predicted: Floats) -> Floats:
    """Find the vectors (n, L) of the box that violate the margin most, by coordinate ascent.

    Examples
    --------
    >>> import numpy as np
    >>> most_violated(np.eye(2), np.array([[1.0, 0.0]]), np.array([[0.9, 0.3]]))
    array([[0.4, 0.8]])
    """
    away = 1.0 - 2.0 * Y
    worst = np.array(Y, dtype=np.float64)
    offset = (worst - predicted) @ metric
    for _ in range(SWEEPS):
        largest = 0.0
        for label in range(Y.shape[1]):
            curvature = max(metric[label, label], 1e-12)
            slope = 0.5 * away[:, label] - offset[:, label]
            new = np.clip(worst[:, label] + slope / curvature, 0.0, 1.0)
            move = new - worst[:, label]
            worst[:, label] = new
            offset += move[:, None] * metric[label]
            largest = max(largest, float(np.abs(move).max(initial=0.0)))
        if largest < 1e-9:
            break
    return worst


def nearest_semidefinite(matrix: Floats) -> Floats:
    """Project a symmetric matrix to the positive semidefinite ones."""
    values, vectors = np.linalg.eigh(0.5 * (matrix + matrix.T))
    return np.asarray((vectors * np.maximum(values, 0.0)) @ vectors.T)
