"""The decision of an ensemble: its components vote with their most probable sets, by their weights."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from setwise.contract import Array, Bools, Decided, Floats, Joint, Labels
from setwise.decisions.feasible import Feasible
from setwise.decisions.rule import Rule, check_only_sizes
from setwise.decisions.subset import Subset, best_feasible
from setwise.distributions.mixture import Mixture

DIGITS = 12
"""Votes that differ by rounding only are a tie."""


@dataclass(frozen=True)
class Votes(Rule):
    """The vote of the components of a mixture. Its reported loss is the subset loss, 1 - P(answer).

    Parameters
    ----------
    vote : {"label", "subset"}
        Each label with at least half of the votes, or the set with most votes (the more probable one of a tie). A vote
        counts by the component's weight.

    Examples
    --------
    >>> from setwise.distributions import Table
    >>> one, two = (Table([[1, 0], [0, 1], [1, 1]], np.log([p])) for p in ([0.6, 0.1, 0.3], [0.1, 0.5, 0.4]))
    >>> mixture = Mixture(np.log([[0.5, 0.5]]), [one, two])
    >>> mixture.decide(Votes("label")).labels, mixture.decide("subset").labels
    (array([[1, 1]], dtype=int8), array([[1, 0]], dtype=int8))
    """

    vote: Literal["label", "subset"] = "label"

    def __post_init__(self) -> None:
        if self.vote not in ("label", "subset"):
            raise ValueError(f"vote is {self.vote!r}; expected 'label' or 'subset'")

    def loss(self, truth: Any, answer: Any) -> Floats:
        """1 if the sets differ, otherwise 0."""
        return Subset().loss(truth, answer)

    def labels(self, distribution: Joint, feasible: Feasible) -> Labels:
        """Find the sets (n, L) voted for, without their probability."""
        check_only_sizes(self, feasible)
        if not isinstance(distribution, Mixture):
            raise TypeError(f"Votes needs a Mixture, got {type(distribution).__name__}; use 'subset'")
        ballots = np.stack([best_feasible(c, feasible).labels for c in distribution.components], axis=1)
        weights = np.exp(distribution.log_gate)
        if self.vote == "label":
            return _majority(ballots, weights, feasible.least)
        same = (ballots[:, :, None] == ballots[:, None]).all(axis=3)
        votes = np.einsum("nij,nj->ni", same, weights).round(DIGITS)
        scores, rows = np.zeros(votes.shape), _tied(votes, same)
        if rows.size:
            part, sets = distribution.take(rows), ballots[rows]
            scores[rows] = np.stack([part.log_prob(sets[:, m]) for m in range(sets.shape[1])], axis=1)
        best = np.lexsort((scores, votes), axis=1)[:, -1]
        return np.asarray(ballots[np.arange(len(ballots)), best])

    def _best(self, distribution: Joint, feasible: Feasible) -> Decided:
        labels = self.labels(distribution, feasible)
        expected = -np.expm1(np.minimum(distribution.log_prob(labels), 0.0))
        unproved = np.zeros(len(labels), dtype=np.bool_)
        if distribution.weighs_sets:
            return Decided(labels, expected, np.zeros(len(labels)), unproved)
        return self._decided(distribution, labels, expected, unproved)


def _tied(votes: Floats, same: Bools) -> Array:
    """Rows in which different sets have most votes (n, K); ``same`` (n, K, K) tells which ballots are equal."""
    top = votes == votes.max(axis=1, keepdims=True)
    of_first = same[np.arange(len(top)), top.argmax(axis=1)]
    return np.flatnonzero((top & ~of_first).any(axis=1))


def _majority(ballots: Labels, weights: Floats, least: int) -> Labels:
    """Labels with at least half of the votes; if those are too few, the labels with most votes are added."""
    shares = np.einsum("njl,nj->nl", ballots, weights).round(DIGITS)
    labels = (shares >= 0.5).astype(np.int8)
    if least:
        np.put_along_axis(labels, np.argsort(-shares, axis=1, kind="stable")[:, :least], 1, axis=1)
    return labels
