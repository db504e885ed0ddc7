"""Mixtures of forests: one family for trees, mixtures of trees, Bernoulli mixtures and binary relevance."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Self, TypeVar

import numpy as np
import numpy.typing as npt
from scipy.special import entr, log_softmax, logsumexp

from setwise.blocks import row_slices
from setwise.contract import (
    FREE,
    Array,
    Entropy,
    Floats,
    Labels,
    Mode,
    TopK,
    check_possible,
    check_sizes,
)
from setwise.distributions.published_searches import PublishedSearches
from setwise.inference.forests import (
    best_of_size,
    branch_and_bound,
    flips,
    messages,
    reciprocal,
    sizes,
)
from setwise.inference.forests.arrays import ROOT, Forests
from setwise.inference.forests.branch_and_bound import BUDGET
from setwise.inference.sets import enumeration
from setwise.limits import ENTROPY_DRAWS, ENUMERATED_LABELS

LARGE = 1e8
"""With larger logits, computing sums over labels as a matrix product would lose more than the seventh digit."""


class ForestMixture(PublishedSearches):
    """P(y) = sum_k w_k p_k(y) of each row, every p_k a forest over the labels.

    Every question of :class:`~setwise.distributions.LabelDistribution` is answered exactly, except the entropy of
    several components over many labels, which is estimated (its answer says so).

    Parameters
    ----------
    log_gate : array (n, K)
        Log weights of the components; the weights of each row sum to one, and -inf is allowed.
    logits : array (n, K, L, V), float32 or float64
        ``logits[i, k, l, v]`` is the logit of P(y_l = 1 | parent value v) in component k of row i. V is 1 if no
        component has an edge; with V = 2 a root uses v = 0. Infinite logits mean probabilities of exactly 0 and 1. The
        dtype is kept; all sums are computed in float64.
    parents : int array (K, L)
        Parent of each label in each component, -1 for a root.

    Examples
    --------
    Two labels that are on together or off together, with equal probability:

    >>> import numpy as np
    >>> logits = np.array([[[[9.0], [9.0]], [[-9.0], [-9.0]]]])
    >>> both = ForestMixture(np.log([[0.5, 0.5]]), logits, [[-1, -1], [-1, -1]])
    >>> np.exp(both.log_prob([[1, 1]])).round(3)
    array([0.5])
    >>> both.marginals().round(3)
    array([[0.5, 0.5]])
    >>> both.condition([[1, -1]]).marginals().round(3)
    array([[1., 1.]])
    """

    def __init__(self, log_gate: npt.ArrayLike, logits: npt.ArrayLike, parents: npt.ArrayLike) -> None:
        self.forests = Forests.of(logits, parents)
        self.log_gate = _check_gate(log_gate, *self.forests.logits.shape[:2])
        self.n_rows, self.n_components, self.n_labels, _ = self.forests.logits.shape

    @classmethod
    def independent(cls, logits: npt.ArrayLike) -> Self:
        """Make a distribution of independent labels.

        Parameters
        ----------
        logits : array of shape (n, L)
            Logits of P(y_l = 1).

        Returns
        -------
        ForestMixture

        Examples
        --------
        >>> import numpy as np
        >>> ForestMixture.independent(np.zeros((3, 5)))
        ForestMixture(n_rows=3, n_components=1, n_labels=5, edges=0)
        """
        logits = np.asarray(logits)
        return cls(np.zeros((len(logits), 1)), logits[:, None, :, None], np.full((1, logits.shape[1]), ROOT))

    @classmethod
    def forest(cls, logits: npt.ArrayLike, parents: npt.ArrayLike) -> Self:
        """Make a distribution with a single forest.

        Parameters
        ----------
        logits : array of shape (n, L, 2)
            Logits of P(y_l = 1) given each value of the label's parent.
        parents : int array of shape (L,)
            Parent of each label, -1 for a root.

        Returns
        -------
        ForestMixture

        Examples
        --------
        >>> import numpy as np
        >>> ForestMixture.forest(np.zeros((3, 5, 2)), [-1, 0, 0, 1, 1])
        ForestMixture(n_rows=3, n_components=1, n_labels=5, edges=4)
        """
        logits = np.asarray(logits)
        return cls(np.zeros((len(logits), 1)), logits[:, None], np.asarray(parents)[None])

    def __repr__(self) -> str:
        edges = int((self.forests.parents != ROOT).sum())
        return (
            f"ForestMixture(n_rows={self.n_rows}, n_components={self.n_components}, "
            f"n_labels={self.n_labels}, edges={edges})"
        )

    def _log_prob(self, Y: Labels) -> Floats:
        return np.asarray(logsumexp(self.log_gate + messages.log_evidence(self.forests, Y), axis=1))

    def _log_probs_of(self, sets: Labels) -> Floats:
        if (sets == FREE).any() or not (np.abs(self.forests.logits) < LARGE).all():
            return super()._log_probs_of(sets)
        return messages.log_probs_of(self.log_gate, self.forests, sets)

    def find_mode(
        self,
        evidence: Labels | None = None,
        *,
        least: int = 0,
        most: int | None = None,
        budget: int = BUDGET,
    ) -> Mode:
        """Search until the answer is proved optimal, or its bounds have been computed ``budget`` times in a row."""
        if least > 1 or (most is not None and most < self.n_labels):
            return self._mode_of_sizes(least, self.n_labels if most is None else most, evidence, budget)
        if self.n_components > 1 or least > 0:
            best = self.find_top_k(1, evidence, least=least, budget=budget)
            return Mode(best.labels[:, 0], best.log_prob[:, 0], best.certified, best.gap)
        labels, log_prob = messages.max_sum(self.forests, self._full(evidence))
        labels[log_prob == -np.inf] = FREE
        return Mode(labels[:, 0], log_prob[:, 0], np.ones(self.n_rows, np.bool_), np.zeros(self.n_rows))

    def find_top_k(
        self, k: int, evidence: Labels | None = None, *, least: int = 0, budget: int = BUDGET
    ) -> TopK:
        """Search by branch and bound until the answer is proved optimal or the ``budget`` of bounds is spent."""
        if evidence is None:
            return branch_and_bound.top_k(self.log_gate, self.forests, k, min_labels=least, budget=budget)
        parts = [self._top_k_given(rows, evidence[rows], k, least, budget) for rows in self._blocks()]
        return TopK(*(np.concatenate(column) for column in zip(*parts)))

    def marginals(self) -> Floats:
        """P(y_l = 1) of each row and label, (n, L)."""
        return np.asarray(np.einsum("nk,nkl->nl", np.exp(self.log_gate), self.component_marginals()))

    def component_marginals(self) -> Floats:
        """Probability that each label is on in each component.

        Returns
        -------
        array of shape (n, K, L)

        Examples
        --------
        >>> ForestMixture.independent([[0.0, 0.0]]).component_marginals()
        array([[[0.5, 0.5]]])
        """
        return messages.marginals(self.forests)

    def pairwise_marginals(self) -> Floats:
        """P(y_i = 1, y_j = 1) of each row, (n, L, L); the diagonal holds the marginals."""
        return messages.pairwise(np.exp(self.log_gate), self.forests)

    def sample(self, n_draws: int, rng: np.random.Generator) -> Labels:
        """Independent label sets of each row, (n, n_draws, L)."""
        return messages.sample(self.log_gate, self.forests, n_draws, rng)

    def _condition(self, evidence: Labels) -> Self:
        gate, forests, log_p = messages.condition(self.log_gate, self.forests, evidence)
        check_possible(log_p)
        return self._like(gate, forests)

    def size_probs(self) -> Floats:
        """P(|y| = s) for s = 0..L, (n, L + 1)."""
        return sizes.size_probs(np.exp(self.log_gate), self.forests)

    def joint_size_marginals(self) -> Floats:
        """P(y_l = 1, |y| = s) for s = 0..L, (n, L, L + 1)."""
        return sizes.joint_sizes(np.exp(self.log_gate), self.forests)

    def reciprocal_moments(self, weight: float, offsets: Floats) -> Floats:
        """E[y_l / (weight |y| + offset)] for each of the ``offsets`` (R,): (n, L, R), by exact quadrature."""
        gate = np.exp(self.log_gate)
        return reciprocal.reciprocal_moments(gate, self.forests, weight, offsets, self.size_bound())

    def size_bound(self) -> Array:
        """A size (n,) that sets exceed with a probability of at most 1e-13."""
        return reciprocal.size_bound(np.exp(self.log_gate), self.forests)

    def _mode_of_sizes(self, least: int, most: int, evidence: Labels | None, budget: int) -> Mode:
        check_sizes(least, most, self.n_labels)
        if evidence is None:
            return best_of_size.mode_of_sizes(self.log_gate, self.forests, least, most, budget=budget)
        parts = []
        for rows in self._blocks():
            gate, forests, log_p = messages.condition(
                self.log_gate[rows], self.forests.take(rows), evidence[rows]
            )
            best = best_of_size.mode_of_sizes(gate, forests, least, most, budget=budget)
            parts.append(_impossible(best, log_p))
        return Mode(*(np.concatenate(column) for column in zip(*parts)))

    def _flip_log_probs(self, Y: Labels) -> Floats:
        if not np.isfinite(self.forests.logits).all():
            return super()._flip_log_probs(Y)
        parts = [flips.flip_log_probs(self.log_gate[r], self.forests.take(r), Y[r]) for r in self._blocks()]
        return np.concatenate(parts)

    def _entropy(self) -> Entropy:
        """Entropy of each row in nats.

        Exact for one component, and by enumeration for few labels. Otherwise the mean of -log P(y) over draws, clipped
        to the proven bounds sum_k w_k H_k and sum_k w_k H_k + H(w).
        """
        gate = np.exp(self.log_gate)
        lower = (gate * messages.entropy(self.forests)).sum(axis=1)
        if self.n_components == 1:
            return _exact(lower)
        if self.n_labels <= ENUMERATED_LABELS:
            return _exact(entr(np.exp(enumeration.all_log_probs(self))).sum(axis=1))
        upper = lower + entr(gate).sum(axis=1)
        surprise = self._surprise(ENTROPY_DRAWS, self.row_numbers(0))
        error = surprise.std(axis=1, ddof=1) / np.sqrt(ENTROPY_DRAWS)
        return Entropy(np.clip(surprise.mean(axis=1), lower, upper), lower, upper, error, "sampled")

    def _tempered(self, temperature: float) -> Self:
        logits = (self.forests.logits / temperature).astype(self.forests.logits.dtype)
        gate = np.asarray(log_softmax(self.log_gate / temperature, axis=1))
        return self._like(gate, self.forests._replace(logits=logits))

    def _take(self, rows: npt.NDArray[np.intp]) -> Self:
        return self._like(self.log_gate[rows], self.forests.take(rows))

    def _like(self, log_gate: Floats, forests: Forests) -> Self:
        """Make a distribution of the same family from checked arrays."""
        other = object.__new__(type(self))
        other.forests, other.log_gate = forests, np.ascontiguousarray(log_gate)
        other.n_rows, other.n_components, other.n_labels, _ = forests.logits.shape
        return other

    def _blocks(self) -> Iterator[slice]:
        """Split the rows into blocks that bound the memory of their tables, which conditioning copies."""
        return row_slices(self.n_rows, math.prod(self.forests.logits.shape[1:]))

    def _top_k_given(self, rows: slice, evidence: Labels, k: int, min_labels: int, budget: int) -> TopK:
        gate, forests, log_p = messages.condition(self.log_gate[rows], self.forests.take(rows), evidence)
        best = branch_and_bound.top_k(gate, forests, k, min_labels=min_labels, budget=budget)
        return _impossible(best, log_p)

    def _surprise(self, n_draws: int, rng: np.random.Generator) -> Floats:
        """-log P(y) (n, n_draws) of random sets, drawn a few at a time to bound the memory."""
        few = np.array_split(np.arange(n_draws), -(-n_draws // 32))
        draws = (y for part in few for y in self.sample(len(part), rng).transpose(1, 0, 2))
        return -np.stack([self.log_prob(y) for y in draws], axis=1)


Answer = TypeVar("Answer", Mode, TopK)


def _impossible(best: Answer, log_p: Floats) -> Answer:
    """Convert answers given evidence of log-probability ``log_p`` (n,) to joint ones; FREE if it is impossible."""
    impossible = log_p == -np.inf
    best.labels[impossible], best.log_prob[impossible] = FREE, -np.inf
    best.certified[impossible], best.gap[impossible] = True, 0.0
    return best._replace(log_prob=best.log_prob + log_p.reshape(-1, *[1] * (best.log_prob.ndim - 1)))


def _exact(value: Floats) -> Entropy:
    return Entropy(value, value, value, np.zeros_like(value), "exact")


def _check_gate(log_gate: npt.ArrayLike, n_rows: int, n_components: int) -> Floats:
    log_gate = np.asarray(log_gate, dtype=np.float64)
    if log_gate.shape != (n_rows, n_components):
        raise ValueError(
            f"log_gate has shape {log_gate.shape}; expected a weight for each of the {n_components} "
            f"components in each of the {n_rows} rows, i.e. ({n_rows}, {n_components})"
        )
    total = np.asarray(logsumexp(log_gate, axis=1))
    bad = ~(np.abs(total) < 1e-3)
    if bad.any():
        row = int(np.flatnonzero(bad)[0])
        raise ValueError(
            f"log_gate[{row}] sums to {np.exp(total[row]):.6g} in probability; the log weights of a row "
            "must sum to one (scipy.special.log_softmax makes them so)"
        )
    return np.ascontiguousarray(log_gate - total[:, None])
