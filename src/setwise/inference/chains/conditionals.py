"""Chains of conditionals, P(y) = prod_j P(y_j | y_1 .. y_j-1): what every search through a chain is given.

Positions count along the chain. A search hands all its prefixes to :meth:`Conditionals.logits` at once, one call
a level; linear conditionals go to the compiled kernels instead.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol, Self

import numpy as np
from scipy.special import log_expit

from setwise.contract import Array, Floats, Labels, TopK, replace_rows
from setwise.kernels import implementation
from setwise.kernels.generic.chain_beam import level_beam
from setwise.kernels.generic.chain_draws import level_sample, linear_logits
from setwise.random_bits import RowNumbers, content_keys


class Conditionals(Protocol):
    """P(y_j = 1 | earlier labels) of n rows, for every position j of a chain of L labels."""

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and labels, (n, L)."""

    def logits(self, position: int, rows: Array, prefix: Labels) -> Floats:
        """Logits (m,) of ``position`` in the ``rows`` (m,) after the labels ``prefix`` (m, position)."""

    def take(self, rows: Array | slice) -> Self:
        """The conditionals of some rows."""


class ChainSearch(Protocol):
    """A search for the most probable sets of a chain."""

    def __call__(self, conditionals: Conditionals, evidence: Labels, k: int = 1, min_labels: int = 0) -> TopK:
        """The ``k`` best sets found among those that agree with ``evidence`` (n, L), in chain order."""


@dataclass(frozen=True)
class Linear:
    """Logits ``offsets`` (n, L) plus ``coupling[i, j]`` (L, L) for every earlier position i that is on.

    The features of a row enter through its offsets alone.

    Examples
    --------
    >>> import numpy as np
    >>> Linear(np.array([[0.0, 1.0]]), np.array([[0.0, -3.0], [0.0, 0.0]])).logits(1, [0, 0], [[0], [1]])
    array([ 1., -2.])
    """

    offsets: Floats
    coupling: Floats

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and labels, (n, L)."""
        n, L = self.offsets.shape
        return n, L

    def logits(self, position: int, rows: Array, prefix: Labels) -> Floats:
        """Logits (m,) of ``position`` in the ``rows`` (m,) after the labels ``prefix`` (m, position)."""
        return linear_logits(self.offsets, self.coupling)(position, rows, np.asarray(prefix))

    def take(self, rows: Array | slice) -> Linear:
        """The conditionals of some rows."""
        return Linear(np.ascontiguousarray(self.offsets[rows]), self.coupling)


def log_prob(conditionals: Conditionals, sets: Labels) -> Floats:
    """Log-probability (n, S) of complete ``sets`` (n, S, L).

    Examples
    --------
    >>> import numpy as np
    >>> fair = Linear(np.zeros((1, 2)), np.zeros((2, 2)))
    >>> np.exp(log_prob(fair, np.array([[[0, 1], [1, 1]]], dtype=np.int8)))
    array([[0.25, 0.25]])
    """
    if isinstance(conditionals, Linear):
        sets = np.ascontiguousarray(sets)
        return np.asarray(implementation.chain_log_prob(conditionals.offsets, conditionals.coupling, sets))
    n, n_sets, L = sets.shape
    flat, rows = sets.reshape(-1, L), np.repeat(np.arange(n), n_sets)
    total = np.zeros(len(flat))
    for j in range(L):
        z = conditionals.logits(j, rows, flat[:, :j])
        total += log_expit(np.where(flat[:, j] == 1, z, -z))
    return total.reshape(n, n_sets)


def row_numbers(conditionals: Conditionals, seed: int) -> RowNumbers:
    """Random numbers for draws of each row, whatever rows are asked with it."""
    n, L = conditionals.shape
    return RowNumbers(content_keys(log_prob(conditionals, np.zeros((n, 1, L), dtype=np.int8))[:, 0]), seed)


def sample(conditionals: Conditionals, evidence: Labels, uniforms: Floats) -> tuple[Labels, Floats, Floats]:
    """Draws (n, S, L) that agree with the evidence, by one uniform number (n, S, L) a label.

    Also the log weight (n, S) of each draw, log prod P(observed label | what was drawn before it), whose mean in
    probability is that of the evidence; and the mean (n, L) of P(y_j = 1 | earlier draws).
    """
    if isinstance(conditionals, Linear):
        found = implementation.chain_sample(conditionals.offsets, conditionals.coupling, evidence, uniforms)
    else:
        found = level_sample(conditionals.logits, evidence, uniforms)
    draws, log_weight, means = found
    return draws, log_weight, means


def search_levels(
    conditionals: Conditionals,
    evidence: Labels,
    k: int,
    *,
    width: int,
    log_epsilon: float = -np.inf,
    min_labels: int = 0,
) -> TopK:
    """Level by level: branch the prefixes that are at least epsilon probable, keep the ``width`` best of them.

    No set is more probable than its prefix, so the best prefix dropped bounds all that was not seen: the
    answer is certified where it is at least as probable. Rows whose answer has too few labels are searched
    again, with ``width`` places for the prefixes of each number of labels up to ``min_labels``.
    """
    answer = _levels(conditionals, evidence, k, width, log_epsilon, 0)
    if min_labels:
        short = np.flatnonzero(((answer.labels != 0).sum(axis=2) < min_labels).any(axis=1))
        again = _levels(conditionals.take(short), evidence[short], k, width, log_epsilon, min_labels)
        replace_rows(answer, short, again)
    return answer


def _levels(
    conditionals: Conditionals, evidence: Labels, k: int, width: int, log_epsilon: float, classes: int
) -> TopK:
    rules = (k, width, float(log_epsilon), classes)
    if isinstance(conditionals, Linear):
        found = implementation.chain_beam(
            conditionals.offsets, conditionals.coupling, np.ascontiguousarray(evidence), *rules
        )
    else:
        found = level_beam(conditionals.logits, evidence, *rules)
    labels, log_p, dropped = found
    return bounded(labels, log_p, dropped)


def bounded(labels: Labels, log_p: Floats, bound: Floats) -> TopK:
    """An answer with its certificate, where no set left out is more probable than ``bound`` (n,)."""
    last = log_p[:, -1]
    open_rows = bound > last
    gap = np.zeros(len(bound))
    gap[open_rows] = bound[open_rows] - last[open_rows]
    return TopK(labels, log_p, ~open_rows, gap)


def upper_bound(answer: TopK) -> Floats:
    """Log-probability (n,) that no set left out of an answer can exceed."""
    endless = np.isinf(answer.gap)
    return np.where(endless, 0.0, answer.log_prob[:, -1] + np.where(endless, 0.0, answer.gap))
