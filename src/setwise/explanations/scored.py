"""A joint distribution as a function of scores, and scores as functions of the features."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from setwise.contract import FREE, Floats, Labels, Matrix
from setwise.explanations.events import Event

FEW_LABELS = 8
"""Events of more labels are subtracted from one: they are never so likely that this would lose digits."""


class Graded(NamedTuple):
    """A value (n,) of each row, and its derivatives (n, B) by the scores of each source."""

    value: Floats
    slopes: list[Floats]

    def minus(self, other: Graded) -> Graded:
        """Subtract values and slopes."""
        return Graded(self.value - other.value, [a - b for a, b in zip(self.slopes, other.slopes)])


class Source(ABC):
    """Scores of rows, whose difference from those of the baseline is a sum over features."""

    @abstractmethod
    def scores(self, X: Matrix) -> Floats:
        """Compute the scores (n, B) of checked rows."""

    @abstractmethod
    def baseline(self) -> Floats:
        """Compute the scores (1, B) of the baseline."""

    @abstractmethod
    def contributions(self, X: Matrix, slopes: Floats) -> Matrix:
        """Share out ``slopes`` (n, B) times the difference from the baseline among the features, (n, d)."""


class Scored(ABC):
    """A joint distribution that depends on the features through the scores of its ``sources`` only."""

    @property
    @abstractmethod
    def sources(self) -> tuple[Source, ...]:
        """Where the scores come from."""

    @abstractmethod
    def log_prob(self, scores: Sequence[Floats], evidence: Labels) -> Graded:
        """Compute the log-probability of evidence (n, L) given the scores of each source."""

    @property
    def is_exact(self) -> bool:
        """Whether log-probabilities are sums over all label sets."""
        return True

    @property
    def n_joints(self) -> int:
        """Number of joints whose log-probabilities are computed apart from each other."""
        return 1

    def for_event(self, event: Event, here: Sequence[Floats], base: Sequence[Floats]) -> Scored:
        """Get ready to explain an event of rows with the scores ``here``, compared with the scores ``base``."""
        return self

    def log_odds(self, scores: Sequence[Floats], event: Event) -> Graded:
        """Compute the log-odds of an event given what is known. All entries want the same number of labels."""
        both = self.log_prob(scores, event.and_given())
        if event.sizes().max(initial=0) > FEW_LABELS:
            return both.minus(self._without(self._known(scores, event.given), both))
        return both.minus(log_sum([self.log_prob(scores, evidence) for evidence in event.against()]))

    def _known(self, scores: Sequence[Floats], given: Labels) -> Graded:
        if (given != FREE).any():
            return self.log_prob(scores, given)
        return Graded(np.zeros(len(given)), [np.zeros_like(part) for part in scores])

    def _without(self, all_: Graded, part: Graded) -> Graded:
        """Compute the logarithm of the difference of two probabilities."""
        share = np.minimum(np.exp(part.value - all_.value), 1.0 - 1e-15)
        slopes = [
            (whole - share[:, None] * own) / (1.0 - share)[:, None]
            for whole, own in zip(all_.slopes, part.slopes)
        ]
        return Graded(all_.value + np.log1p(-share), slopes)


def log_sum(parts: Sequence[Graded], log_weights: Sequence[float] | None = None) -> Graded:
    """Compute the logarithm of a weighted sum of probabilities, given the logarithm of each."""
    values = np.stack([part.value for part in parts])
    if log_weights is not None:
        values = values + np.asarray(log_weights)[:, None]
    value = np.logaddexp.reduce(values, axis=0)
    shares = np.exp(np.where(np.isneginf(values), -np.inf, values - np.where(np.isneginf(value), 0.0, value)))
    columns = zip(*(part.slopes for part in parts))
    slopes = [np.einsum("pn,pnb->nb", shares, np.stack(column)) for column in columns]
    return Graded(value, slopes)
