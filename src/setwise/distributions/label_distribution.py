"""What a user asks of P(y | x): the sets to answer, for any loss, among those that may be answered.

**What may be answered.** A distribution made by an estimator carries its ``min_labels``. Sets with fewer labels are not
answered by ``mode``, ``top_k``, ``decide`` and ``predict``, so that all of them agree with the estimator's ``predict``.
Evidence wins: if it leaves a row fewer labels than that, the row's smallest answer is the number of labels left.

**Probabilities are not touched.** ``log_prob``, ``marginals``, ``size_probs`` and all other sums are those of the whole
joint, and so is the probability of an answer.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Self

import numpy as np

from setwise.contract import (
    Array,
    Decided,
    Evidence,
    Joint,
    Labels,
    Mode,
    NotTractable,
    TopK,
    check_search,
)
from setwise.decisions.feasible import Feasible
from setwise.decisions.named import Decision, resolve
from setwise.decisions.rule import Rule
from setwise.decisions.subset import Subset, best_feasible
from setwise.views.text import escape_html

SHOWN_ROWS, SHOWN_SETS = 5, 3
"""Rows, and sets of each, that a notebook shows."""


class LabelDistribution(Joint):
    """n distributions over label sets of L labels, one per row, and the sets to answer.

    Attributes
    ----------
    n_rows, n_labels : int
    label_names : array of shape (L,), or None
        Names by which labels may be given; answers are written with them.
    row_names : pandas Index, or None
        Index of the DataFrame that the rows came from; answers keep it.
    min_labels : int
        The smallest set that may be answered.
    decision : Rule
        What ``decide`` and ``predict`` answer by.
    own_decisions : mapping
        Rules that only this distribution knows by name, such as the vote of an ensemble.
    """

    min_labels: int = 0
    decision: Rule = Subset()
    own_decisions: Mapping[str, Rule] = MappingProxyType({})

    def mode(self, evidence: Evidence | None = None) -> Mode:
        """The most probable set that may be answered.

        Parameters
        ----------
        evidence : array or DataFrame of shape (n, L), or mapping, optional
            Only sets that agree with it are answered; as in :meth:`log_prob`.

        Returns
        -------
        Mode
            ``log_prob`` is that of the set and the evidence together.

        Examples
        --------
        >>> from setwise.distributions import Table
        >>> joint = Table([[0, 0], [1, 0], [1, 1]], np.log([[0.5, 0.3, 0.2]]))
        >>> joint.mode().labels, joint.restricted(min_labels=1).mode().labels, joint.mode({1: 1}).labels
        (array([[0, 0]], dtype=int8), array([[1, 0]], dtype=int8), array([[1, 1]], dtype=int8))
        """
        given = None if evidence is None else self._read(evidence)
        return Mode(*self._by_least(given, _best)).with_names(self.label_names, self.row_names)

    def top_k(self, k: int, evidence: Evidence | None = None) -> TopK:
        """The ``k`` most probable sets that may be answered, best first.

        With a search that is not exact a longer list can begin with a more probable set than ``mode`` finds.

        Parameters
        ----------
        k : int
        evidence : array or DataFrame of shape (n, L), or mapping, optional
            As in :meth:`mode`.

        Returns
        -------
        TopK

        Examples
        --------
        >>> from setwise.distributions import Table
        >>> joint = Table([[0, 0], [1, 0], [1, 1]], np.log([[0.5, 0.3, 0.2]]))
        >>> joint.top_k(2).labels[0], np.exp(joint.top_k(2).log_prob)
        (array([[0, 0],
                [1, 0]], dtype=int8), array([[0.5, 0.3]]))
        """
        check_search(k, self.n_labels)
        given = None if evidence is None else self._read(evidence)
        best = TopK(*self._by_least(given, lambda part, known, least: _best_k(part, known, least, k)))
        return best.with_names(self.label_names, self.row_names)

    def decide(self, decision: Decision | None = None) -> Decided:
        """The best answer for a loss, with its expected loss under the model.

        Parameters
        ----------
        decision : {"subset", "hamming", "f1", "jaccard"}, rule or callable, optional
            By default that of the estimator that made the distribution, else ``"subset"``. A callable is given the
            distribution and answers for itself: ``min_labels`` does not bind it, and unless it gives a
            :class:`~setwise.contract.Decided` the expected loss is not known (NaN).

        Returns
        -------
        Decided

        Examples
        --------
        >>> from setwise.distributions import Table
        >>> joint = Table([[0, 0], [1, 0], [1, 1]], np.log([[0.4, 0.35, 0.25]]))
        >>> joint.decide("subset").labels, joint.decide("hamming").labels
        (array([[0, 0]], dtype=int8), array([[1, 0]], dtype=int8))
        >>> joint.restricted(min_labels=2).decide().expected_loss
        array([0.75])
        """
        rule = self._rule(decision)
        best = self._by_least(None, lambda part, _, least: rule.within(part, _at_least(part, least)))
        return Decided(*best).with_names(self.label_names, self.row_names)

    def predict(self, decision: Decision | None = None) -> Labels:
        """The labels of :meth:`decide` alone, which some rules find more cheaply than their expected loss.

        Parameters
        ----------
        decision : {"subset", "hamming", "f1", "jaccard"}, rule or callable, optional
            As in :meth:`decide`.

        Returns
        -------
        int8 array of shape (n, L)

        Examples
        --------
        >>> from setwise.distributions import ForestMixture
        >>> ForestMixture.independent([[2.0, -1.0]]).predict()
        array([[1, 0]], dtype=int8)
        """
        rule = self._rule(decision)
        return self._by_least(None, lambda part, _, least: (rule.labels(part, _at_least(part, least)),))[0]

    def restricted(self, min_labels: int) -> Self:
        """The same distribution, of which only sets of at least ``min_labels`` labels are answered.

        Parameters
        ----------
        min_labels : int

        Returns
        -------
        distribution of the same family

        Examples
        --------
        >>> from setwise.distributions import ForestMixture
        >>> ForestMixture.independent([[-2.0, -1.0]]).restricted(min_labels=1).mode().labels
        array([[0, 1]], dtype=int8)
        """
        check_search(1, self.n_labels, min_labels)
        other = copy.copy(self)
        other.min_labels = int(min_labels)
        return other

    def unrestricted(self) -> Self:
        """The same distribution, of which any set may be answered, the empty one too.

        Returns
        -------
        distribution of the same family

        Examples
        --------
        >>> from setwise.distributions import ForestMixture
        >>> joint = ForestMixture.independent([[-2.0, -1.0]]).restricted(min_labels=1)
        >>> joint.unrestricted().mode().labels
        array([[0, 0]], dtype=int8)
        """
        return self.restricted(0)

    def _rule(self, decision: Decision | None) -> Rule:
        return self.decision if decision is None else resolve(decision, self.own_decisions)

    def _by_least(
        self, evidence: Labels | None, answer: Callable[[Self, Labels | None, int], tuple[Array, ...]]
    ) -> tuple[Array, ...]:
        """The columns of an answer, asked of the rows of each smallest size that may be answered."""
        least = self._least(evidence)
        sizes = np.unique(least)
        if len(sizes) < 2:
            return answer(self, evidence, int(sizes[0]) if len(sizes) else self.min_labels)
        groups = [np.flatnonzero(least == size) for size in sizes]
        parts = [
            answer(self.take(rows), None if evidence is None else evidence[rows], int(size))
            for rows, size in zip(groups, sizes)
        ]
        back = np.argsort(np.concatenate(groups))
        return tuple(np.concatenate(column)[back] for column in zip(*parts))

    def _least(self, evidence: Labels | None) -> Array:
        """The smallest set (n,) that may be answered: ``min_labels``, or the labels that evidence leaves."""
        if not self.min_labels:
            return np.zeros(self.n_rows, dtype=np.intp)
        return np.minimum(self.min_labels, self._may_be_on(evidence).sum(axis=1))

    def _carry(self, other: Self) -> Self:
        other.min_labels, other.decision = self.min_labels, self.decision
        other.own_decisions = self.own_decisions
        return super()._carry(other)

    def _repr_html_(self) -> str:
        """The most probable sets of the first rows, for a notebook."""
        try:
            best = self.take(slice(0, SHOWN_ROWS)).top_k(SHOWN_SETS)
        except NotTractable:
            return f"<code>{escape_html(repr(self))}</code>"
        return f"<code>{escape_html(repr(self))}</code>{best._repr_html_()}"


def _at_least(distribution: Joint, least: int) -> Feasible:
    return Feasible(distribution.n_labels, least)


def _best(distribution: Joint, evidence: Labels | None, least: int) -> Mode:
    return best_feasible(distribution, _at_least(distribution, least), evidence)


def _best_k(distribution: Joint, evidence: Labels | None, least: int, k: int) -> TopK:
    """The ``k`` best sets found; the first is that of the mode where the search finds none."""
    found = distribution.find_top_k(k, evidence, least=least)
    lost = np.flatnonzero((found.labels[:, 0] < 0).any(axis=1))
    if lost.size:
        best = _best(distribution.take(lost), None if evidence is None else evidence[lost], least)
        found.labels[lost, 0], found.log_prob[lost, 0] = best.labels, best.log_prob
    return found
