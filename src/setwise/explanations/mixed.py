"""Mixtures with constant weights of joints of any kind."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from setwise.contract import Floats, Labels
from setwise.explanations.events import Event
from setwise.explanations.scored import Graded, Scored, Source, log_sum


@dataclass(frozen=True)
class Mixed(Scored):
    """The sum of ``parts``, weighted by ``weights``."""

    parts: tuple[Scored, ...]
    weights: tuple[float, ...]

    @property
    def sources(self) -> tuple[Source, ...]:
        """See :class:`Scored`."""
        return tuple(source for part in self.parts for source in part.sources)

    @property
    def is_exact(self) -> bool:
        """See :class:`Scored`."""
        return all(part.is_exact for part in self.parts)

    @property
    def n_joints(self) -> int:
        """See :class:`Scored`."""
        return sum(part.n_joints for part in self.parts)

    def for_event(self, event: Event, here: Sequence[Floats], base: Sequence[Floats]) -> Mixed:
        """See :class:`Scored`."""
        both = zip(self.parts, self._split(here), self._split(base))
        return replace(self, parts=tuple(part.for_event(event, a, b) for part, a, b in both))

    def log_prob(self, scores: Sequence[Floats], evidence: Labels) -> Graded:
        """See :class:`Scored`."""
        found = [part.log_prob(own, evidence) for part, own in zip(self.parts, self._split(scores))]
        zeros = [[np.zeros_like(slope) for slope in one.slopes] for one in found]
        wide = [
            Graded(one.value, [s for j, other in enumerate(zeros) for s in (one.slopes if j == i else other)])
            for i, one in enumerate(found)
        ]
        return log_sum(wide, [float(np.log(weight)) for weight in self.weights])

    def _split(self, scores: Sequence[Floats]) -> list[Sequence[Floats]]:
        ends = np.cumsum([len(part.sources) for part in self.parts]).tolist()
        return [scores[a:b] for a, b in zip([0, *ends], ends)]
