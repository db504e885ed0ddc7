"""Instance F-measures: how well the answer and the true set overlap."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from setwise.blocks import block_rows, row_slices
from setwise.contract import FREE, Array, Decided, Floats, Joint, Labels
from setwise.decisions.feasible import Feasible
from setwise.decisions.linear import best_linear
from setwise.decisions.rule import Rule
from setwise.printable import plain_repr

FIRST_SIZES = 16
"""Answers up to this size are tried first, larger ones only if a bound does not rule them out."""


@dataclass(frozen=True)
class FBeta(Rule):
    r"""The answer with the largest expected instance F-measure; the loss is 1 - F.

    F = (1 + beta^2) |y and h| / (beta^2 |y| + |h|) for the true set y and the answer h. For answers of r labels the
    expectation is a sum over the answer's labels of (1 + beta^2) E[y_l / (beta^2 |y| + r)], so the r labels with
    the largest terms are best; the best r is found by trying all (the general F-measure maximiser). The answer is
    exact if the distribution's sums are.

    Parameters
    ----------
    beta : float
        Recall counts beta times as much as precision.
    both_empty : float
        F if both the answer and the true set are empty, as in :func:`setwise.metrics.instance_f1`.

    References
    ----------
    K. Dembczynski, W. Waegeman, W. Cheng and E. Huellermeier, "An exact algorithm for F-measure maximization",
    NIPS 2011.

    Examples
    --------
    >>> import numpy as np
    >>> from setwise.distributions import Table
    >>> sets = Table([[1, 0, 0], [0, 1, 0], [1, 1, 1]], np.log([[0.4, 0.3, 0.3]]))
    >>> decided = sets.decide(FBeta())
    >>> decided.labels, decided.expected_loss.round(3)
    (array([[1, 1, 0]], dtype=int8), array([0.293]))
    """

    beta: float = 1.0
    both_empty: float = 1.0

    def loss(self, truth: Any, answer: Any) -> Floats:
        """1 - F."""
        truth, answer = np.asarray(truth), np.asarray(answer)
        b = self.beta**2
        both = (truth & answer).sum(axis=-1)
        below = b * truth.sum(axis=-1) + answer.sum(axis=-1)
        score = np.divide((1.0 + b) * both, below, out=np.zeros(np.shape(below)), where=below > 0)
        return np.asarray(1.0 - np.where(below > 0, score, self.both_empty))

    def labels(self, distribution: Joint, feasible: Feasible) -> Labels:
        """Find the best answers without the error of their expected loss, which takes draws if sums are sampled."""
        if feasible.among is not None or not distribution.sampled:
            return super().labels(distribution, feasible)
        self._check()
        parts = self._parts(distribution, feasible)
        return np.concatenate([self._in_blocks(part, feasible)[0] for part in parts])

    def _in_blocks(self, distribution: Joint, feasible: Feasible) -> tuple[Labels, Floats]:
        """The best answers (n, L) and their gain (n,), for as many rows at a time as the moments' memory allows."""
        n, cells = distribution.n_rows, distribution.n_labels**2
        if n <= block_rows(cells):
            return self._maximise(distribution, feasible)
        parts = [self._maximise(distribution.take(rows), feasible) for rows in row_slices(n, cells)]
        labels, gain = (np.concatenate(column) for column in zip(*parts))
        return labels, gain

    def _best(self, distribution: Joint, feasible: Feasible) -> Decided:
        self._check()
        labels, gain = self._in_blocks(distribution, feasible)
        return self._decided(distribution, labels, 1.0 - gain, np.ones(len(labels), dtype=np.bool_))

    def _check(self) -> None:
        if not self.beta > 0:
            raise ValueError(f"beta is {plain_repr(self.beta)}; expected a number above 0")

    def _expected(self, distribution: Joint, answers: Labels) -> Floats:
        self._check()
        b = self.beta**2
        sizes, place = np.unique(answers.sum(axis=1), return_inverse=True)
        moments = distribution.reciprocal_moments(b, sizes.astype(np.float64))
        gain = np.empty((distribution.n_rows, len(answers)))
        for i, size in enumerate(sizes):
            terms, of_size = moments[:, :, i], place == i
            gain[:, of_size] = (1.0 + b) * terms @ answers[of_size].T if size else self._when_empty(terms)
        return 1.0 - gain

    def _when_empty(self, moments: Floats) -> Floats:
        """Expected F (n, 1) of the empty answer: without offset the moments (n, L) sum to P(|y| > 0) / beta^2."""
        return np.asarray(self.both_empty * (1.0 - self.beta**2 * moments.sum(axis=1, keepdims=True)))

    def _maximise(self, distribution: Joint, feasible: Feasible) -> tuple[Labels, Floats]:
        n, L = distribution.n_rows, distribution.n_labels
        labels, gain = np.full((n, L), FREE, dtype=np.int8), np.full(n, -np.inf)
        rows, first = np.arange(n), 0
        while rows.size and first <= feasible.largest:
            last = feasible.largest if first else min(FIRST_SIZES, feasible.largest)
            part = distribution if rows.size == n else distribution.take(rows)
            moments = part.reciprocal_moments(self.beta**2, np.arange(first, last + 1, dtype=np.float64))
            found, value = self._best_of_sizes(moments, first, feasible)
            better = value > gain[rows]
            labels[rows[better]], gain[rows[better]] = found[better], value[better]
            rows = rows[self._bound(part, moments[:, :, -1], last, feasible.largest) > gain[rows] + 1e-14]
            first = last + 1
        return labels, gain

    def _best_of_sizes(self, moments: Floats, first: int, feasible: Feasible) -> tuple[Labels, Floats]:
        """The best answers (n, L) of ``first`` and more labels, one size for each of the moments (n, L, R)."""
        b = self.beta**2
        value = np.full((len(moments), moments.shape[2]), -np.inf)
        answers: dict[int, Labels] = {}
        for place in range(moments.shape[2]):
            size = first + place
            if size < feasible.least or size > feasible.largest:
                continue
            if size == 0:
                if (feasible.evidence != 1).all():
                    value[:, :1] = self._when_empty(moments[:, :, 0])
                continue
            terms = (1.0 + b) * moments[:, :, place]
            if feasible.fixed or feasible.clauses:
                answers[place] = _of_size(terms, size, feasible)
                value[:, place] = np.where(
                    (answers[place] == FREE).any(axis=1), -np.inf, (terms * answers[place]).sum(axis=1)
                )
            else:
                value[:, place] = -np.partition(-terms, size - 1, axis=1)[:, :size].sum(axis=1)
        best = value.argmax(axis=1)
        return _chosen(moments, best, first, answers), value[np.arange(len(best)), best]

    def _bound(self, part: Joint, moments: Floats, last: int, largest: int) -> Floats:
        """Upper bound (n,) on F of any answer with more than ``last`` labels, from the moments (n, L) at ``last``.

        Going from ``last`` to r labels, a term shrinks at least by the factor for the largest set there is.
        """
        n, L = moments.shape
        if last >= largest or last == 0:
            return np.full(n, -np.inf if last >= largest else np.inf)
        b, sizes = self.beta**2, np.arange(last + 1, L + 1)
        sums = np.cumsum(-np.sort(-moments, axis=1), axis=1)[:, last:]
        big = b * part.size_bound()[:, None]
        return np.asarray((1.0 + b) * (sums * (big + last) / (big + sizes)).max(axis=1))


def _chosen(moments: Floats, best: Array, first: int, answers: dict[int, Labels]) -> Labels:
    """The labels (n, L) with the largest moments of the best size of each row."""
    n, L, _ = moments.shape
    if answers:
        empty = np.zeros((n, L), dtype=np.int8)
        return np.stack([answers.get(place, empty)[row] for row, place in enumerate(best)])
    own = np.take_along_axis(moments, best[:, None, None], axis=2)[:, :, 0]
    rank = np.argsort(np.argsort(-own, axis=1, kind="stable"), axis=1)
    return (rank < (first + best)[:, None]).astype(np.int8)


def _of_size(terms: Floats, size: int, feasible: Feasible) -> Labels:
    """The allowed answers (n, L) of one size with the largest sums of terms; FREE where there is none."""
    exact = Feasible(feasible.n_labels, size, size, feasible.fixed, feasible.clauses)
    try:
        return best_linear(terms, exact)
    except ValueError:
        return np.full(terms.shape, FREE, dtype=np.int8)
