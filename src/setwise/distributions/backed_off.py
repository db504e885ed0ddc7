"""A table of label sets, and another joint for the sets that it does not list."""

from __future__ import annotations

from typing import Self

import numpy as np

from setwise.contract import FREE, Floats, Labels, Mode, TopK, check_sizes
from setwise.distributions.label_distribution import LabelDistribution
from setwise.distributions.mixture import Mixture
from setwise.distributions.table import Table
from setwise.inference.sets.candidates import best_distinct
from setwise.inference.sets.certificates import certify, upper_bound
from setwise.inference.sets.listed import agreement

ROUNDING = 1e-12
"""Largest relative difference between two computations of the same log-probability."""


class BackedOff(Mixture):
    """(1 - share) P_table(y) + share P_joint(y): a table that backs off to a joint over all sets.

    The most probable sets are proved as soon as the joint's own are: every listed set is scored, and a set that is not
    listed is at most as probable as the joint says.

    Parameters
    ----------
    log_gate : array of shape (n, 2)
        Log-shares of the table and of the joint.
    components : (Table, LabelDistribution)

    Examples
    --------
    >>> import numpy as np
    >>> from setwise.distributions import ForestMixture, Table
    >>> table = Table([[0, 1], [1, 0]], np.log([[0.6, 0.4]]))
    >>> joint = BackedOff.of(table, ForestMixture.independent([[0.0, 0.0]]), 0.2)
    >>> np.exp(joint.log_prob([[0, 1]])).round(2), np.exp(joint.log_prob([[1, 1]])).round(2)
    (array([0.53]), array([0.05]))
    """

    _of_joint: Floats | None = None
    """Log-probabilities (n, m) of the listed sets under the joint, if they are known."""

    @classmethod
    def of(cls, table: Table, joint: LabelDistribution, share: float, listed: Floats | None = None) -> Self:
        """Give a ``share`` between 0 and 1 of the probability to the joint.

        Parameters
        ----------
        table : Table
        joint : LabelDistribution
            Of the same rows and labels.
        share : float
        listed : array of shape (n, m), optional
            Log-probabilities of the table's sets under the joint, if they are known already.

        Returns
        -------
        BackedOff

        Examples
        --------
        >>> from setwise.distributions import ForestMixture, Table
        >>> table = Table([[1, 0]], [[0.0]])
        >>> BackedOff.of(table, ForestMixture.independent([[0.0, 0.0]]), 0.4).mode().labels
        array([[1, 0]], dtype=int8)
        """
        if not 0 <= share <= 1:
            raise ValueError(f"share is {share!r}; expected a number from 0 to 1")
        with np.errstate(divide="ignore"):
            gate = np.log([1.0 - share, share])
        mixture = cls(np.tile(gate, (joint.n_rows, 1)), [table, joint])
        mixture._of_joint = listed
        return mixture

    @property
    def table(self) -> Table:
        """The listed sets with their probabilities."""
        table = self.components[0]
        assert isinstance(table, Table)
        return table

    @property
    def joint(self) -> LabelDistribution:
        """The distribution over all sets."""
        return self.components[1]

    def __repr__(self) -> str:
        return f"BackedOff({self.table!r}, {self.joint!r})"

    def find_top_k(self, k: int, evidence: Labels | None = None, *, least: int = 0) -> TopK:
        """Score every listed set; of the others only the joint's ``k`` best can be among the ``k`` best."""
        anywhere = self.joint.find_top_k(k, evidence, least=least)
        return self._best_of(k, anywhere, self._listed(k, evidence, least, self.n_labels))

    def find_mode(self, evidence: Labels | None = None, *, least: int = 0, most: int | None = None) -> Mode:
        """Take the better of the best listed set and the joint's mode."""
        most = self.n_labels if most is None else most
        check_sizes(least, most, self.n_labels)
        mode = self.joint.find_mode(evidence, least=least, most=most)
        anywhere = TopK(mode.labels[:, None], mode.log_prob[:, None], mode.certified, mode.gap)
        best = self._best_of(1, anywhere, self._listed(1, evidence, least, most))
        return Mode(best.labels[:, 0], best.log_prob[:, 0], best.certified, best.gap)

    def _listed(self, k: int, evidence: Labels | None, least: int, most: int) -> Floats:
        """Log-probability (n, m) of each listed set that may be one of the ``k`` best; -inf of the others."""
        table, size = self.table, self.table.sets.sum(axis=1)
        of_joint = self.joint.log_probs_of(table.sets) if self._of_joint is None else self._of_joint
        parts = self.log_gate[:, :1] + table.log_probs, self.log_gate[:, 1:] + of_joint
        larger = np.maximum(*parts)
        larger[:, (size < least) | (size > most)] = -np.inf
        if evidence is not None:
            larger[~agreement(table.sets, evidence)] = -np.inf
        # The sum of two probabilities is at most twice the larger one: few sets are worth the logarithm of a sum.
        limit = (
            larger.max(axis=1)
            if k == 1
            else np.partition(larger, -min(k, len(size)), axis=1)[:, -min(k, len(size))]
        )
        able = (larger >= (limit - np.log(2.0) - ROUNDING)[:, None]) & (larger > -np.inf)
        scores = np.full(larger.shape, -np.inf)
        scores[able] = np.logaddexp(parts[0][able], parts[1][able])
        return scores

    def _best_of(self, k: int, anywhere: TopK, listed: Floats) -> TopK:
        first = np.argsort(-listed, axis=1, kind="stable")[:, :k] if k > 1 else listed.argmax(axis=1)[:, None]
        sets = np.concatenate([self.table.sets[first], anywhere.labels], axis=1)
        found = [self.log_prob(anywhere.labels[:, s]) for s in range(anywhere.labels.shape[1])]
        scores = np.concatenate([np.take_along_axis(listed, first, axis=1), np.stack(found, axis=1)], axis=1)
        scores[(sets == FREE).any(axis=2)] = -np.inf
        labels, best = best_distinct(sets, scores, k)
        left = self.log_gate[:, 1] + upper_bound(anywhere)
        return certify(labels, best, left - ROUNDING * (1.0 + np.abs(left)))
