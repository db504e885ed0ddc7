"""The structure of a pairwise field by L1-regularized pseudo-likelihood, as in MLCRF.

Pakdaman Naeini, Batal, Liu, Hong and Hauskrecht, "An optimization-based framework to learn conditional random fields
for multi-label classification", SDM 2014: the pseudo-likelihood of all labels, each given the others, is maximized with
an L1 penalty on the couplings, by fast proximal gradients; the pairs whose coupling is not zero are the structure. The
parameters are then learned again without the L1 penalty.
"""

from __future__ import annotations

import numpy as np
from scipy.special import expit

from setwise.arrays import Array, Floats, Labels
from setwise.learning.linear.design import Design

MAX_ITER = 500
TOL = 1e-5
GRID = (0.05, 0.02, 0.01, 0.005, 0.002)
"""Values of the L1 penalty to try."""


def sparse_pairs(
    design: Design, Y: Labels, weights: Floats, l1: float | str, l2: float, fold: Array | None
) -> Array:
    """Find the pairs of labels with a coupling under an L1 penalty.

    Parameters
    ----------
    design : Design of n rows
        Of the features alone.
    Y : ndarray of shape (n, L)
    weights : ndarray of shape (n,)
    l1 : float or "auto"
        Penalty of the absolute couplings of labels as -1/+1, per unit of row weight; "auto" chooses the one with the
        largest pseudo-likelihood of held-out rows.
    l2 : float
        Penalty of the features' coefficients.
    fold : ndarray of shape (n,) or None
        The first fold is held out; None for too few rows.

    Returns
    -------
    ndarray of shape (P, 2)
    """
    if l1 == "auto":
        l1 = GRID[0] if fold is None else _choose_l1(design, Y, weights, l2, fold)
    coupling = sparse_field(design, Y, weights, float(l1), l2)[1]
    return np.column_stack(np.nonzero(np.triu(coupling, 1)))


def _choose_l1(design: Design, Y: Labels, weights: Floats, l2: float, fold: Array) -> float:
    inside, outside = np.flatnonzero(fold != 0), np.flatnonzero(fold == 0)
    held_out = _Problem(design.take(outside), Y[outside], weights[outside], l2)
    losses = {}
    for l1 in GRID:
        losses[l1] = held_out.loss(*sparse_field(design.take(inside), Y[inside], weights[inside], l1, l2))
    return min(losses, key=lambda l1: losses[l1])


def sparse_field(design: Design, Y: Labels, weights: Floats, l1: float, l2: float) -> tuple[Floats, Floats]:
    """Maximize the penalized pseudo-likelihood by fast proximal gradients (FISTA).

    Parameters
    ----------
    design, Y, weights, l1, l2
        As in :func:`sparse_pairs`.

    Returns
    -------
    coef : ndarray of shape (D, L)
    couplings : ndarray of shape (L, L)
        Symmetric, of labels as -1/+1.
    """
    problem = _Problem(design, Y, weights, l2)
    step = 1.0 / problem.largest_curvature()
    point = ahead = problem.start()
    momentum = 1.0
    for _ in range(MAX_ITER):
        gradient = problem.gradient(*ahead)
        coef = ahead[0] - step * gradient[0]
        coupling = _shrink(ahead[1] - step * gradient[1], step * l1 * weights.sum())
        faster = 0.5 * (1.0 + np.sqrt(1.0 + 4.0 * momentum**2))
        pace = (momentum - 1.0) / faster
        ahead = coef + pace * (coef - point[0]), coupling + pace * (coupling - point[1])
        change = max(np.abs(coef - point[0]).max(), np.abs(coupling - point[1]).max(initial=0.0))
        point, momentum = (coef, coupling), faster
        if change < TOL:
            break
    return point


def _shrink(values: Floats, amount: float) -> Floats:
    return np.asarray(np.sign(values) * np.maximum(np.abs(values) - amount, 0.0))


class _Problem:
    """The pseudo-likelihood of the rows: scores of the features and symmetric couplings of labels as -1/+1."""

    def __init__(self, design: Design, Y: Labels, weights: Floats, l2: float) -> None:
        self.design, self.Y, self.weights = design, Y, weights[:, None]
        self.signs = 2.0 * Y - 1.0
        self.l2 = np.full((design.n_columns, 1), l2)
        self.l2[design.intercept] = 0.0

    def start(self) -> tuple[Floats, Floats]:
        L = self.Y.shape[1]
        coef = np.zeros((self.design.n_columns, L))
        share = (self.weights.T @ self.Y + 0.5)[0] / (self.weights.sum() + 1.0)
        coef[self.design.intercept] = np.log(share) - np.log1p(-share)
        return coef, np.zeros((L, L))

    def loss(self, coef: Floats, coupling: Floats) -> float:
        """Compute the negative pseudo-likelihood without penalties."""
        logits = self.design.scores(coef) + self.signs @ coupling
        return float((self.weights * np.logaddexp(0.0, -self.signs * logits)).sum())

    def gradient(self, coef: Floats, coupling: Floats) -> tuple[Floats, Floats]:
        """Gradients of the negative pseudo-likelihood; a pair's coupling occurs in the regressions of both labels."""
        residual = self.weights * (expit(self.design.scores(coef) + self.signs @ coupling) - self.Y)
        of_pairs = self.signs.T @ residual
        of_pairs = of_pairs + of_pairs.T
        np.fill_diagonal(of_pairs, 0.0)
        return self.design.gradient(residual) + self.l2 * coef, of_pairs

    def largest_curvature(self) -> float:
        """Bound the curvature: a quarter of the largest eigenvalue of the columns, by power iterations."""
        vector = np.random.default_rng(0).normal(size=(self.design.n_columns, 1))
        for _ in range(20):
            vector = self.design.gradient(self.weights * self.design.scores(vector))
            size = float(np.linalg.norm(vector))
            vector /= max(size, 1e-12)
        of_labels = float(np.linalg.eigvalsh((self.weights * self.signs).T @ self.signs)[-1])
        return 0.25 * (1.1 * size + 4.0 * of_labels) + float(self.l2.max())
