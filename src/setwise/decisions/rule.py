"""The base class of decisions: a loss, and the allowed answer with the smallest expected loss."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import numpy as np

from setwise.blocks import block_rows, row_slices
from setwise.contract import Bools, Decided, Floats, Joint, Labels
from setwise.decisions.feasible import Feasible
from setwise.limits import N_DRAWS


class Rule(ABC):
    """A loss and the search for its best answers, as used by ``decide`` and ``predict``.

    Examples
    --------
    >>> from setwise.decisions import Hamming
    >>> isinstance(Hamming(), Rule)
    True
    """

    @property
    def whole_batch(self) -> bool:
        """Whether the best answer of a row depends on the other rows, which must then be decided together."""
        return False

    def labels(self, distribution: Joint, feasible: Feasible) -> Labels:
        """Find the best answers without their expected loss, which some rules do faster.

        Parameters
        ----------
        distribution : Joint
        feasible : Feasible

        Returns
        -------
        int8 array of shape (n, L)

        Examples
        --------
        >>> from setwise.distributions import ForestMixture
        >>> from setwise.decisions import Hamming
        >>> from setwise.decisions.feasible import Feasible
        >>> Hamming().labels(ForestMixture.independent([[2.0, -1.0]]), Feasible(2))
        array([[1, 0]], dtype=int8)
        """
        return self.within(distribution, feasible).labels

    def within(self, distribution: Joint, feasible: Feasible) -> Decided:
        """Find the best answers among those that are ``feasible``.

        Parameters
        ----------
        distribution : Joint
        feasible : Feasible

        Returns
        -------
        Decided

        Examples
        --------
        >>> from setwise.distributions import ForestMixture
        >>> from setwise.decisions import Hamming
        >>> from setwise.decisions.feasible import Feasible
        >>> Hamming().within(ForestMixture.independent([[2.0, -1.0]]), Feasible(2, least=2)).labels
        array([[1, 1]], dtype=int8)
        """
        parts = [self._block(part, feasible) for part in self._parts(distribution, feasible)]
        return parts[0] if len(parts) == 1 else Decided(*(np.concatenate(column) for column in zip(*parts)))

    def _parts(self, distribution: Joint, feasible: Feasible) -> list[Joint]:
        """The distribution in blocks of rows whose draws or listed answers fit into memory."""
        n = distribution.n_rows
        listed = 0 if feasible.among is None else len(feasible.among)
        sets_per_row = max(N_DRAWS if distribution.sampled else 0, listed)
        if not sets_per_row or n <= block_rows(sets_per_row * distribution.n_labels, cell_bytes=1):
            return [distribution]
        blocks = row_slices(n, sets_per_row * distribution.n_labels, cell_bytes=1)
        return [distribution.take(rows) for rows in blocks]

    def _block(self, distribution: Joint, feasible: Feasible) -> Decided:
        if feasible.among is None:
            return self._best(distribution, feasible)
        return self._best_of(distribution, feasible.among[feasible.holds(feasible.among)])

    @abstractmethod
    def _best(self, distribution: Joint, feasible: Feasible) -> Decided:
        """The best answers of a block of rows."""

    def _best_of(self, distribution: Joint, answers: Labels) -> Decided:
        """The best of the same ``answers`` (m, L), at least one, for each row of a block."""
        expected = self._expected(distribution, answers)
        best = expected.argmin(axis=1)
        certified = np.ones(len(best), dtype=np.bool_)
        return self._decided(distribution, answers[best], expected.min(axis=1), certified)

    def _expected(self, distribution: Joint, answers: Labels) -> Floats:
        """Expected loss (n, m) of each of the ``answers`` (m, L), estimated from draws unless a rule overrides it."""
        draws = distribution.draws()
        return np.stack([self.loss(draws, answer).mean(axis=1) for answer in answers], axis=1)

    @abstractmethod
    def loss(self, truth: Any, answer: Any) -> Floats:
        """Loss of each answer given the true set; the two are broadcast.

        Parameters
        ----------
        truth : array of shape (..., L)
        answer : array of shape (..., L)

        Returns
        -------
        array of shape (...)

        Examples
        --------
        >>> import numpy as np
        >>> from setwise.decisions import Hamming
        >>> Hamming().loss(np.array([[1, 0], [1, 1]]), np.array([1, 0]))
        array([0. , 0.5])
        """

    def _decided(self, distribution: Joint, labels: Labels, expected: Floats, certified: Bools) -> Decided:
        """The answer with its exact expected loss, or with mean and standard error over draws if sums are sampled."""
        if not distribution.sampled:
            return Decided(labels, expected, np.zeros(len(labels)), certified)
        losses = self.loss(distribution.draws(), labels[:, None])
        error = losses.std(axis=1, ddof=1) / np.sqrt(distribution.independent_draws())
        return Decided(labels, losses.mean(axis=1), error, np.zeros(len(labels), dtype=np.bool_))


def check_only_sizes(rule: Rule, feasible: Feasible) -> None:
    """Raise a ValueError for constraints other than a smallest size, the only one that ``rule`` supports."""
    limited = feasible.largest < feasible.n_labels or feasible.among is not None
    if limited or feasible.fixed or feasible.clauses:
        raise ValueError(f"{rule!r} does not support constraints; use Constrained('subset', ...)")
