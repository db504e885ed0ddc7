"""P(y | x) as users see it: probabilities, and answers for any loss.

**Restricted answers.** A distribution made by an estimator keeps its ``min_labels``. ``mode``, ``top_k``, ``decide``
and ``predict`` never return sets with fewer labels, so they agree with the estimator's ``predict``. Evidence has
priority: if it leaves fewer than ``min_labels`` labels that can be on, answers of that many labels are allowed.

**Probabilities are not restricted.** ``log_prob``, ``marginals``, ``size_probs`` and all other sums are those of the
whole joint, and so is the probability of an answer.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import NoReturn, Self

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
"""Number of rows, and of sets per row, shown in a notebook."""
PUBLISHED_SEARCHES = ("annealed_mode", "decomposed_mode", "sampled_mode")
"""Searches of the papers, which mixtures of forests alone have."""


class LabelDistribution(Joint):
    """n distributions over label sets of L labels, one per row, and the answers for a loss.

    Attributes
    ----------
    n_rows, n_labels : int
    label_names : array of shape (L,), or None
        Names of the labels, accepted as input and shown in answers.
    row_names : pandas Index, or None
        Index of the DataFrame that the rows came from, shown in answers.
    min_labels : int
        Smallest number of labels of an answer.
    decision : Rule
        Default of ``decide`` and ``predict``.
    own_decisions : mapping
        Named rules that only this distribution has, such as the vote of an ensemble.

    Examples
    --------
    >>> from setwise.distributions import Table
    >>> joint = Table([[0, 0], [1, 0], [1, 1]], np.log([[0.4, 0.35, 0.25]]))
    >>> joint.marginals()
    array([[0.6 , 0.25]])
    >>> joint.mode().labels, joint.decide("hamming").labels
    (array([[0, 0]], dtype=int8), array([[1, 0]], dtype=int8))
    """

    min_labels: int = 0
    decision: Rule = Subset()
    own_decisions: Mapping[str, Rule] = MappingProxyType({})

    def __getattr__(self, name: str) -> NoReturn:
        if name in PUBLISHED_SEARCHES:
            inside = " Its mixture without seen sets, `joint`, has it." if "joint" in vars(self) else ""
            raise AttributeError(
                f"{type(self).__name__} has no {name}: the papers describe it for mixtures of trees or of independent "
                f"labels (ForestMixture). Use mode(), which proves its answer where it can.{inside}"
            )
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def mode(self, evidence: Evidence | None = None) -> Mode:
        """Find the most probable set of at least ``min_labels`` labels.

        Parameters
        ----------
        evidence : array or DataFrame of shape (n, L), or mapping, optional
            Only sets that agree with it are considered. As in :meth:`log_prob`.

        Returns
        -------
        Mode
            ``log_prob`` is the joint log-probability of the set, not conditioned on the evidence.

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
        """Find the ``k`` most probable sets of at least ``min_labels`` labels, best first.

        If the search is not exact, a longer list can start with a more probable set than ``mode`` finds.

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
        """Find the answer that minimizes the expected loss, and that loss.

        Parameters
        ----------
        decision : {"subset", "hamming", "f1", "jaccard", "macro_f1", ...}, rule or callable, optional
            By default, the decision of the estimator that made the distribution, otherwise ``"subset"``. A callable
            takes the distribution and returns label sets, which may have fewer than ``min_labels`` labels. Its expected
            loss is NaN unless it returns a :class:`~setwise.contract.Decided`.

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
        if rule.whole_batch:
            best: tuple[Array, ...] = rule.within(self, self._for_all_rows())
        else:
            best = self._by_least(None, lambda part, _, least: rule.within(part, _at_least(part, least)))
        return Decided(*best).with_names(self.label_names, self.row_names)

    def predict(self, decision: Decision | None = None) -> Labels:
        """Find the answer of :meth:`decide` without its expected loss, which is faster for some losses.

        Parameters
        ----------
        decision : {"subset", "hamming", "f1", "jaccard", "macro_f1", ...}, rule or callable, optional
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
        if rule.whole_batch:
            return rule.labels(self, self._for_all_rows())
        return self._by_least(None, lambda part, _, least: (rule.labels(part, _at_least(part, least)),))[0]

    def restricted(self, min_labels: int) -> Self:
        """Restrict answers to sets of at least ``min_labels`` labels.

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
        """Allow any set as an answer, the empty set too.

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

    def _for_all_rows(self) -> Feasible:
        """The answers allowed in every row: rows decided together share the smallest size that evidence leaves."""
        return _at_least(self, int(self._least(None).min(initial=self.min_labels)))

    def _by_least(
        self, evidence: Labels | None, answer: Callable[[Self, Labels | None, int], tuple[Array, ...]]
    ) -> tuple[Array, ...]:
        """The columns of an answer, computed separately for rows with different smallest sizes."""
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
        """Smallest size (n,) of an answer: ``min_labels``, or fewer if the evidence leaves fewer labels."""
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
    """The ``k`` best sets. If the search finds none, the first is the mode."""
    found = distribution.find_top_k(k, evidence, least=least)
    lost = np.flatnonzero((found.labels[:, 0] < 0).any(axis=1))
    if lost.size:
        best = _best(distribution.take(lost), None if evidence is None else evidence[lost], least)
        found.labels[lost, 0], found.log_prob[lost, 0] = best.labels, best.log_prob
    return found
