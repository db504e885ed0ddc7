"""Chains of conditionals, P(y) = prod_j P(y_j | y_1 .. y_j-1): the input of every search through a chain.

Positions count along the chain. A search passes all its prefixes to :meth:`Conditionals.logits` at once, one call per
level; linear conditionals go to the compiled kernels instead.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol, Self

import numpy as np
from scipy.special import log_expit

from setwise.contract import Array, Floats, Labels, TopK
from setwise.kernels import implementation
from setwise.kernels.generic.chain_draws import level_means, level_sample, linear_logits
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


def row_streams(conditionals: Conditionals) -> Array:
    """Make the keys (n,) of random numbers that depend on the row, but not on the other rows."""
    n, L = conditionals.shape
    return content_keys(log_prob(conditionals, np.zeros((n, 1, L), dtype=np.int8))[:, 0])


def row_numbers(conditionals: Conditionals, seed: int) -> RowNumbers:
    """Make random numbers for draws that depend on the row and the seed, but not on the other rows."""
    return RowNumbers(row_streams(conditionals), seed)


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


def mean_probs(conditionals: Conditionals, evidence: Labels, points: Floats, angles: Floats) -> Floats:
    """Compute the mean of P(y_j = 1 | earlier draws) over draws that agree with evidence on the first labels.

    Parameters
    ----------
    conditionals : Conditionals
    evidence : ndarray of shape (n, L)
        Labels that are 0 or 1 are kept.
    points : ndarray of shape (S, L)
        Numbers between 0 and 1: one row for each draw.
    angles : ndarray of shape (n, L)
        What each row adds to them, modulo 1.

    Returns
    -------
    ndarray of shape (n, L)
    """
    if isinstance(conditionals, Linear):
        chain = conditionals.offsets, conditionals.coupling
        return np.asarray(implementation.chain_means(*chain, np.ascontiguousarray(evidence), points, angles))
    return level_means(conditionals.logits, evidence, points, angles)
