"""Chains of labels forwards: the probability of given sets, and draws, level by level for all rows at once."""

from __future__ import annotations

import numpy as np
from scipy.special import expit, log_expit

from setwise.contract import FREE, Floats, Labels
from setwise.kernels.reference.chains.linear import Logits, linear_logits
from setwise.kernels.reference.checks import check_array, check_chain, check_labels


def chain_log_prob(offsets: Floats, coupling: Floats, sets: Labels) -> Floats:
    """Log-probability (n, S) of the sets (n, S, L) under linear chains."""
    n, L = check_chain(offsets, coupling)
    check_labels("sets", sets, (n, None, L))
    logits = offsets[:, None, :] + sets @ np.triu(coupling, 1)
    return np.asarray(log_expit(np.where(sets == 1, logits, -logits)).sum(axis=2))


def chain_sample(
    offsets: Floats, coupling: Floats, evidence: Labels, uniforms: Floats
) -> tuple[Labels, Floats, Floats]:
    """Draws (n, S, L), the log weight (n, S) of the evidence along each, and mean probabilities (n, L)."""
    n, L = check_chain(offsets, coupling)
    check_labels("evidence", evidence, (n, L), free=True)
    check_array("uniforms", uniforms, np.float64, (n, None, L))
    return level_sample(linear_logits(offsets, coupling), evidence, uniforms)


def level_sample(logits: Logits, evidence: Labels, uniforms: Floats) -> tuple[Labels, Floats, Floats]:
    """Draws along any chain: one uniform number (n, S, L) decides each label that was not observed."""
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
