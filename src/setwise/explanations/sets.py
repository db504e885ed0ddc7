"""Softmax regression over listed label sets."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import logsumexp

from setwise.contract import Floats, Labels
from setwise.explanations.scored import Graded, Scored, Source
from setwise.inference.sets.listed import agreement


@dataclass(frozen=True)
class SetScores(Scored):
    """P(set s) proportional to exp(scores @ ``parts[s]`` + ``offset[s]``).

    Parameters
    ----------
    source : Source
        B scores.
    sets : ndarray of shape (m, L)
    parts : ndarray of shape (m, B), optional
        Which scores a set adds up; by default each has its own.
    offset : ndarray of shape (m,), optional
    """

    source: Source
    sets: Labels
    parts: Floats | None = None
    offset: Floats | None = None

    @property
    def sources(self) -> tuple[Source, ...]:
        """See :class:`Scored`."""
        return (self.source,)

    def log_prob(self, scores: Sequence[Floats], evidence: Labels) -> Graded:
        """See :class:`Scored`."""
        z = scores[0] if self.parts is None else scores[0] @ self.parts.T
        z = z if self.offset is None else z + self.offset
        among = np.where(agreement(self.sets, evidence), z, -np.inf)
        all_, some = (np.asarray(logsumexp(values, axis=1)) for values in (z, among))
        of_event = np.exp(among - np.where(np.isneginf(some), 0.0, some)[:, None])
        shift = of_event - np.exp(z - all_[:, None])
        return Graded(some - all_, [shift if self.parts is None else shift @ self.parts])
