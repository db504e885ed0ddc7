"""Arbitrary losses: expectations over the most probable sets and draws, and a local search over answers."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from setwise.blocks import row_slices
from setwise.contract import Array, Decided, Floats, Joint, Labels
from setwise.decisions.f_measure import FBeta
from setwise.decisions.feasible import Feasible
from setwise.decisions.rule import Rule
from setwise.decisions.subset import best_feasible
from setwise.inference.sets.enumeration import all_log_probs, label_sets
from setwise.limits import ENUMERATED_LABELS

LISTED_SETS = 4096
"""Distributions that list at most this many possible sets are summed over exactly."""
TOP, DRAWS, ANSWERS = 32, 256, 16
ROUNDS = 4
"""Rounds of trying single changes of the best answer known."""
PAIR_BYTES = 2
"""Bytes per label when a true set is compared with an answer."""


class Weighted(NamedTuple):
    """Sets (n, S, L) with weights (n, S) that sum to one; the ``drawn`` (n, S) ones represent all other sets."""

    sets: Labels
    weights: Floats
    drawn: Array

    def mean(self, losses: Floats) -> tuple[Floats, Floats]:
        """Expectation (n,) of the losses (n, S), and its standard error from the drawn part."""
        expected = (self.weights * losses).sum(axis=1)
        count, mass = self.drawn.sum(axis=1), (self.weights * self.drawn).sum(axis=1)
        centre = (losses * self.drawn).sum(axis=1) / np.maximum(count, 1)
        spread = (self.drawn * (losses - centre[:, None]) ** 2).sum(axis=1) / np.maximum(count - 1, 1)
        return expected, mass * np.sqrt(spread / np.maximum(count, 1))


class ExpectedLoss(Rule):
    """Base class of rules whose loss is only known as a function.

    *Up to ten labels*, every allowed answer is tried. If the distribution is exact, so is the expectation, and the
    answer is certified. *With more labels*, the most probable sets, the nested sets of the likeliest labels and the F1
    answer are tried, then single changes of the best one. Expectations are exact over the most probable sets and use
    draws for the rest, with a standard error. The answer is chosen on one sample, its loss estimated on another.
    """

    @abstractmethod
    def pairwise(self, sets: Labels, answers: Labels) -> Floats:
        """Loss of each answer for each true set.

        Parameters
        ----------
        sets : array of shape (n, S, L)
        answers : array of shape (n, A, L)

        Returns
        -------
        array of shape (n, A, S)

        Examples
        --------
        >>> import numpy as np
        >>> from setwise.decisions import Jaccard
        >>> Jaccard().pairwise(np.array([[[1, 0], [1, 1]]]), np.array([[[1, 0]]]))
        array([[[0. , 0.5]]])
        """

    def _best(self, distribution: Joint, feasible: Feasible) -> Decided:
        listed = _listed(distribution)
        if distribution.n_labels <= ENUMERATED_LABELS:
            every = label_sets(distribution.n_labels)
            return self._among(distribution, listed, every[feasible.holds(every)])
        if listed is not None:
            inside = listed[0][feasible.holds(listed[0])]
            if len(inside):
                best = self._among(distribution, listed, inside)
                return best._replace(certified=np.zeros_like(best.certified))
        compared = distribution.n_labels * (TOP + DRAWS) * ANSWERS
        blocks = row_slices(distribution.n_rows, compared, cell_bytes=PAIR_BYTES)
        parts = [self._tried(distribution.take(rows), feasible) for rows in blocks]
        return Decided(*(np.concatenate(column) for column in zip(*parts)))

    def _among(self, distribution: Joint, listed: tuple[Labels, Floats] | None, answers: Labels) -> Decided:
        """The best of the same ``answers`` (A, L) for every row."""
        if listed is None:
            sets = distribution.draws()
            losses = np.concatenate([self.pairwise(s[None], answers[None]) for s in sets])
            expected = losses.mean(axis=2)
        else:
            sets, log_prob = listed
            expected = np.exp(log_prob) @ self.pairwise(sets[None], answers[None])[0].T
        best = expected.argmin(axis=1)
        certified = np.full(len(best), listed is not None)
        return self._decided(distribution, answers[best], expected.min(axis=1), certified)

    def _best_of(self, distribution: Joint, answers: Labels) -> Decided:
        listed = _listed(distribution)
        if distribution.sampled or listed is not None:
            return self._among(distribution, listed, answers)
        choosing, stating = (_weighted(distribution, seed) for seed in (1, 2))
        losses = (self.pairwise(row[None], answers[None])[0] for row in choosing.sets)
        best = np.array([(loss @ w).argmin() for loss, w in zip(losses, choosing.weights, strict=True)])
        expected, error = stating.mean(self.pairwise(stating.sets, answers[best][:, None])[:, 0])
        return Decided(answers[best], expected, error, np.zeros(len(best), dtype=np.bool_))

    def _tried(self, distribution: Joint, feasible: Feasible) -> Decided:
        choosing, stating = (_weighted(distribution, seed) for seed in (1, 2))
        labels = self._first_answer(distribution, choosing, feasible)
        unsure = np.argsort(np.abs(distribution.marginals() - 0.5), axis=1, kind="stable")[:, :ANSWERS]
        for _ in range(ROUNDS):
            near = np.repeat(labels[:, None], unsure.shape[1] + 1, axis=1)
            near[np.arange(len(near))[:, None], np.arange(1, near.shape[1]), unsure] ^= 1
            labels, moved = self._argmin(choosing, near, feasible)
            if not moved.any():
                break
        expected, error = stating.mean(self.pairwise(stating.sets, labels[:, None])[:, 0])
        return Decided(labels, expected, error, np.zeros(len(labels), dtype=np.bool_))

    def _first_answer(self, distribution: Joint, choosing: Weighted, feasible: Feasible) -> Labels:
        order = np.argsort(-distribution.marginals(), axis=1, kind="stable")
        rank = np.argsort(order, axis=1, kind="stable")
        nested = (rank[:, None] < np.arange(1, 13)[:, None]).astype(np.int8)
        best = best_feasible(distribution, feasible).labels
        f1 = FBeta().within(distribution, feasible).labels
        answers = np.concatenate([best[:, None], f1[:, None], nested, choosing.sets[:, :ANSWERS]], axis=1)
        return self._argmin(choosing, answers, feasible)[0]

    def _argmin(self, choosing: Weighted, answers: Labels, feasible: Feasible) -> tuple[Labels, Array]:
        """The best allowed answer of (n, A, L), and whether it differs from the first."""
        expected = np.einsum("nas,ns->na", self.pairwise(choosing.sets, answers), choosing.weights)
        expected[~feasible.holds(answers) & (np.arange(answers.shape[1]) > 0)] = np.inf
        best = (expected - 1e-12 * (np.arange(answers.shape[1]) == 0)).argmin(axis=1)
        return answers[np.arange(len(best)), best], best > 0


@dataclass(frozen=True)
class Loss(ExpectedLoss):
    """A loss given as a function.

    Parameters
    ----------
    function : callable
        ``function(truth, answer)`` returns the loss of each answer. Both are arrays (..., L) of 0 and 1 that broadcast;
        the result has shape (...). To maximize a utility, return its negative.

    Examples
    --------
    One wrong label is acceptable, two are not:

    >>> import numpy as np
    >>> from setwise.distributions import Table
    >>> sets = Table([[1, 1, 0], [0, 1, 1], [1, 1, 1]], np.log([[0.4, 0.3, 0.3]]))
    >>> rule = Loss(lambda truth, answer: ((truth != answer).sum(axis=-1) > 1).astype(float))
    >>> sets.decide(rule).labels, sets.decide(rule).expected_loss
    (array([[1, 1, 1]], dtype=int8), array([0.]))
    """

    function: Callable[[Any, Any], Any]

    def loss(self, truth: Any, answer: Any) -> Floats:
        """The value of the function."""
        values = np.asarray(self.function(truth, answer), dtype=np.float64)
        shape = np.broadcast_shapes(np.shape(truth), np.shape(answer))[:-1]
        if values.shape != shape or np.isnan(values).any():
            raise ValueError(
                f"the loss function returned an array of shape {values.shape}"
                f"{' with NaN' if np.isnan(values).any() else ''} for label sets of shapes {np.shape(truth)} and "
                f"{np.shape(answer)}; expected {shape}, without NaN"
            )
        return values

    def pairwise(self, sets: Labels, answers: Labels) -> Floats:
        """Loss (n, A, S) of each of the answers for each of the true sets."""
        return self.loss(sets[:, None], answers[:, :, None])


def _listed(distribution: Joint) -> tuple[Labels, Floats] | None:
    """Every possible set (m, L) with its exact log-probability (n, m), or None if there are too many."""
    listed = distribution.support()
    if listed is not None:
        return listed if len(listed[0]) <= LISTED_SETS else None
    if distribution.sampled or distribution.n_labels > ENUMERATED_LABELS:
        return None
    return label_sets(distribution.n_labels), all_log_probs(distribution)


def _weighted(distribution: Joint, seed: int) -> Weighted:
    """The most probable sets with their probabilities, and draws that share the remaining probability."""
    top = distribution.find_top_k(TOP)
    draws = distribution.sample(DRAWS, distribution.row_numbers(seed))
    listed = np.maximum(top.labels, 0)
    there = top.log_prob > -np.inf
    packed, others = np.packbits(listed, axis=2), np.packbits(draws, axis=2)
    repeated = ((others[:, :, None] == packed[:, None]).all(axis=3) & there[:, None]).any(axis=2)
    p = np.exp(top.log_prob)
    rest = np.maximum(1.0 - p.sum(axis=1), 0.0)
    new = (~repeated).sum(axis=1)
    share = np.where(new > 0, rest / np.maximum(new, 1), 0.0)
    weights = np.concatenate([p, np.where(repeated, 0.0, share[:, None])], axis=1)
    weights /= weights.sum(axis=1, keepdims=True)
    drawn = np.concatenate([np.zeros(p.shape, dtype=bool), ~repeated], axis=1)
    return Weighted(np.concatenate([listed, draws], axis=1), weights, drawn)
