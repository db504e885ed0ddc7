"""Sums over label sets that decisions need; the general ways estimate them from draws."""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np

from setwise.arrays import Array, Floats, Labels
from setwise.contract.evidence import Evidence
from setwise.limits import N_DRAWS
from setwise.random_bits import RowNumbers, content_keys


class Estimates(ABC):
    """What can be estimated from draws. A family that knows a sum exactly overrides it."""

    n_rows: int
    n_labels: int

    @abstractmethod
    def log_prob(self, Y: Evidence) -> Floats:
        """Log-probability (n,) of each row of ``Y`` (n, L)."""

    @abstractmethod
    def sample(self, n_draws: int, rng: np.random.Generator) -> Labels:
        """Independent label sets of each row, (n, n_draws, L)."""

    def draws(self) -> Labels:
        """Equally weighted sets (n, S, L) that stand for the distribution in estimates, the same at every call."""
        return self.sample(N_DRAWS, self.row_numbers(0))

    def row_numbers(self, seed: int) -> RowNumbers:
        """Random numbers for draws behind estimates: a row's are its own, whatever rows are asked with it."""
        empty = np.zeros((self.n_rows, self.n_labels), dtype=np.int8)
        return RowNumbers(content_keys(self.log_prob(empty)), seed)

    def independent_draws(self) -> Floats:
        """How many independent draws (n,) the sets of ``draws`` are worth: the error of their mean goes by that."""
        return np.full(self.n_rows, float(self.draws().shape[1]))

    def joint_size_marginals(self) -> Floats:
        """P(y_l = 1, |y| = s) for s = 0..L, (n, L, L + 1)."""
        sets = self.draws()
        return size_shares(sets, np.full(sets.shape[:2], 1.0 / sets.shape[1]))

    def reciprocal_moments(self, weight: float, offsets: Floats) -> Floats:
        """E[y_l / (weight |y| + offset)] for each of the ``offsets`` (R,) of at least zero: (n, L, R).

        What instance F-measures are made of.
        """
        sizes = np.arange(1, self.n_labels + 1)
        shares = self.joint_size_marginals()[:, :, 1:]
        return np.asarray(shares @ (1.0 / (weight * sizes[:, None] + offsets)))

    def size_bound(self) -> Array:
        """A size (n,) that sets do not exceed, but for a negligible probability."""
        return np.full(self.n_rows, self.n_labels)

    def support(self) -> tuple[Labels, Floats] | None:
        """The possible sets (m, L) and their log-probabilities (n, m), where they are listed."""
        return None


def size_shares(sets: Labels, weights: Floats) -> Floats:
    """Weight (n, L, L + 1) of the sets (n, S, L) that hold a label and have s labels, for s = 0..L."""
    n, _, L = sets.shape
    shares = np.empty((n, L, L + 1))
    for i in range(n):
        sizes = sets[i].sum(axis=1)[:, None] == np.arange(L + 1)
        shares[i] = (sets[i] * weights[i][:, None]).T @ sizes.astype(np.float64)
    return shares
