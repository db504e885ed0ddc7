"""Draws along a chain of labels, level by level for all rows at once."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.special import expit, log_expit

from setwise.arrays import FREE, Array, Floats, Labels

Logits = Callable[[int, Array, Labels], Floats]
"""``logits(position, rows, prefix)`` (m,), called once a level for rows (m,) and their earlier labels (m, position)."""


def linear_logits(offsets: Floats, coupling: Floats) -> Logits:
    """Build the logits of linear chains: ``offsets`` of the row plus the ``coupling`` of earlier labels that are on."""
    return lambda position, rows, prefix: np.asarray(
        offsets[rows, position] + prefix @ coupling[:position, position]
    )


def level_sample(logits: Logits, evidence: Labels, uniforms: Floats) -> tuple[Labels, Floats, Floats]:
    """Draw sets along a chain: one uniform number (n, S, L) decides each label that was not observed.

    Parameters
    ----------
    logits : Logits
    evidence : ndarray of shape (n, L)
        Labels that are 0 or 1 are kept.
    uniforms : ndarray of shape (n, S, L)

    Returns
    -------
    draws : ndarray of shape (n, S, L)
    log_weight : ndarray of shape (n, S)
        Log-probability of the evidence along each draw.
    means : ndarray of shape (n, L)
        Mean of P(y_j = 1 | earlier draws).
    """
    n, n_draws, L = uniforms.shape
    draws = np.zeros((n * n_draws, L), dtype=np.int8)
    weight, means = np.zeros(n * n_draws), np.zeros((n, L))
    rows = np.repeat(np.arange(n), n_draws)
    for j in range(L):
        z = logits(j, rows, draws[:, :j])
        observed, p = evidence[rows, j], expit(z)
        free = observed == FREE
        draws[:, j] = np.where(free, uniforms[:, :, j].ravel() < p, observed)
        weight += np.where(free, 0.0, log_expit(np.where(observed == 1, z, -z)))
        means[:, j] = np.where(free, p, observed).reshape(n, n_draws).mean(axis=1)
    return draws.reshape(n, n_draws, L), weight.reshape(n, n_draws), means


def level_means(logits: Logits, evidence: Labels, points: Floats, angles: Floats) -> Floats:
    """Compute the means of :func:`level_sample` for numbers that rows share.

    Parameters
    ----------
    logits : Logits
    evidence : ndarray of shape (n, L)
        Labels that are 0 or 1 are kept.
    points : ndarray of shape (S, L)
        Numbers between 0 and 1 of each draw.
    angles : ndarray of shape (n, L)
        What each row adds to them, modulo 1.

    Returns
    -------
    ndarray of shape (n, L)
    """
    numbers = points + angles[:, None]
    return level_sample(logits, evidence, numbers - (numbers >= 1.0))[2]
