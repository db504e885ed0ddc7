"""Chains of conditionals: the joint of classifier chains."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Literal, Self

import numpy as np
import numpy.typing as npt
from scipy.special import entr, softmax

from setwise.contract import (
    FREE,
    Array,
    Bools,
    Entropy,
    Floats,
    Labels,
    TopK,
    check_possible,
    size_shares,
)
from setwise.distributions.label_distribution import LabelDistribution
from setwise.inference.chains import conditionals as chains
from setwise.inference.chains import sums as chain_sums
from setwise.inference.chains.beam import Beam
from setwise.inference.chains.best_first import BestFirst
from setwise.inference.chains.conditionals import ChainSearch, Conditionals, Linear
from setwise.inference.chains.epsilon import Epsilon
from setwise.inference.chains.exhaustive import Exhaustive
from setwise.inference.chains.greedy import Greedy
from setwise.inference.chains.monte_carlo import MonteCarlo
from setwise.limits import N_DRAWS

SEARCHES: dict[str, type[ChainSearch]] = {
    "greedy": Greedy,
    "beam": Beam,
    "best_first": BestFirst,
    "epsilon": Epsilon,
    "exhaustive": Exhaustive,
    "monte_carlo": MonteCarlo,
}
Search = Literal["greedy", "beam", "best_first", "epsilon", "exhaustive", "monte_carlo"] | ChainSearch


def resolve_search(search: Search) -> ChainSearch:
    """Get a search by name, with its default parameters, or return the search itself.

    Examples
    --------
    >>> resolve_search("beam")
    Beam(width=15)
    """
    if isinstance(search, str):
        if search not in SEARCHES:
            known = ", ".join(map(repr, SEARCHES))
            raise ValueError(f"unknown search {search!r}; expected one of {known}, or a search object")
        return SEARCHES[search]()
    if not callable(search):
        raise ValueError(
            f"search is {search!r}; expected one of {', '.join(map(repr, SEARCHES))}, or a search"
        )
    return search


class Chain(LabelDistribution):
    """P(y) = prod_j P(y_order[j] | y_order[0], .., y_order[j-1]) of each row, given any evidence.

    *Exact*: ``log_prob`` of complete rows and of evidence on the first labels of the chain; ``sample``; and with the
    searches ``best_first`` and ``exhaustive``, the mode and the k best sets given any evidence. *Exact with up to 10
    free labels, otherwise from 1000 draws*: ``log_prob`` of other evidence, ``pairwise_marginals``, ``size_probs``,
    ``entropy`` and ``condition`` on other evidence. ``marginals`` without other evidence take as many draws as a
    standard error of .01 needs. ``sampled`` says which of the two applies.

    Parameters
    ----------
    conditionals : Conditionals of n rows and L labels
        In the order of the chain, e.g. :class:`~setwise.inference.chains.conditionals.Linear`.
    order : int array (L,), optional
        ``order[j]`` is the label at position j; by default 0..L-1.
    search : str or ChainSearch
        How ``mode`` and ``top_k`` search.

    Examples
    --------
    >>> import numpy as np
    >>> from setwise.inference.chains.conditionals import Linear
    >>> chain = Chain(Linear(np.array([[0.1, -0.4]]), np.array([[0.0, 0.5], [0.0, 0.0]])))
    >>> chain.mode().labels
    array([[0, 0]], dtype=int8)
    >>> Chain(chain.conditionals, search="greedy").mode().labels
    array([[1, 1]], dtype=int8)
    >>> chain.marginals().round(3)
    array([[0.525, 0.466]])
    """

    def __init__(
        self,
        conditionals: Conditionals,
        order: npt.ArrayLike | None = None,
        *,
        search: Search = "best_first",
    ) -> None:
        self.conditionals = conditionals
        self.n_rows, self.n_labels = conditionals.shape
        self.order = np.arange(self.n_labels) if order is None else np.asarray(order)
        if not np.array_equal(np.sort(self.order), np.arange(self.n_labels)):
            raise ValueError(f"order is {self.order.tolist()}; expected each of 0..{self.n_labels - 1} once")
        self.search = resolve_search(search)
        self.evidence = np.full((self.n_rows, self.n_labels), FREE, dtype=np.int8)
        self._log_evidence = np.zeros(self.n_rows)

    def __repr__(self) -> str:
        return f"Chain(n_rows={self.n_rows}, n_labels={self.n_labels}, search={self.search!r})"

    @property
    def sampled(self) -> bool:
        """Whether sums over label sets are estimated from draws."""
        return not chain_sums.is_enumerable(self.evidence)

    @property
    def weighs_sets(self) -> bool:
        """Whether ``log_prob`` of a whole set is exact. It is not if the probability of the evidence is estimated."""
        return not self.sampled or self._drawn_forwards

    def _log_prob(self, Y: Labels) -> Floats:
        joint, agrees = self._joined(Y)
        log_p = chain_sums.log_evidence(self.conditionals, joint) - self._log_evidence
        return np.where(agrees, log_p, -np.inf)

    def find_top_k(self, k: int, evidence: Labels | None = None, *, least: int = 0) -> TopK:
        """Search for the sets by ``search``."""
        joint, agrees = (self._along(self.evidence), None) if evidence is None else self._joined(evidence)
        best = self.search(self.conditionals, joint, k, least)
        if agrees is not None:
            best.labels[~agrees], best.log_prob[~agrees] = FREE, -np.inf
            best.certified[~agrees], best.gap[~agrees] = True, 0.0
        return best._replace(
            labels=self._back(best.labels), log_prob=best.log_prob - self._log_evidence[:, None]
        )

    def marginals(self) -> Floats:
        """P(y_l = 1) of each row and label, (n, L)."""
        if self.sampled and self._drawn_forwards:
            means = np.empty((self.n_rows, self.n_labels))
            given = self._along(self.evidence)
            means[:, self.order] = chain_sums.mean_conditionals(self.conditionals, given).means
            return means
        return self._expect(lambda sets, weights: np.einsum("ns,nsl->nl", weights, sets))

    def pairwise_marginals(self) -> Floats:
        """P(y_i = 1, y_j = 1) of each row, (n, L, L); the diagonal holds the marginals."""
        return self._expect(
            lambda sets, weights: np.swapaxes(weights[:, :, None] * sets, 1, 2) @ sets.astype(np.float64)
        )

    def size_probs(self) -> Floats:
        """P(|y| = s) for s = 0..L, (n, L + 1)."""
        sizes = np.arange(self.n_labels + 1)
        return self._expect(
            lambda sets, weights: np.einsum("ns,nsz->nz", weights, sets.sum(axis=2)[:, :, None] == sizes)
        )

    def joint_size_marginals(self) -> Floats:
        """P(y_l = 1, |y| = s) for s = 0..L, (n, L, L + 1)."""
        return self._expect(size_shares)

    def sample(self, n_draws: int, rng: np.random.Generator) -> Labels:
        """Independent label sets of each row, (n, n_draws, L)."""
        if self._drawn_forwards:
            uniforms = rng.random((self.n_rows, n_draws, self.n_labels))
            draws, _, _ = chains.sample(self.conditionals, self._along(self.evidence), uniforms)
            return self._back(draws)
        points = iter(rng.random((self.n_rows, n_draws)))
        return self._expect(lambda sets, weights: _resampled(sets, weights, points)).astype(np.int8)

    def independent_draws(self) -> Floats:
        """Effective number of draws (n,). It is smaller if the draws were resampled from weighted ones."""
        if self._drawn_forwards or not self.sampled:
            return np.full(self.n_rows, float(N_DRAWS))
        weighted = self._expect(lambda sets, weights: (weights**2).sum(axis=1))
        return 1.0 / (weighted + 1.0 / N_DRAWS)

    def _condition(self, evidence: Labels) -> Self:
        joint, agrees = self._joined(evidence)
        log_p = np.where(agrees, chain_sums.log_evidence(self.conditionals, joint), -np.inf)
        check_possible(log_p)
        return self._like(self.conditionals, self._back(joint), log_p)

    def _entropy(self) -> Entropy:
        """Entropy of each row in nats, by enumeration or as the mean of -log P over draws; ``method`` says which."""
        n_free = (self.evidence == FREE).sum(axis=1)
        if not self.sampled:
            value = self._expect(lambda sets, weights: entr(weights).sum(axis=1))
            return Entropy(value, value, value, np.zeros_like(value), "exact")
        draws = self.sample(N_DRAWS, self.row_numbers(0))
        surprise = self._log_evidence[:, None] - chains.log_prob(self.conditionals, draws[..., self.order])
        n_independent = self.independent_draws()
        # The probability of the evidence is estimated from the same number of draws.
        of_evidence = np.maximum(1.0 / n_independent - 1.0 / N_DRAWS, 0.0)
        error = np.sqrt(surprise.var(axis=1, ddof=1) / n_independent + of_evidence)
        lower, upper = np.zeros(self.n_rows), n_free * np.log(2.0)
        return Entropy(np.clip(surprise.mean(axis=1), lower, upper), lower, upper, error, "sampled")

    def _tempered(self, temperature: float) -> Self:
        if not isinstance(self.conditionals, Linear):
            return super()._tempered(temperature)
        linear = Linear(self.conditionals.offsets / temperature, self.conditionals.coupling / temperature)
        free = self._like(linear, np.full_like(self.evidence, FREE), np.zeros(self.n_rows))
        return free._condition(self.evidence)

    def _take(self, rows: npt.NDArray[np.intp]) -> Self:
        return self._like(self.conditionals.take(rows), self.evidence[rows], self._log_evidence[rows])

    def _like(self, conditionals: Conditionals, evidence: Labels, log_evidence: Floats) -> Self:
        other = object.__new__(type(self))
        other.__dict__.update(self.__dict__)
        other.conditionals, other.evidence, other._log_evidence = conditionals, evidence, log_evidence
        other.n_rows = len(evidence)
        return other

    @property
    def _drawn_forwards(self) -> bool:
        """Whether draws along the chain are draws given the evidence, because it covers the first labels only."""
        return bool(chain_sums.is_prefix(self._along(self.evidence)).all())

    def _along(self, labels: Labels) -> Labels:
        """Labels (..., L) in the order of the chain."""
        return np.ascontiguousarray(labels[..., self.order])

    def _back(self, labels: Labels) -> Labels:
        """Labels (..., L) back in the original order."""
        own = np.empty_like(labels)
        own[..., self.order] = labels
        return own

    def _joined(self, Y: Labels) -> tuple[Labels, Bools]:
        """New and old evidence together (n, L), in chain order, and whether they agree (n,)."""
        old = self.evidence
        agrees = ((old == Y) | (Y == FREE) | (old == FREE)).all(axis=1)
        return self._along(np.where(old == FREE, Y, old)), agrees

    def _expect(self, answer: Callable[[Labels, Floats], Array]) -> Array:
        """Compute ``answer(sets, weights)`` of weighted sets that represent the distribution, block by block."""
        parts = [
            answer(self._back(sets), softmax(log_weights, axis=1))
            for sets, log_weights in chain_sums.weighted_sets(self.conditionals, self._along(self.evidence))
        ]
        return np.concatenate(parts)


def _resampled(sets: Labels, weights: Floats, points: Iterator[Floats]) -> Labels:
    """Resample weighted sets (n, S, L) to (n, n_draws, L), row by row with the next ``points`` (n_draws,)."""
    ends = np.cumsum(weights, axis=1)
    chosen = np.stack([np.searchsorted(e, next(points) * e[-1], side="right") for e in ends])
    return np.take_along_axis(sets, np.minimum(chosen, sets.shape[1] - 1)[:, :, None], axis=1)
