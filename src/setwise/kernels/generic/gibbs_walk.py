"""Gibbs sampling of label sets from any full conditionals, for all rows at once."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.special import expit, log_expit

from setwise.arrays import Array, Floats, Labels
from setwise.random_bits import keys, uniforms

FullConditionals = Callable[[int, Labels], Floats]
"""``logits(label, state)`` (n,) of one label given the states (n, L) of the others."""


def linear_conditionals(offsets: Floats, couplings: Floats) -> FullConditionals:
    """Build the logits ``offsets[i, l]`` plus ``couplings[j, l]`` times +1 or -1 for every other label j."""
    return lambda label, state: np.asarray(offsets[:, label] + (2.0 * state - 1.0) @ couplings[:, label])


def gibbs_walk(
    logits: FullConditionals,
    evidence: Labels,
    streams: Array,
    order: Array,
    n_burn_in: int,
    n_collect: int,
) -> tuple[Labels, Floats, Floats]:
    """Walk ``len(order)`` chains for each row and collect the last ``n_collect`` states of each.

    Parameters
    ----------
    logits : FullConditionals
    evidence : ndarray of shape (n, L)
        Labels that are 0 or 1 are kept.
    streams : ndarray of uint64 of shape (n,)
        Keys of the rows' random numbers.
    order : ndarray of shape (chains, L)
        The order in which each chain visits the labels.
    n_burn_in, n_collect : int
        Sweeps that are thrown away, and sweeps that are kept.

    Returns
    -------
    samples : ndarray of shape (n, chains, n_collect, L)
    scores : ndarray of shape (n, chains, n_collect)
        Log of the product of the conditionals of each sample.
    probs : ndarray of shape (n, chains, L)
        Mean over the samples of each label's conditional.
    """
    n, L = evidence.shape
    samples = np.empty((n, len(order), n_collect, L), np.int8)
    scores, probs = np.empty(samples.shape[:3]), np.zeros((n, len(order), L))
    for c, labels in enumerate(order):
        stream = keys(streams, c + 1)
        state = np.where(evidence < 0, uniforms(keys(stream, 1), L) < 0.5, evidence).astype(np.int8)
        for sweep in range(n_burn_in + n_collect):
            u = uniforms(keys(stream, sweep + 2), L)
            level = np.log(u / (1.0 - u))
            for label in labels:
                on = logits(label, state) > level[:, label]
                state[:, label] = np.where(evidence[:, label] < 0, on, evidence[:, label])
            if sweep >= n_burn_in:
                samples[:, c, sweep - n_burn_in] = state
                z = np.stack([logits(label, state) for label in range(L)], axis=1)
                scores[:, c, sweep - n_burn_in] = log_expit(np.where(state == 1, z, -z)).sum(axis=1)
                probs[:, c] += expit(z) / n_collect
    return samples, scores, probs
