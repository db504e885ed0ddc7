"""Pairs of labels: all of them, those that depend on each other, and their adjacency matrix."""

from __future__ import annotations

import numpy as np

from setwise.arrays import Array, Bools, Floats


def adjacency(pairs: Array, n_labels: int) -> Bools:
    """Make the symmetric matrix (L, L) of ``pairs`` (P, 2)."""
    near = np.zeros((n_labels, n_labels), dtype=np.bool_)
    near[pairs[:, 0], pairs[:, 1]] = near[pairs[:, 1], pairs[:, 0]] = True
    return near


def all_pairs(n_labels: int) -> Array:
    """List every pair (P, 2) of labels, the smaller first."""
    return np.column_stack(np.triu_indices(n_labels, 1))


def dependent_pairs(residual: Floats, probabilities: Floats, weights: Floats | None) -> Array:
    """Find the pairs of labels that depend on each other given the features, by a score test of their coupling.

    A pair is kept if its coupling would improve the likelihood by more than BIC's penalty, the log of the number of
    rows.

    Parameters
    ----------
    residual : ndarray of shape (n, L)
        Y - P of independent labels on held-out rows.
    probabilities : ndarray of shape (n, L)
        P on held-out rows.
    weights : ndarray of shape (n,) or None

    Returns
    -------
    ndarray of shape (P, 2)
    """
    w = np.ones(len(residual)) if weights is None else weights
    information = (w[:, None] * probabilities * (1.0 - probabilities)).T @ (
        probabilities * (1.0 - probabilities)
    )
    score = (w[:, None] * residual).T @ residual
    statistic = score**2 / np.maximum(information, 1e-12)
    pairs = all_pairs(residual.shape[1])
    return pairs[statistic[pairs[:, 0], pairs[:, 1]] > np.log(max(w.sum(), 2.0))]
