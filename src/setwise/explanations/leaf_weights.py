"""Decision forests: derivatives of the joint by the weights of label sets in the leaves."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import log_expit, logsumexp

from setwise.contract import FREE, Floats, Labels, Matrix
from setwise.explanations.scored import Graded, Scored, Source
from setwise.explanations.trees import Nodes, TreeSource
from setwise.inference.sets.listed import agreement
from setwise.learning.trees.decision_forest import SMALLEST, DecisionTrees


@dataclass(frozen=True)
class LeafWeights(Scored):
    """P(y) = a w(y) + b Q(y | seen) + c Q(y) in terms of the weights w of the sets; see :class:`DecisionTrees`."""

    source: Source
    forest: DecisionTrees

    @property
    def sources(self) -> tuple[Source, ...]:
        """See :class:`Scored`."""
        return (self.source,)

    def log_prob(self, scores: Sequence[Floats], evidence: Labels) -> Graded:
        """See :class:`Scored`."""
        weights, sets = scores[0], self.forest.sets.astype(np.float64)
        leaves, seen, anywhere = self.forest.shares
        among = agreement(self.forest.sets, evidence)
        logits, by_weight = self._marginals(weights)
        q, q_slopes = _listed(logits, sets, among)
        p, p_slopes = _product(logits, evidence)
        value = leaves * (weights * among).sum(axis=1) + seen * q + anywhere * p
        by_logit = seen * q_slopes + anywhere * p_slopes
        slopes = leaves * among + (by_logit * by_weight) @ sets.T
        with np.errstate(divide="ignore"):
            safe = np.where(value > 0, value, 1.0)
            return Graded(np.log(value), [slopes / safe[:, None]])

    def _marginals(self, weights: Floats) -> tuple[Floats, Floats]:
        """Logits (n, L) of the labels, and their derivatives (n, L) by the weight of a set that has the label."""
        forest, sets = self.forest, self.forest.sets.astype(np.float64)
        p = (1.0 - forest.shrinkage) * (weights @ sets) + forest.shrinkage * forest.prior
        free = (p > SMALLEST) & (p < 1.0 - SMALLEST) & ~forest.unknown
        p = np.clip(p, SMALLEST, 1.0 - SMALLEST)
        logits = np.where(forest.unknown, 0.0, np.log(p) - np.log1p(-p))
        return logits, np.where(free, (1.0 - forest.shrinkage) / (p * (1.0 - p)), 0.0)


def _listed(logits: Floats, sets: Floats, among: Any) -> tuple[Floats, Floats]:
    """Probability (n,) of the event under independent labels that make a listed set, and its slopes (n, L)."""
    z = logits @ sets.T
    shares = np.exp(z - np.asarray(logsumexp(z, axis=1))[:, None])
    q = (shares * among).sum(axis=1)
    return q, (shares * among) @ sets - q[:, None] * (shares @ sets)


def _product(logits: Floats, evidence: Labels) -> tuple[Floats, Floats]:
    """Probability (n,) of the event under independent labels, and its slopes (n, L)."""
    signed = np.where(evidence == 1, logits, -logits)
    known = evidence != FREE
    p = np.exp(np.where(known, log_expit(signed), 0.0).sum(axis=1))
    away = np.exp(log_expit(-signed)) * np.where(evidence == 1, 1.0, -1.0)
    return p, p[:, None] * np.where(known, away, 0.0)


def leaf_source(forest: DecisionTrees, prepare: Callable[[Matrix], Matrix], row: Matrix) -> TreeSource:
    """Make a source of the weights of the sets in the leaves of a decision forest."""
    trees = forest.trees
    nodes = Nodes.of(trees.feature, trees.threshold, trees.left, trees.left + 1)
    length = trees.end - trees.begin
    member = np.repeat(trees.begin - np.append(0, np.cumsum(length)[:-1]), length) + np.arange(length.sum())
    node = np.repeat(np.arange(len(length)), length)

    def values(slopes: Floats) -> Floats:
        sums = np.bincount(
            node, trees.member_weight[member] * slopes[trees.member[member]], minlength=len(length)
        )
        return np.asarray(sums / trees.weight / len(trees.root))

    return TreeSource(forest.weights, nodes, trees.root.tolist(), values, prepare, row)
