"""The probability of a label set under a cascade: the sum over the orders in which it can be drawn.

Exact by dynamic programming over the subsets of the set. For more than :data:`setwise.limits.CASCADE_LABELS` labels it
is an unbiased estimate from random orders, with its standard error.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from scipy.special import logsumexp

from setwise.blocks import row_slices
from setwise.contract import Array, Bools, Floats, Labels
from setwise.inference.cascades.cascade import Steps, next_log_probs
from setwise.limits import CASCADE_LABELS, ORDER_DRAWS

BLOCK_ARRAYS = 2
"""Arrays of a score for each subset and label that a level holds at a time."""
SEED = 0


class SetLogProb(NamedTuple):
    """Log P(set | size) (n,), whether each is ``exact``, and its ``standard_error`` (zero if exact)."""

    log_prob: Floats
    exact: Bools
    standard_error: Floats


def log_prob_given_size(steps: Steps, Y: Labels) -> SetLogProb:
    """Compute the log-probability of each row's set given its size.

    Parameters
    ----------
    steps : Steps
    Y : ndarray of shape (n, L)
        Complete label sets.

    Returns
    -------
    SetLogProb

    Examples
    --------
    >>> import numpy as np
    >>> from setwise.inference.cascades.cascade import NaiveBayesSteps
    >>> steps = NaiveBayesSteps(np.log([[0.5, 0.3, 0.2]]), np.zeros((4, 3)), np.zeros((3, 3)))
    >>> float(np.exp(log_prob_given_size(steps, np.array([[1, 1, 0]], np.int8)).log_prob[0]).round(6))
    0.514286
    """
    sizes = Y.sum(axis=1, dtype=np.intp)
    exact = sizes <= CASCADE_LABELS
    log_prob, error = np.zeros(len(Y)), np.zeros(len(Y))
    for size in np.unique(sizes[exact & (sizes > 0)]):
        rows = np.flatnonzero(sizes == size)
        members = np.nonzero(Y[rows])[1].reshape(-1, size)
        for at in _blocks(len(rows), size, steps.n_labels):
            log_prob[rows[at]] = subset_log_probs(steps, rows[at], members[at], int(size))[:, -1]
    for row in np.flatnonzero(~exact):
        rng = np.random.default_rng(
            SEED
        )  # The same for every row, so that no estimate depends on the other rows.
        log_prob[row], error[row] = _from_random_orders(steps, int(row), Y[row], rng)
    return SetLogProb(log_prob, exact, error)


def subset_log_probs(steps: Steps, rows: Array, members: Array, size: int) -> Floats:
    """Compute the log-probability that the first |S| draws are the subset S, for every S.

    Parameters
    ----------
    steps : Steps
    rows : ndarray of shape (r,)
    members : ndarray of shape (r, M)
        Labels whose subsets are meant.
    size : int
        Number of labels of the whole set.

    Returns
    -------
    ndarray of shape (r, 2^M)
        Subsets are numbered by bits, member 0 the lowest; those of more than ``size`` labels have -inf.
    """
    r, M = members.shape
    masks = np.arange(2**M)
    counts = ((masks[:, None] >> np.arange(M)) & 1).sum(axis=1)
    total = np.full((r, 2**M), -np.inf)
    total[:, 0] = 0.0
    for level in range(min(size, M)):
        here = masks[counts == level]
        chosen = np.zeros((r, len(here), steps.n_labels), np.int8)
        inside = ((here[:, None] >> np.arange(M)) & 1).astype(np.int8)
        np.put_along_axis(chosen, np.broadcast_to(members[:, None], (r, *inside.shape)), inside, axis=2)
        log_p = next_log_probs(
            steps, rows.repeat(len(here)), np.full(r * len(here), size), chosen.reshape(-1, steps.n_labels)
        )
        log_p = np.take_along_axis(log_p.reshape(chosen.shape), members[:, None], axis=2)
        for bit in range(M):
            open_ = (here >> bit) & 1 == 0
            to = here[open_] | (1 << bit)
            total[:, to] = np.logaddexp(total[:, to], total[:, here[open_]] + log_p[:, open_, bit])
    return total


def all_set_log_probs(steps: Steps, log_sizes: Floats) -> Floats:
    """Compute the log-probability (n, 2^L) of every label set, in the order of ``enumeration.label_sets``."""
    n, L = steps.n_rows, steps.n_labels
    masks = np.arange(2**L)
    counts = ((masks[:, None] >> np.arange(L)) & 1).sum(axis=1)
    # label_sets counts with the first label as the highest bit.
    members = np.broadcast_to(np.arange(L)[::-1], (n, L))
    joint = np.full((n, 2**L), -np.inf)
    joint[:, 0] = log_sizes[:, 0]
    for size in range(1, L + 1):
        of_size = counts == size
        for at in _blocks(n, L, L):
            rows = np.arange(n)[at]
            rows = rows[log_sizes[rows, size] > -np.inf]
            if len(rows):
                part = subset_log_probs(steps, rows, members[rows], size)[:, of_size]
                joint[np.ix_(rows, of_size)] = log_sizes[rows, size, None] + part
    return joint


def _blocks(n: int, size: int, n_labels: int) -> Iterator[slice]:
    """Cut rows by the memory of the widest level: the subsets of half the size."""
    return row_slices(n, BLOCK_ARRAYS * math.comb(size, size // 2) * n_labels)


def _from_random_orders(steps: Steps, row: int, y: Labels, rng: np.random.Generator) -> tuple[float, float]:
    """Estimate from orders drawn by the cascade among the labels of the set, weighted by the probability left out."""
    size = int(y.sum())
    rows, sizes = np.full(ORDER_DRAWS, row), np.full(ORDER_DRAWS, size)
    chosen = np.zeros((ORDER_DRAWS, len(y)), np.int8)
    weight = np.zeros(ORDER_DRAWS)
    for _ in range(size):
        log_p = np.where(y == 1, next_log_probs(steps, rows, sizes, chosen), -np.inf)
        weight += np.asarray(logsumexp(log_p, axis=1))
        chosen[np.arange(ORDER_DRAWS), (log_p + rng.gumbel(size=log_p.shape)).argmax(axis=1)] = 1
    top = float(weight.max())
    if top == -np.inf:
        return -np.inf, 0.0
    share = np.exp(weight - top)
    return top + float(np.log(share.mean())), float(share.std(ddof=1) / share.mean() / np.sqrt(ORDER_DRAWS))
