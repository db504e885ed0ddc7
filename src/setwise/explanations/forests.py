"""Mixtures of forests of logistic regressions: derivatives of the probability of evidence by gate scores and logits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import expit, log_softmax, logsumexp

from setwise.contract import Array, Floats, Labels
from setwise.explanations.events import Event
from setwise.explanations.scored import Graded, Scored, Source, log_sum
from setwise.inference.forests import messages
from setwise.inference.forests.arrays import ROOT, Forests
from setwise.inference.sets.listed import agreement


@dataclass(frozen=True)
class ForestScores(Scored):
    """A mixture of forests, or the mean of several, in terms of its gate and its experts.

    Parameters
    ----------
    experts : Source
        Logits, flat in (component, label, value of the parent).
    parents : ndarray of shape (K, L)
    gate : Source, optional
        Scores of the K components; not needed for a single one.
    sizes : ndarray of int, optional
        Number of components of each mixture; a single mixture by default.
    only : int, optional
        Explain this component alone.
    """

    experts: Source
    parents: Array
    gate: Source | None = None
    sizes: Array | None = None
    only: int | None = None

    @classmethod
    def independent(cls, source: Source, n_labels: int) -> ForestScores:
        """Independent labels, with a logit each."""
        return cls(source, np.full((1, n_labels), ROOT, dtype=np.int32))

    @property
    def sources(self) -> tuple[Source, ...]:
        """See :class:`Scored`."""
        return (self.experts,) if self.gate is None else (self.experts, self.gate)

    def log_prob(self, scores: Sequence[Floats], evidence: Labels) -> Graded:
        """See :class:`Scored`.

        The derivative by a logit is how much more often the label is on if the evidence holds, in the rows of its
        component and of the value of its parent.
        """
        gate, forests = self._mixture(scores)
        of_component, given, log_p = messages.condition(gate, forests, evidence)
        share = np.exp(of_component)
        shift = self._parent_shares(messages.marginals(given)) * (expit(given.logits) - expit(forests.logits))
        slopes = (share[:, :, None, None] * shift).reshape(len(evidence), -1)
        return Graded(log_p, [slopes, *self._gate_slopes(gate, share)])

    def log_probs_of(self, scores: Sequence[Floats], sets: Labels, among: Array) -> Graded:
        """Compute the log-probability of the ``sets`` (m, L) together, of those ``among`` (n, m) the wanted."""
        gate, forests = self._mixture(scores)
        on = sets.astype(np.float64)
        used = self._parent_values(sets)
        z, n = forests.logits, len(gate)
        tables = (on[:, None, :, None] * used).reshape(len(sets), *used.shape[1:])
        by_component = np.einsum("nklv,mklv->nkm", z, tables) - np.einsum(
            "nklv,mklv->nkm", np.logaddexp(0.0, z), used
        )
        joint = np.where(among[:, None, :], gate[:, :, None] + by_component, -np.inf)
        value = np.asarray(logsumexp(joint.reshape(n, -1), axis=1))
        weight = np.exp(joint - np.where(np.isneginf(value), 0.0, value)[:, None, None])
        slopes = np.einsum("nkm,mklv->nklv", weight, tables) - expit(z) * np.einsum(
            "nkm,mklv->nklv", weight, used
        )
        return Graded(value, [slopes.reshape(n, -1), *self._gate_slopes(gate, weight.sum(axis=2))])

    def _mixture(self, scores: Sequence[Floats]) -> tuple[Floats, Forests]:
        """Log weights (n, K) and forests of the rows with these scores."""
        K, L = self.parents.shape
        logits = scores[0].reshape(len(scores[0]), K, L, -1)
        return self._log_gate(scores), Forests.of(logits, self.parents)

    def _log_gate(self, scores: Sequence[Floats]) -> Floats:
        n, K = len(scores[0]), len(self.parents)
        if self.only is not None:
            return np.tile(np.where(np.arange(K) == self.only, 0.0, -np.inf), (n, 1))
        if self.gate is None:
            return np.full((n, K), -np.log(K))
        parts = np.split(scores[1], self._ends()[:-1], axis=1)
        return np.hstack([log_softmax(part, axis=1) for part in parts]) - np.log(len(parts))

    def _ends(self) -> Array:
        return np.array([len(self.parents)]) if self.sizes is None else np.cumsum(self.sizes)

    def _gate_slopes(self, gate: Floats, share: Floats) -> list[Floats]:
        """Derivatives of a log-probability by the gate's scores, from the shares (n, K) of the components in it."""
        if self.gate is None:
            return []
        if self.only is not None:
            return [np.zeros_like(share)]
        starts = np.append(0, self._ends()[:-1])
        of_mixture = np.add.reduceat(share, starts, axis=1)
        own = np.repeat(of_mixture, np.diff(np.append(starts, len(self.parents))), axis=1)
        return [share - np.exp(gate) * len(starts) * own]

    def _parent_shares(self, marginals: Floats) -> Floats:
        """P(parent of l has value v) (n, K, L, V); a root has the value 0."""
        V = self.experts.baseline().shape[1] // self.parents.size
        if V == 1:
            return np.ones((*marginals.shape, 1))
        above = np.broadcast_to(np.where(self.parents == ROOT, 0, self.parents), marginals.shape)
        on = np.where(self.parents == ROOT, 0.0, np.take_along_axis(marginals, above, axis=2))
        return np.stack([1.0 - on, on], axis=3)

    def _parent_values(self, sets: Labels) -> Floats:
        """Whether the parent of l has value v (m, K, L, V) in each of the sets."""
        shape = (len(sets), *self.parents.shape)
        return self._parent_shares(np.broadcast_to(sets[:, None, :].astype(np.float64), shape))

    def weight_of(self, component: int) -> ComponentWeight:
        """The weight of a component in place of the probability of labels."""
        return ComponentWeight(self, component)


