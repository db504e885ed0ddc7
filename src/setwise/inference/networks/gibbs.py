"""Gibbs sampling in dependency networks.

Guo and Gu, "Multi-label classification using conditional dependency networks", IJCAI 2011, Algorithm 1: visit
the labels in a random order, draw each from its conditional given all others, and after a burn-in collect states and
the products of their conditionals.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol, Self

import numpy as np
from scipy.special import log_expit

from setwise.contract import Array, Floats, Labels
from setwise.kernels import implementation
from setwise.kernels.generic.gibbs_walk import gibbs_walk, linear_conditionals


class Conditionals(Protocol):
    """P(y_l = 1 | x, the other labels) for n rows and L labels."""

    @property
    def n_rows(self) -> int:
        """Number of rows."""

    @property
    def n_labels(self) -> int:
        """Number of labels."""

    def logits(self, label: int, state: Labels) -> Floats:
        """Compute the logits (n,) of one label given the others in ``state`` (n, L); its own value is ignored."""

    def take(self, rows: Any) -> Self:
        """Select rows."""


@dataclass(frozen=True)
class LinearConditionals:
    """Linear logits ``offsets[i, l] + sum_j couplings[j, l] * (2 y_j - 1)``; couplings (L, L) have a zero diagonal."""

    offsets: Floats
    couplings: Floats

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return int(self.offsets.shape[0])

    @property
    def n_labels(self) -> int:
        """Number of labels."""
        return int(self.offsets.shape[1])

    def logits(self, label: int, state: Labels) -> Floats:
        """Compute the logits (n,) of one label given the others."""
        return linear_conditionals(self.offsets, self.couplings)(label, state)

    def take(self, rows: Any) -> Self:
        """Select rows."""
        return type(self)(self.offsets[rows], self.couplings)


class Samples(NamedTuple):
    """States of the chains after the burn-in.

    ``labels`` (n, chains, S, L); ``scores`` (n, chains, S), the logs of their products of conditionals; ``probs``
    (n, chains, L), the mean of each label's conditional over the states, which estimates its marginal with less noise
    than the share of states that have it.
    """

    labels: Labels
    scores: Floats
    probs: Floats


def gibbs(
    conditionals: Conditionals, evidence: Labels, streams: Array, order: Array, n_burn_in: int, n_collect: int
) -> Samples:
    """Walk ``len(order)`` chains for each row and collect ``n_collect`` states of each.

    Parameters
    ----------
    conditionals : Conditionals of n rows
        Linear ones run compiled; others are called once per label and sweep for all rows.
    evidence : ndarray of shape (n, L)
        Labels that are 0 or 1 are kept.
    streams : ndarray of uint64 of shape (n,)
        Keys of the rows' random numbers: equal streams and conditionals give equal samples.
    order : ndarray of shape (chains, L)
        The order in which each chain visits the labels.
    n_burn_in, n_collect : int
        Sweeps that are thrown away, and sweeps that are kept.

    Returns
    -------
    Samples

    Examples
    --------
    >>> import numpy as np
    >>> twins = LinearConditionals(np.zeros((1, 2)), np.array([[0.0, 1.0], [1.0, 0.0]]))
    >>> free = np.full((1, 2), -1, np.int8)
    >>> states = gibbs(twins, free, np.array([1], np.uint64), np.array([[0, 1]], np.int32), 100, 4000).labels
    >>> bool(abs((states[..., 0] == states[..., 1]).mean() - 1 / (1 + np.exp(-1))) < 0.03)
    True
    """
    if isinstance(conditionals, LinearConditionals):
        linear = (
            np.ascontiguousarray(a, dtype=np.float64) for a in (conditionals.offsets, conditionals.couplings)
        )
        return Samples(*implementation.gibbs_linear(*linear, evidence, streams, order, n_burn_in, n_collect))
    return Samples(*gibbs_walk(conditionals.logits, evidence, streams, order, n_burn_in, n_collect))


def scan_orders(n_chains: int, n_labels: int, seed: int) -> Array:
    """Draw a random order (chains, L) of the labels for each chain."""
    rng = np.random.default_rng(seed)
    return np.stack([rng.permutation(n_labels) for _ in range(n_chains)]).astype(np.int32)


def pseudo_log_prob(conditionals: Conditionals, Y: Labels) -> Floats:
    """Compute the log (n,) of the product of the conditionals of label sets ``Y`` (n, L)."""
    z = np.stack([conditionals.logits(label, Y) for label in range(conditionals.n_labels)], axis=1)
    return np.asarray(log_expit(np.where(Y == 1, z, -z)).sum(axis=1))


def r_hat(samples: Labels) -> Floats:
    """Compute split R-hat (n, L) of samples (n, chains, S, L): near one if the chains agree.

    Each chain is cut in two. A label that is constant in every chain has R-hat 1 if the chains agree on it and infinity
    if they do not.

    Examples
    --------
    >>> import numpy as np
    >>> stuck = np.zeros((1, 2, 4, 2), np.int8)
    >>> stuck[0, 1, :, 1] = 1
    >>> r_hat(stuck)
    array([[ 1., inf]])
    """
    half = samples.shape[2] // 2
    if half < 2:
        return np.full((len(samples), samples.shape[3]), np.nan)
    means = np.concatenate(
        [samples[:, :, :half].mean(axis=2), samples[:, :, half : 2 * half].mean(axis=2)], axis=1
    )
    within = (means * (1 - means)).mean(axis=1) * half / (half - 1)
    between = means.var(axis=1, ddof=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = np.sqrt((half - 1) / half + between / within)
    return np.where(within > 0, ratio, np.where(between > 0, np.inf, 1.0))
