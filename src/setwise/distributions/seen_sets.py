"""A joint that reserves a share of its probability for the label sets of a list."""

from __future__ import annotations

from typing import Self

import numpy as np
import numpy.typing as npt
from scipy.special import log_softmax, logsumexp

from setwise.contract import FREE, Floats, Labels, Mode, TopK
from setwise.distributions.label_distribution import LabelDistribution
from setwise.distributions.mixture import Mixture
from setwise.distributions.table import Table
from setwise.inference.sets.candidates import best_distinct
from setwise.inference.sets.certificates import certify, upper_bound
from setwise.printable import plain_repr

ROUNDING = 1e-12
"""Relative difference allowed between two computations of the same log-probability."""


class SeenSets(Mixture):
    """(1 - a) P(y) + a P(y | y is one of the sets): a mixture of a joint and of the same joint on a list of sets.

    Most new rows have a label set that some training row has. A model of pairs of labels gives each of the many unseen
    sets a small probability, which adds up.

    Both parts rank the sets of the list in the same order, so the most probable sets are among the first of the list
    and the first of the joint. They are certified if those of the joint are.

    Parameters
    ----------
    log_gate : array of shape (n, 2)
        Log weights of the joint and of the list.
    components : list of two distributions
        The joint, and a :class:`Table` of the list. :meth:`of` makes both.

    Examples
    --------
    >>> import numpy as np
    >>> from setwise.distributions import ForestMixture
    >>> fair = ForestMixture.independent(np.zeros((1, 2)))
    >>> joint = SeenSets.of(fair, np.array([[0, 1], [1, 0]]), 0.5)
    >>> np.exp(joint.log_prob([[0, 1]])), np.exp(joint.log_prob([[1, 1]]))
    (array([0.375]), array([0.125]))
    """

    @classmethod
    def of(cls, joint: LabelDistribution, sets: npt.ArrayLike, share: float) -> Self:
        """Reserve a share of the probability for a list of sets.

        Parameters
        ----------
        joint : LabelDistribution
        sets : array of shape (m, L)
            Distinct sets.
        share : float
            At least 0 and below 1.

        Returns
        -------
        SeenSets

        Examples
        --------
        >>> from setwise.distributions import ForestMixture
        >>> fair = ForestMixture.independent(np.zeros((1, 2)))
        >>> np.exp(SeenSets.of(fair, [[0, 1], [1, 0]], 0.5).log_prob([[0, 1]]))
        array([0.375])
        """
        if not 0 <= share < 1:
            raise ValueError(f"share is {plain_repr(share)}; expected a number, at least 0 and below 1")
        with np.errstate(divide="ignore"):
            gate = np.tile(np.log([1.0 - share, share]), (joint.n_rows, 1))
        return cls._listing(gate, joint, np.asarray(sets))

    @classmethod
    def _listing(cls, log_gate: Floats, joint: LabelDistribution, sets: Labels) -> Self:
        log_prob = joint.log_probs_of(sets)
        total = np.asarray(logsumexp(log_prob, axis=1))
        # If the joint rules out every set of the list, the joint keeps all the probability.
        lost = total == -np.inf
        log_gate[lost] = [0.0, -np.inf]
        log_prob[lost], total[lost] = 0.0, np.log(max(len(sets), 1))
        log_prob -= total[:, None]
        return cls(log_gate, [joint, Table(sets, log_prob)])

    @property
    def joint(self) -> LabelDistribution:
        """The distribution without the share of the listed sets."""
        return self.components[0]

    def __repr__(self) -> str:
        return f"SeenSets({self.joint!r}, n_sets={len(self._sets())})"

    def _tempered(self, temperature: float) -> Self:
        gate = log_softmax(self.log_gate / temperature, axis=1)
        return self._listing(gate, self.joint.tempered(temperature), self._sets())

    def _sets(self) -> Labels:
        table = self.components[1]
        assert isinstance(table, Table)
        return table.sets

    def _merged(self, k: int, depth: int, evidence: Labels | None, least: int) -> TopK:
        return self._best_of(k, *(c.find_top_k(depth, evidence, least=least) for c in self.components))

    def find_mode(self, evidence: Labels | None = None, *, least: int = 0, most: int | None = None) -> Mode:
        """Take the better of the two parts' modes."""
        if most is None or most == self.n_labels:
            return super().find_mode(evidence, least=least)
        modes = [c.find_mode(evidence, least=least, most=most) for c in self.components]
        lists = [TopK(m.labels[:, None], m.log_prob[:, None], m.certified, m.gap) for m in modes]
        best = self._best_of(1, *lists)
        return Mode(best.labels[:, 0], best.log_prob[:, 0], best.certified, best.gap)

    def _best_of(self, k: int, anywhere: TopK, listed: TopK) -> TopK:
        """Merge the most probable sets of the joint and of the list into the ``k`` best."""
        sets = np.concatenate([listed.labels, anywhere.labels], axis=1)
        scores = np.stack([self.log_prob(sets[:, s]) for s in range(sets.shape[1])], axis=1)
        scores[(sets == FREE).any(axis=2)] = -np.inf
        labels, best = best_distinct(sets, scores, k)
        # An untried set is either unlisted and below the joint's last, or listed and below the list's last.
        left = np.maximum(self.log_gate[:, 0] + upper_bound(anywhere), scores[:, listed.labels.shape[1] - 1])
        return certify(labels, best, left - ROUNDING * (1.0 + np.abs(left)))
