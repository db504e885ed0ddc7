"""Beam search over the sets of a cascade: keeps the best partial sets of each level and merges orders of one set.

The paper's conclusion asks for it: several sets with their scores at little added cost. Orders that the beam drops are
missing from a set's probability, which is then a lower bound. All sets not found share the remaining probability.
"""

from __future__ import annotations

import numpy as np

from setwise.blocks import row_slices
from setwise.contract import FREE, Array, Floats, Labels, TopK
from setwise.inference.cascades.cascade import Steps, allowed_labels, log_sizes_given, next_log_probs
from setwise.inference.cascades.orders import log_prob_given_size
from setwise.inference.sets.candidates import ROUNDING

MAX_SIZES = 6
"""Sizes of a row that are searched, the most probable ones."""
BLOCK_ARRAYS = 2
"""Arrays of a score for each open set and label that a level holds at a time."""


def beam(
    steps: Steps, log_sizes: Floats, evidence: Labels, k: int, *, min_labels: int = 0, width: int = 10
) -> TopK:
    """Search for the ``k`` best sets of each row among its likeliest sizes.

    Parameters
    ----------
    steps : Steps
    log_sizes : ndarray of shape (n, L + 1)
        Log-probability of each size.
    evidence : ndarray of shape (n, L)
        Labels that are 0 or 1 are kept.
    k : int
    min_labels : int, default=0
        Smallest number of labels of a set.
    width : int, default=10
        Partial sets kept at each level, at least ``k``.

    Returns
    -------
    TopK
        Probabilities are exact for sets of up to twelve labels, lower bounds for larger ones. A row is certified if
        the probability not found is too small for a better set.
    """
    width = max(width, k)
    possible = log_sizes_given(steps, log_sizes, evidence, min_labels)
    best_sizes = np.argsort(-possible, axis=1, kind="stable")[:, :MAX_SIZES]
    n, L = evidence.shape
    labels = np.full((n, best_sizes.shape[1], width, L), FREE, np.int8)
    found = np.full(labels.shape[:3], -np.inf)
    rows, column = np.nonzero(np.take_along_axis(possible, best_sizes, axis=1) > -np.inf)
    sizes = best_sizes[rows, column]
    for at in row_slices(len(rows), BLOCK_ARRAYS * width * L):
        r, c = rows[at], column[at]
        labels[r, c], value = _beam_of_size(steps, r, sizes[at], evidence[r], width)
        found[r, c] = value + possible[r, sizes[at], None]
    n_found = best_sizes.shape[1] * width
    answer = _best(steps, log_sizes, labels.reshape(n, n_found, L), found.reshape(n, n_found), k, width)
    impossible = (possible == -np.inf).all(axis=1)
    return answer._replace(certified=answer.certified | impossible, gap=np.where(impossible, 0.0, answer.gap))


def _beam_of_size(
    steps: Steps, rows: Array, sizes: Array, evidence: Labels, width: int
) -> tuple[Labels, Floats]:
    """Find sets (r, width, L) of exactly ``sizes`` (r,) labels and their log-probabilities given the size."""
    r, L = evidence.shape
    chosen = np.zeros((r, width, L), np.int8)
    value = np.full((r, width), -np.inf)
    value[:, 0] = 0.0
    keys = np.random.default_rng(0).integers(2**62, size=L, dtype=np.uint64)
    for step in range(int(sizes.max(initial=0))):
        at = np.flatnonzero(sizes > step)
        flat = chosen[at].reshape(-1, L)
        many = sizes[at].repeat(width)
        log_p = next_log_probs(steps, rows[at].repeat(width), many, flat)
        log_p[~allowed_labels(many, flat, evidence[at].repeat(width, axis=0))] = -np.inf
        joint = (value[at].reshape(-1, 1) + log_p).reshape(len(at), -1)
        sets = (np.where(flat, keys, np.uint64(0)).sum(axis=1)[:, None] + keys).reshape(len(at), -1)
        joint = _merge_equal_sets(joint, sets)
        best = np.argsort(-joint, axis=1, kind="stable")[:, :width]
        parents = np.take_along_axis(chosen[at], (best // L)[:, :, None], axis=1)
        np.put_along_axis(parents, (best % L)[:, :, None], 1, axis=2)
        chosen[at], value[at] = parents, np.take_along_axis(joint, best, axis=1)
    chosen[value == -np.inf] = FREE
    return chosen, value


def _merge_equal_sets(joint: Floats, sets: Array) -> Floats:
    """Add the probabilities (r, c) of candidates that are the same set; all but one of them become -inf."""
    order = np.argsort(sets, axis=1, kind="stable")
    keys, values = np.take_along_axis(sets, order, axis=1), np.take_along_axis(joint, order, axis=1)
    first = np.ones(keys.shape, np.bool_)
    first[:, 1:] = keys[:, 1:] != keys[:, :-1]
    sums = np.full(keys.shape, -np.inf)
    sums[first] = np.logaddexp.reduceat(values.ravel(), np.flatnonzero(first.ravel()))
    merged = np.empty_like(sums)
    np.put_along_axis(merged, order, sums, axis=1)
    return merged


def _best(steps: Steps, log_sizes: Floats, labels: Labels, found: Floats, k: int, width: int) -> TopK:
    """Select the ``k`` best of the sets found, with exact probabilities if possible, and bound the rest.

    The ``width`` best are scored whatever ``k`` is: the first of two sets is the one found when asked for one.
    """
    order = np.argsort(-found, axis=1, kind="stable")
    found = np.take_along_axis(found, order, axis=1)
    scored = np.take_along_axis(labels, order[:, :width, None], axis=1)
    log_prob, exact = _exact_where_possible(steps, log_sizes, scored, found[:, :width])
    again = np.argsort(-log_prob, axis=1, kind="stable")
    log_prob, exact = (np.take_along_axis(part, again, axis=1) for part in (log_prob, exact))
    scored = np.take_along_axis(scored, again[:, :, None], axis=1)
    rest = np.exp(np.hstack([log_prob[:, k:], found[:, width:]]))
    log_prob, exact = log_prob[:, :k], exact[:, :k]
    outside = np.maximum(1.0 - np.exp(log_prob).sum(axis=1) - rest.sum(axis=1), ROUNDING)
    gap = np.log(outside + rest.max(axis=1, initial=0.0)) - log_prob[:, -1]
    certified = exact.all(axis=1) & (gap <= 1e-9)
    return TopK(scored[:, :k], log_prob, certified, np.where(certified, 0.0, np.maximum(gap, 0.0)))


def _exact_where_possible(
    steps: Steps, log_sizes: Floats, labels: Labels, found: Floats
) -> tuple[Floats, Array]:
    """Compute the log-probabilities (n, m) of sets (n, m, L) that the beam found, and whether each is exact."""
    log_prob, exact = np.full(found.shape, -np.inf), np.ones(found.shape, np.bool_)
    for j in range(found.shape[1]):
        there = np.flatnonzero(found[:, j] > -np.inf)
        Y = labels[there, j]
        scored = log_prob_given_size(steps.take(there), Y)
        sizes = log_sizes[there, Y.sum(axis=1, dtype=np.intp)]
        log_prob[there, j] = np.where(scored.exact, scored.log_prob + sizes, found[there, j])
        exact[there, j] = scored.exact
    return log_prob, exact
