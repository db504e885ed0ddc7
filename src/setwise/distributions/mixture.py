"""Mixtures of any distributions over the same labels."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Self

import numpy as np
import numpy.typing as npt
from scipy.special import entr, log_softmax, logsumexp

from setwise.contract import (
    FREE,
    Array,
    Bools,
    Entropy,
    Floats,
    Labels,
    TopK,
    check_possible,
    replace_rows,
)
from setwise.distributions.label_distribution import LabelDistribution
from setwise.inference.sets import enumeration
from setwise.inference.sets.candidates import best_distinct
from setwise.inference.sets.certificates import certify, upper_bound
from setwise.limits import ENUMERATED_LABELS, N_DRAWS

LISTED = 4
"""Number of sets taken from components that list them without proof, so that the mode heads the lists of a few best."""
MAX_DEPTH = 16
"""Maximum number of sets taken from each component; a search that needs more ends without a certificate."""


class Mixture(LabelDistribution):
    """P(y) = sum_k w_k p_k(y) of each row, where each p_k is any distribution over the same rows and labels.

    Answers are exact if those of the components are. The most probable sets are found by the threshold rule: the best
    sets of every component are scored under the mixture, and the best of these are proved optimal once no set further
    down all the lists can exceed them.

    Parameters
    ----------
    log_gate : array (n, K)
        Log weights of the components; the weights of each row sum to one.
    components : sequence of K LabelDistributions

    Examples
    --------
    >>> import numpy as np
    >>> from setwise.distributions import ForestMixture, Table
    >>> table = Table([[0, 1], [1, 0]], np.log([[0.6, 0.4]]))
    >>> mixture = Mixture(np.log([[0.9, 0.1]]), [table, ForestMixture.independent([[0.0, 0.0]])])
    >>> mixture.mode().labels
    array([[0, 1]], dtype=int8)
    >>> np.exp(mixture.log_prob([[1, 1]])).round(3)
    array([0.025])
    """

    def __init__(self, log_gate: npt.ArrayLike, components: Sequence[LabelDistribution]) -> None:
        self.components = list(components)
        self.n_rows, self.n_labels = components[0].n_rows, components[0].n_labels
        self.log_gate = np.asarray(log_gate, dtype=np.float64)
        if self.log_gate.shape != (self.n_rows, len(self.components)):
            raise ValueError(
                f"log_gate has shape {self.log_gate.shape}; expected a weight for each of the "
                f"{len(self.components)} components in each of the {self.n_rows} rows"
            )

    def __repr__(self) -> str:
        return f"Mixture(n_rows={self.n_rows}, n_labels={self.n_labels}, components={self.components!r})"

    def _log_prob(self, Y: Labels) -> Floats:
        return np.asarray(logsumexp(self.log_gate + self._log_evidence(Y), axis=1))

    def _log_probs_of(self, sets: Labels) -> Floats:
        return self._log_mean(lambda c: c.log_probs_of(sets))

    def _flip_log_probs(self, Y: Labels) -> Floats:
        return self._log_mean(lambda c: c.flip_log_probs(Y))

    def find_top_k(self, k: int, evidence: Labels | None = None, *, least: int = 0) -> TopK:
        """Merge the lists of the components, with longer lists until the best sets are proved optimal."""
        depth = k
        answer = self._merged(k, depth, evidence, least)
        while depth < max(MAX_DEPTH, 2 * k) and not answer.certified.all():
            depth *= 4
            rows = np.flatnonzero(~answer.certified)
            deeper = self.take(rows)._merged(k, depth, None if evidence is None else evidence[rows], least)
            replace_rows(answer, rows, deeper)
        return answer

    def _merged(self, k: int, depth: int, evidence: Labels | None, least: int) -> TopK:
        parts = [c.find_top_k(depth, evidence, least=least) for c in self.components]
        sets = np.concatenate([part.labels for part in parts], axis=1)
        scores = np.stack([self.log_prob(sets[:, s]) for s in range(sets.shape[1])], axis=1)
        scores[(sets == FREE).any(axis=2)] = -np.inf
        labels, best = best_distinct(sets, scores, k)
        bounds = np.stack([upper_bound(part) for part in parts], axis=1)
        return certify(labels, best, np.asarray(logsumexp(self.log_gate + bounds, axis=1)))

    def marginals(self) -> Floats:
        """P(y_l = 1) of each row and label, (n, L)."""
        return self._mean(lambda c: c.marginals())

    def pairwise_marginals(self) -> Floats:
        """P(y_i = 1, y_j = 1) of each row, (n, L, L); the diagonal holds the marginals."""
        return self._mean(lambda c: c.pairwise_marginals())

    def size_probs(self) -> Floats:
        """P(|y| = s) for s = 0..L, (n, L + 1)."""
        return self._mean(lambda c: c.size_probs())

    def joint_size_marginals(self) -> Floats:
        """P(y_l = 1, |y| = s) for s = 0..L, (n, L, L + 1)."""
        return self._mean(lambda c: c.joint_size_marginals())

    def reciprocal_moments(self, weight: float, offsets: Floats) -> Floats:
        """E[y_l / (weight |y| + offset)] for each of the ``offsets`` (R,): (n, L, R)."""
        return self._mean(lambda c: c.reciprocal_moments(weight, offsets))

    def size_bound(self) -> Array:
        """Size (n,) that sets exceed with negligible probability only."""
        return np.max([c.size_bound() for c in self.components], axis=0)

    @property
    def sampled(self) -> bool:
        """Whether sums over the label sets of some component are estimated from draws."""
        return any(component.sampled for component in self.components)

    @property
    def weighs_sets(self) -> bool:
        """Whether all components' ``log_prob`` of a whole set is exact."""
        return all(component.weighs_sets for component in self.components)

    def sample(self, n_draws: int, rng: np.random.Generator) -> Labels:
        """Independent label sets of each row, (n, n_draws, L)."""
        ends = np.cumsum(np.exp(self.log_gate), axis=1)
        points = rng.random((self.n_rows, n_draws)) * ends[:, -1:]
        component = (points[:, :, None] >= ends[:, None, :-1]).sum(axis=2)
        draws = np.zeros((self.n_rows, n_draws, self.n_labels), dtype=np.int8)
        for k, c in enumerate(self.components):
            draws = np.where((component == k)[:, :, None], c.sample(n_draws, rng), draws)
        return draws

    def independent_draws(self) -> Floats:
        """Effective number of draws (n,), from those of the components that they come from."""
        cost = [1.0 / component.independent_draws() for component in self.components]
        return np.asarray(1.0 / np.einsum("nk,kn->n", np.exp(self.log_gate), np.stack(cost)))

    def _condition(self, evidence: Labels) -> Self:
        joint = self.log_gate + self._log_evidence(evidence)
        total = np.asarray(logsumexp(joint, axis=1))
        check_possible(total)
        gate = joint - total[:, None]
        # A component under which the evidence is impossible has weight zero, so any of its sets will do.
        own = [
            np.where((gate[:, k] == -np.inf)[:, None], FREE, evidence) for k in range(len(self.components))
        ]
        return type(self)(gate, [c.condition(e) for c, e in zip(self.components, own)])

    def _entropy(self) -> Entropy:
        """Entropy of each row in nats, by enumeration or as the mean of -log P over draws; ``method`` says which."""
        if self.n_labels <= ENUMERATED_LABELS:
            value = np.maximum(entr(np.exp(enumeration.all_log_probs(self))).sum(axis=1), 0.0)
            return Entropy(value, value, value, np.zeros_like(value), "exact")
        gate = np.exp(self.log_gate)
        parts = [c.entropy() for c in self.components]
        lower = np.einsum("nk,kn->n", gate, np.stack([part.lower for part in parts]))
        upper = np.einsum("nk,kn->n", gate, np.stack([part.upper for part in parts])) + entr(gate).sum(axis=1)
        draws = self.sample(N_DRAWS, self.row_numbers(0))
        surprise = -np.stack([self.log_prob(draws[:, s]) for s in range(N_DRAWS)], axis=1)
        error = surprise.std(axis=1, ddof=1) / np.sqrt(N_DRAWS)
        return Entropy(np.clip(surprise.mean(axis=1), lower, upper), lower, upper, error, "sampled")

    def _tempered(self, temperature: float) -> Self:
        gate = log_softmax(self.log_gate / temperature, axis=1)
        return type(self)(gate, [c.tempered(temperature) for c in self.components])

    def _take(self, rows: npt.NDArray[np.intp]) -> Self:
        return type(self)(self.log_gate[rows], [c.take(rows) for c in self.components])

    def _may_be_on(self, evidence: Labels | None = None) -> Bools:
        weighed = (self.log_gate > -np.inf).T[:, :, None]
        of_some = (np.stack([c._may_be_on(evidence) for c in self.components]) & weighed).any(axis=0)
        return np.asarray(of_some & super()._may_be_on(evidence))

    def _log_evidence(self, Y: Labels) -> Floats:
        return np.stack([c.log_prob(Y) for c in self.components], axis=1)

    def _log_mean(self, answer: Callable[[LabelDistribution], Floats]) -> Floats:
        """Log of the mean of probabilities (n, any) given as logs."""
        parts = [self.log_gate[:, k, None] + answer(c) for k, c in enumerate(self.components)]
        return np.asarray(np.logaddexp.reduce(parts))

    def _mean(self, answer: Callable[[LabelDistribution], Array]) -> Floats:
        gate = np.exp(self.log_gate)
        total: Floats = np.float64(0.0)  # type: ignore[assignment]
        for k, component in enumerate(self.components):
            values = answer(component)
            total = total + values * gate[:, k].reshape(-1, *[1] * (values.ndim - 1))
        return total


class ListedMixture(Mixture):
    """A mixture whose components list their best sets without proof, as a beam does; longer lists prove nothing."""

    def find_top_k(self, k: int, evidence: Labels | None = None, *, least: int = 0) -> TopK:
        """Merge the lists of the components, which are never shorter than ``LISTED``."""
        return self._merged(k, max(k, LISTED), evidence, least)
