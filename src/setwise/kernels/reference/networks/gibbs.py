"""Gibbs sampling of label sets from linear full conditionals."""

from __future__ import annotations

import numpy as np

from setwise.arrays import Array, Floats, Labels
from setwise.kernels.checks import check_array, check_at_least, check_labels, check_places
from setwise.kernels.generic.gibbs_walk import gibbs_walk, linear_conditionals


def gibbs_linear(
    offsets: Floats,
    couplings: Floats,
    evidence: Labels,
    streams: Array,
    order: Array,
    n_burn_in: int,
    n_collect: int,
) -> tuple[Labels, Floats, Floats]:
    """Draw samples by walking chains; returns what :func:`setwise.kernels.generic.gibbs_walk.gibbs_walk` does.

    The logit of label l is ``offsets[i, l]`` plus ``couplings[j, l]`` times +1 or -1 for every other label j.
    ``evidence`` (n, L) clamps labels; ``streams`` (n,) are keys of the rows' random numbers, ``order`` (chains, L) the
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

    return gibbs_walk(linear_conditionals(offsets, couplings), evidence, streams, order, n_burn_in, n_collect)


def kept_shares(samples: Labels, scores: Floats, n_keep: int, min_labels: int) -> Floats:
    """Compute the share (n, L) of each label in the ``n_keep`` samples with the highest scores.

    Only ``samples`` (n, S, L) with at least ``min_labels`` labels count; without any, shares are zero.
    """
    check_labels("samples", samples, (None, None, None))
    check_array("scores", scores, np.float64, samples.shape[:2])
    ranked = np.where(samples.sum(axis=2, dtype=np.intp) >= min_labels, scores, -np.inf)
    kept = np.argsort(-ranked, axis=1, kind="stable")[:, :n_keep]
    weight = (np.take_along_axis(ranked, kept, axis=1) > -np.inf).astype(np.float64)
    states = np.take_along_axis(samples, kept[:, :, None], axis=1)
    return np.asarray(np.einsum("ns,nsl->nl", weight, states) / np.maximum(weight.sum(axis=1), 1.0)[:, None])
