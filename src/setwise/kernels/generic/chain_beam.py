"""Beam search through chains of labels, level by level for all rows at once."""

from __future__ import annotations

import numpy as np
from scipy.special import log_expit

from setwise.arrays import FREE, Array, Floats, Labels
from setwise.kernels.generic.chain_draws import Logits


def level_beam(
    logits: Logits, evidence: Labels, later: Floats, k: int, width: int, log_epsilon: float, classes: int
) -> tuple[Labels, Floats, Floats]:
    """Search a chain with a beam.

    Parameters
    ----------
    logits : Logits
    evidence : ndarray of shape (n, L)
        Labels that are 0 or 1 are kept.
    later : ndarray of shape (n, L + 1)
        Log of the largest factor by which the positions from j on can multiply the probability of a prefix.
    k : int
        Number of sets to return.
    width : int
        Places for the prefixes of each row, and of each number of labels on up to ``classes``.
    log_epsilon : float
        A prefix below it is not branched: only its likelier value is kept.
    classes : int
        Smallest number of labels of a set.

    Returns
    -------
    labels : ndarray of shape (n, k, L)
    log_prob : ndarray of shape (n, k)
    dropped : ndarray of shape (n,)
        Largest log-probability that a set which continues a dropped prefix can have.
    """
    n, L = evidence.shape
    rows, prefix, value = np.arange(n), np.zeros((n, 0), dtype=np.int8), np.zeros(n)
    dropped = np.full(n, -np.inf)
    for j in range(L):
        z = logits(j, rows, prefix)
        both = value[:, None] + log_expit(np.stack([-z, z], axis=1))
        observed = evidence[rows, j][:, None]
        allowed = (observed == FREE) | (observed == np.arange(2))
        better = np.stack([both[:, 0] >= both[:, 1], both[:, 1] > both[:, 0]], axis=1)
        weak = (both.max(axis=1) < log_epsilon)[:, None]
        strong = np.where(weak, better, both >= log_epsilon) | (observed != FREE)
        possible = allowed & (both > -np.inf)
        np.maximum.at(
            dropped,
            np.repeat(rows, 2),
            np.where(possible & ~strong, both + later[rows, j + 1, None], -np.inf).ravel(),
        )
        parent, child = np.nonzero(possible & strong)
        labels = np.column_stack([prefix[parent], child.astype(np.int8)])
        grade = np.minimum(labels.sum(axis=1), classes)
        reachable = grade + L - j - 1 >= classes
        rows, prefix, value, grade = (
            a[reachable] for a in (rows[parent], labels, both[parent, child], grade)
        )
        keep, order = _best(rows, value, grade, width)
        lost = order[~keep]
        np.maximum.at(dropped, rows[lost], value[lost] + later[rows[lost], j + 1])
        rows, prefix, value = (a[order[keep]] for a in (rows, prefix, value))
    return _first_k(rows, prefix, value, dropped, k)


def _best(rows: Array, value: Floats, grade: Array, width: int) -> tuple[Array, Array]:
    """Sort prefixes by row and falling value, and mark those among the ``width`` best of their grade."""
    order = np.lexsort((-value, rows))
    within = np.lexsort((np.arange(len(rows)), grade[order], rows[order]))
    key = np.stack([rows[order], grade[order]])[:, within]
    starts = np.flatnonzero(np.r_[True, (np.diff(key, axis=1) != 0).any(axis=0)][: len(rows)])
    place = np.empty(len(rows), dtype=np.int64)
    place[within] = np.arange(len(rows)) - np.repeat(starts, np.diff(np.r_[starts, len(rows)]))
    return place < width, order


def _first_k(
    rows: Array, sets: Labels, value: Floats, dropped: Floats, k: int
) -> tuple[Labels, Floats, Floats]:
    """Return the first ``k`` of each row's sorted sets as arrays; the others count as dropped."""
    n, L = len(dropped), sets.shape[1]
    first = np.searchsorted(rows, np.arange(n))
    rank = np.arange(len(rows)) - first[rows]
    np.maximum.at(dropped, rows[rank >= k], value[rank >= k])
    labels, log_prob = np.full((n, k, L), FREE, dtype=np.int8), np.full((n, k), -np.inf)
    top = rank < k
    labels[rows[top], rank[top]], log_prob[rows[top], rank[top]] = sets[top], value[top]
    return labels, log_prob, dropped
