"""Linear chains: the probability of given sets, and draws."""

from __future__ import annotations

import numpy as np
from scipy.special import log_expit

from setwise.arrays import Floats, Labels
from setwise.kernels.checks import check_array, check_at_least, check_chain, check_labels
from setwise.kernels.generic.chain_draws import level_means, level_sample, linear_logits


def chain_log_prob(offsets: Floats, coupling: Floats, sets: Labels) -> Floats:
    """Compute the log-probability (n, S) of the sets (n, S, L) under linear chains."""
    n, L = check_chain(offsets, coupling)
    check_labels("sets", sets, (n, None, L))
    logits = offsets[:, None, :] + sets @ np.triu(coupling, 1)
    return np.asarray(log_expit(np.where(sets == 1, logits, -logits)).sum(axis=2))


def chain_sample(
    offsets: Floats, coupling: Floats, evidence: Labels, uniforms: Floats
) -> tuple[Labels, Floats, Floats]:
    """Draw sets (n, S, L); also the log weight (n, S) of the evidence along each, and mean probabilities (n, L)."""
    n, L = check_chain(offsets, coupling)
    check_labels("evidence", evidence, (n, L), free=True)
    check_array("uniforms", uniforms, np.float64, (n, None, L))
    return level_sample(linear_logits(offsets, coupling), evidence, uniforms)


def chain_means(
    offsets: Floats, coupling: Floats, evidence: Labels, points: Floats, angles: Floats
) -> Floats:
    """Mean probabilities (n, L) along draws that ``points`` (S, L), turned by ``angles`` (n, L), decide."""
    n, L = check_chain(offsets, coupling)
    check_labels("evidence", evidence, (n, L), free=True)
    check_array("points", points, np.float64, (None, L))
    check_array("angles", angles, np.float64, (n, L))
    check_at_least("the number of draws (axis 0 of points)", len(points), 1)
    return level_means(linear_logits(offsets, coupling), evidence, points, angles)