@dataclass(frozen=True)
class ComponentWeight(Scored):
    """The log-odds of the weight of a ``component``: why a row belongs to it."""

    mixture: ForestScores
    component: int

    @property
    def sources(self) -> tuple[Source, ...]:
        """See :class:`Scored`."""
        return self.mixture.sources

    def log_prob(self, scores: Sequence[Floats], evidence: Labels) -> Graded:
        """See :class:`Scored`; the weight does not depend on labels."""
        return self._weight(scores, self.component)

    def log_odds(self, scores: Sequence[Floats], event: Event) -> Graded:
        """See :class:`Scored`."""
        K = len(self.mixture.parents)
        others = [self._weight(scores, k) for k in range(K) if k != self.component]
        return self._weight(scores, self.component).minus(log_sum(others))

    def _weight(self, scores: Sequence[Floats], component: int) -> Graded:
        gate = self.mixture._log_gate(scores)
        share = np.zeros_like(gate)
        share[:, component] = 1.0
        slopes = [np.zeros_like(scores[0]), *self.mixture._gate_slopes(gate, share)]
        return Graded(gate[:, component], slopes)


@dataclass(frozen=True)
class SeenSetScores(Scored):
    """(1 - a) P(y) + a P(y | y is one of the sets): a mixture with a share ``a`` for the ``sets`` (m, L)."""

    mixture: ForestScores
    sets: Labels
    share: float

    @property
    def sources(self) -> tuple[Source, ...]:
        """See :class:`Scored`."""
        return self.mixture.sources

    def log_prob(self, scores: Sequence[Floats], evidence: Labels) -> Graded:
        """See :class:`Scored`."""
        everywhere = np.ones((len(evidence), len(self.sets)), dtype=np.bool_)
        seen = self.mixture.log_probs_of(scores, self.sets, agreement(self.sets, evidence))
        listed = seen.minus(self.mixture.log_probs_of(scores, self.sets, everywhere))
        weights = [float(np.log1p(-self.share)), float(np.log(self.share))]
        return log_sum([self.mixture.log_prob(scores, evidence), listed], weights)
