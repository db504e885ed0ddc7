"""Chains of logistic regressions: sums over label sets, all of them or the ones that are drawn."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy.special import expit, logsumexp

from setwise.contract import FREE, Array, Floats, Labels
from setwise.distributions import Chain
from setwise.explanations.events import Event
from setwise.explanations.scored import Graded, Scored, Source
from setwise.inference.chains.conditionals import Linear
from setwise.inference.sets.listed import agreement

ENUMERATED = 10
"""Up to this many labels all sets are listed."""
DRAWS = 200
"""Sets that are drawn for a row, and for the baseline."""


@dataclass(frozen=True)
class ChainScores(Scored):
    """A chain in terms of the logits that features give to labels.

    Parameters
    ----------
    source : Source
        A score for each label.
    coupling : ndarray of shape (L, L)
        ``coupling[i, j]`` is what label i adds to the logit of label j.
    order : ndarray of shape (L,)
        Labels along the chain.
    sets : ndarray of shape (m, L), optional
        The sets that probabilities are summed over.
    """

    source: Source
    coupling: Floats
    order: Array
    sets: Labels | None = None

    @property
    def sources(self) -> tuple[Source, ...]:
        """See :class:`Scored`."""
        return (self.source,)

    @property
    def is_exact(self) -> bool:
        """See :class:`Scored`."""
        return len(self.order) <= ENUMERATED

    def for_event(self, event: Event, here: Sequence[Floats], base: Sequence[Floats]) -> ChainScores:
        """List the sets that probabilities are summed over.

        Of many labels, these are sets drawn for the rows and for the baseline, with the labels of the event as it wants
        them and flipped: sums over them have the same slopes, up to the sets that are never drawn.
        """
        L = len(self.order)
        if self.is_exact:
            return replace(self, sets=((np.arange(2**L)[:, None] >> np.arange(L)) & 1).astype(np.int8))
        offsets = np.concatenate([here[0], base[0][:1]])[:, self.order]
        chain = Chain(Linear(np.ascontiguousarray(offsets), self._along()), self.order)
        drawn = chain.sample(DRAWS, np.random.default_rng(0)).reshape(-1, L)
        flipped = [drawn]
        for wanted in np.unique(event.and_given(), axis=0):
            fixed = wanted != FREE
            flipped += [np.where(fixed, wanted, drawn), np.where(fixed, 1 - wanted, drawn)]
        return replace(self, sets=np.unique(np.concatenate(flipped), axis=0).astype(np.int8))

    def log_prob(self, scores: Sequence[Floats], evidence: Labels) -> Graded:
        """See :class:`Scored`."""
        assert self.sets is not None
        joint, among = np.empty((len(evidence), len(self.sets))), agreement(self.sets, evidence)
        logits = self.sets @ self.coupling
        on = self.sets.astype(np.float64)
        for row, own in enumerate(scores[0]):
            z = own + logits
            joint[row] = (on * z - np.logaddexp(0.0, z)).sum(axis=1)
        # The sets that are listed take the place of all.
        some = np.asarray(logsumexp(np.where(among, joint, -np.inf), axis=1))
        weight = np.exp(np.where(among, joint, -np.inf) - np.where(np.isneginf(some), 0.0, some)[:, None])
        slopes = np.stack([w @ (on - expit(own + logits)) for w, own in zip(weight, scores[0])])
        return Graded(some, [slopes])

    def _along(self) -> Floats:
        return np.ascontiguousarray(self.coupling[np.ix_(self.order, self.order)])
