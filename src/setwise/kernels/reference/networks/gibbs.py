"""Gibbs sampling of label sets from their full conditionals."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.special import expit, log_expit

from setwise.contract import Array, Floats, Labels
from setwise.kernels.reference.checks import check_array, check_at_least, check_labels, check_places
from setwise.random_bits import keys, uniforms


def gibbs_linear(
    offsets: Floats,
    couplings: Floats,
    evidence: Labels,
    streams: Array,
    order: Array,
    n_burn_in: int,
    n_collect: int,
) -> tuple[Labels, Floats, Floats]:
    """Samples (n, chains, S, L), logs of their products of conditionals (n, chains, S), and the mean over the
    samples of each label's conditional (n, chains, L).

    The logit of label l is ``offsets[i, l]`` plus ``couplings[j, l]`` times +1 or -1 for every other label j.
    ``evidence`` (n, L) clamps labels; ``streams`` (n,) are the rows' random numbers, ``order`` (chains, L) the
    orders in which labels are visited.
    """
    check_array("offsets", offsets, np.float64, (None, None))
    n, L = offsets.shape
    check_at_least("the number of labels (axis 1 of offsets)", L, 1)
    check_array("couplings", couplings, np.float64, (L, L))
    check_labels("evidence", evidence, (n, L), free=True)
    check_array("streams", streams, np.uint64, (n,))
    check_array("order", order, np.int32, (None, L))
    check_places("order", order, L)
    check_at_least("n_collect", n_collect, 1)

    def logits(label: int, state: Labels) -> Floats:
        return np.asarray(offsets[:, label] + (2.0 * state - 1.0) @ couplings[:, label])

    return gibbs_walk(logits, evidence, streams, order, n_burn_in, n_collect)


def gibbs_walk(
    logits: Callable[[int, Labels], Floats],
    evidence: Labels,
    streams: Array,
    order: Array,
    n_burn_in: int,
    n_collect: int,
) -> tuple[Labels, Floats, Floats]:
    """The same with any conditionals: ``logits(label, state)`` (n,) given states (n, L) of all rows."""
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


def kept_shares(samples: Labels, scores: Floats, n_keep: int, min_labels: int) -> Floats:
    """Share (n, L) of each label in the ``n_keep`` states of ``samples`` (n, S, L) with the highest scores (n, S),
    among those with at least ``min_labels`` labels; zero where there is none.
    """
    check_labels("samples", samples, (None, None, None))
    check_array("scores", scores, np.float64, samples.shape[:2])
    ranked = np.where(samples.sum(axis=2, dtype=np.intp) >= min_labels, scores, -np.inf)
    kept = np.argsort(-ranked, axis=1, kind="stable")[:, :n_keep]
    weight = (np.take_along_axis(ranked, kept, axis=1) > -np.inf).astype(np.float64)
    states = np.take_along_axis(samples, kept[:, :, None], axis=1)
    return np.asarray(np.einsum("ns,nsl->nl", weight, states) / np.maximum(weight.sum(axis=1), 1.0)[:, None])
