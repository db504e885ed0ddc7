"""Chains of conditionals, P(y) = prod_j P(y_j | y_1 .. y_j-1): the input of every search through a chain.

Positions count along the chain. A search passes all its prefixes to :meth:`Conditionals.logits` at once, one call per
level; linear conditionals go to the compiled kernels instead.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol, Self

import numpy as np
from scipy.special import log_expit

from setwise.contract import Array, Floats, Labels, TopK, replace_rows
from setwise.inference.sets.certificates import certify
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
        """Compute the logits (m,) of ``position`` in the ``rows`` (m,) after the labels ``prefix`` (m, position)."""

    def take(self, rows: Array | slice) -> Self:
        """Select rows."""


class ChainSearch(Protocol):
    """A search for the most probable sets of a chain."""

    def __call__(self, conditionals: Conditionals, evidence: Labels, k: int = 1, min_labels: int = 0) -> TopK:
        """Search for the ``k`` most probable sets of each row.

        Parameters
        ----------
        conditionals : Conditionals
            Of n rows and L labels.
        evidence : ndarray of shape (n, L)
            In chain order; labels that are 0 or 1 are kept.
        k : int, default=1
        min_labels : int, default=0
            Smallest number of labels of a set.

        Returns
        -------
        TopK
            Certified if no other set can be more probable.
        """


@dataclass(frozen=True)
class Linear:
    """Linear conditionals: logits ``offsets`` (n, L) plus ``coupling[i, j]`` (L, L) for every earlier i that is on.

    The features of a row enter through its offsets only.

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
        """Compute the logits (m,) of ``position`` in the ``rows`` (m,) after the labels ``prefix`` (m, position)."""
        return linear_logits(self.offsets, self.coupling)(position, rows, np.asarray(prefix))

    def take(self, rows: Array | slice) -> Linear:
        """Select rows."""
        return Linear(np.ascontiguousarray(self.offsets[rows]), self.coupling)


def log_prob(conditionals: Conditionals, sets: Labels) -> Floats:
    """Compute the log-probability (n, S) of complete ``sets`` (n, S, L).

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
    """Make random numbers for draws that depend on the row and the seed, but not on the other rows."""
    n, L = conditionals.shape
    return RowNumbers(content_keys(log_prob(conditionals, np.zeros((n, 1, L), dtype=np.int8))[:, 0]), seed)


def sample(conditionals: Conditionals, evidence: Labels, uniforms: Floats) -> tuple[Labels, Floats, Floats]:
    """Draw sets that agree with the evidence.

    Parameters
    ----------
    conditionals : Conditionals
    evidence : ndarray of shape (n, L)
        Labels that are 0 or 1 are kept.
    uniforms : ndarray of shape (n, S, L)
        One uniform number decides a label.

    Returns
    -------
    draws : ndarray of shape (n, S, L)
    log_weight : ndarray of shape (n, S)
        Log of the product of P(observed label | what was drawn before it). The mean of exp(log_weight) estimates the
        probability of the evidence.
    means : ndarray of shape (n, L)
        Mean of P(y_j = 1 | earlier draws).
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
    """Search level by level: branch the prefixes of probability at least epsilon, keep the ``width`` best of them.

    No set is more probable than its prefix, so the best prefix dropped bounds every set that was not seen; the answer
    is certified if it is at least as probable. Rows whose answer has too few labels are searched again, with ``width``
    places for the prefixes of each number of labels up to ``min_labels``.

    Parameters
    ----------
    conditionals : Conditionals
    evidence : ndarray of shape (n, L)
    k : int
        Number of sets to return.
    width : int
        Number of prefixes kept.
    log_epsilon : float, default=-inf
    min_labels : int, default=0
        Smallest number of labels of a set.

    Returns
    -------
    TopK
    """
    answer = _search_once(conditionals, evidence, k, width, log_epsilon, 0)
    if min_labels:
        short = np.flatnonzero(((answer.labels != 0).sum(axis=2) < min_labels).any(axis=1))
        again = _search_once(conditionals.take(short), evidence[short], k, width, log_epsilon, min_labels)
        replace_rows(answer, short, again)
    return answer


def _search_once(
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
    return certify(labels, log_p, dropped)
