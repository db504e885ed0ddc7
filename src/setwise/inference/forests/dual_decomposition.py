"""The mode of a mixture of forests by dual decomposition, with an upper bound that may prove it optimal.

Section 5.4 of Hong, Batal and Hauskrecht (2014) names it beside annealing; in general: Sontag, Globerson and Jaakkola,
"Introduction to dual decomposition for inference", 2011. The mode maximizes sum_k w_k p_k(y). Every component gets a
copy y^k of the labels, and multipliers u_k with sum_k u_k = 0 make the copies agree: for any multipliers

    max_y sum_k w_k p_k(y)  <=  sum_k max_{y^k} [ w_k p_k(y^k) + u_k' y^k ]

and subgradients lower the right side. If a set reaches it, that set is the mode.

A component's problem is not a sum over its tree: it maximizes exp(s) + t over (s, t) = (log w_k p_k(y), u_k' y) of all
sets. This function is convex and rises in both, so its maximum is a corner of their convex hull, and corners are found
by max-sum of a s + t for slopes a > 0. Neighbouring corners bound what lies between them.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.special import logsumexp

from setwise.arrays import FREE, Array, Floats, Labels
from setwise.contract import Mode
from setwise.inference.forests.arrays import ROOT, Forests
from setwise.inference.forests.messages import log_evidence

N_ITER = 200
CORNERS = 12
"""Largest number of corners of the hull of each component's problem."""
ALMOST = 1e-9
"""Relative difference of the bounds that proves a mode."""
FLAT, STEEP = 1e-12, 1e12
"""Smallest and largest slope."""
IMPOSSIBLE = -1e30
"""Log-probability of what cannot be: finite, so that it can be multiplied by a slope."""


def decomposed_mode(
    log_gate: Floats, forests: Forests, evidence: Labels, *, min_labels: int = 0, n_iter: int = N_ITER
) -> Mode:
    """Search for the mode of each row by dual decomposition.

    Parameters
    ----------
    log_gate : ndarray of shape (n, K)
        Log weights of the components.
    forests : Forests
    evidence : ndarray of shape (n, L)
        Labels that are 0 or 1 are kept.
    min_labels : int, default=0
        Smallest number of labels of a set: 0 or 1.
    n_iter : int, default=200
        Number of subgradient steps.

    Returns
    -------
    Mode
        ``certified`` if the bounds meet; ``gap`` is their difference.

    Examples
    --------
    >>> import numpy as np
    >>> forests = Forests.of(np.array([[[[1.0], [-2.0]], [[-1.0], [3.0]]]]), [[-1, -1], [-1, -1]])
    >>> free = np.full((1, 2), -1, dtype=np.int8)
    >>> mode = decomposed_mode(np.log([[0.6, 0.4]]), forests, free)
    >>> mode.labels, mode.certified
    (array([[1, 0]], dtype=int8), array([ True]))
    """
    n, K, L, _ = forests.logits.shape
    search = _Search(log_gate, forests, evidence, min_labels)
    labels, best, upper = np.full((n, L), FREE, np.int8), np.full(n, -np.inf), np.full(n, np.inf)
    multipliers, open_rows = np.zeros((n, K, L)), np.arange(n)
    for step in range(n_iter):
        part = search.take(open_rows)
        copies, bound = part.maximize(multipliers[open_rows])
        upper[open_rows] = np.minimum(upper[open_rows], bound)
        part.keep_best(copies, labels, best, open_rows)
        disagree = copies - copies.mean(axis=1, keepdims=True)
        size = np.maximum((disagree**2).sum(axis=(1, 2)), 1e-12)
        # Polyak's step: the distance of the bounds over the squared length of the subgradient.
        with np.errstate(over="ignore"):
            length = (
                np.maximum(upper[open_rows] - np.exp(best[open_rows]), 0.0) / size / np.sqrt(1.0 + 0.2 * step)
            )
        multipliers[open_rows] -= length[:, None, None] * disagree
        proved = upper[open_rows] <= np.exp(best[open_rows]) * (1.0 + ALMOST)
        open_rows = open_rows[~proved & (size > 1e-9)]
        if not len(open_rows):
            break
    # If every label is known to be off, no set has the smallest size.
    upper[(evidence == 0).all(axis=1) & (min_labels > 0)] = 0.0
    return _answer(labels, best, upper)


def _answer(labels: Labels, best: Floats, upper: Floats) -> Mode:
    with np.errstate(divide="ignore", invalid="ignore"):
        gap = np.log(upper) - best
    certified = upper <= np.exp(best) * (1.0 + ALMOST)
    return Mode(labels, best, certified, np.where(certified, 0.0, np.maximum(gap, 0.0)))


class _Corner(NamedTuple):
    """A corner of each row's hull: its set (n, L), log-probability ``s`` (n,) and multiplier term ``t`` (n,)."""

    labels: Labels
    s: Floats
    t: Floats


class _Search(NamedTuple):
    """The rows of a batch."""

    log_gate: Floats
    forests: Forests
    evidence: Labels
    min_labels: int

    def take(self, rows: Array) -> _Search:
        """Select rows."""
        return _Search(self.log_gate[rows], self.forests.take(rows), self.evidence[rows], self.min_labels)

    def maximize(self, multipliers: Floats) -> tuple[Floats, Floats]:
        """Solve the problem of every component: the sets (n, K, L), and the upper bound (n,) of the mode."""
        n, K, L = multipliers.shape
        copies, bound = np.empty((n, K, L)), np.zeros(n)
        for k in range(K):
            tree = _Tree.of(self.forests, k, self.evidence, self.min_labels)
            found, value = _best_corner(tree, self.log_gate[:, k], multipliers[:, k])
            copies[:, k], bound = found, bound + value
        return copies, bound

    def keep_best(self, copies: Floats, labels: Labels, best: Floats, rows: Array) -> None:
        """Score every component's set under the mixture, and keep the best set so far."""
        for k in range(copies.shape[1]):
            sets = copies[:, k].astype(np.int8)
            log_p = np.asarray(logsumexp(self.log_gate + log_evidence(self.forests, sets), axis=1))
            better = (log_p > best[rows]) & (sets.sum(axis=1) >= self.min_labels)
            labels[rows[better]], best[rows[better]] = sets[better], log_p[better]


class _Tree(NamedTuple):
    """One component: ``tables`` (n, L, 2, 2) of log P(value | value of the parent), ``parents``, ``order``."""

    tables: Floats
    parents: Array
    order: Array
    evidence: Labels
    min_labels: int

    @classmethod
    def of(cls, forests: Forests, k: int, evidence: Labels, min_labels: int) -> _Tree:
        z = forests.logits[:, k].astype(np.float64)
        z = np.repeat(z, 2, axis=2) if z.shape[2] == 1 else z
        tables = np.stack([-np.logaddexp(0.0, z), -np.logaddexp(0.0, -z)], axis=3)
        return cls(np.maximum(tables, IMPOSSIBLE), forests.parents[k], forests.order[k], evidence, min_labels)

    def corner(self, slope: Floats, multipliers: Floats) -> _Corner:
        """Maximize ``slope`` (n,) times the log-probability plus the multipliers' term, by max-sum."""
        unary = np.stack([np.zeros_like(multipliers), multipliers], axis=2)
        forbidden = (self.evidence[:, :, None] != FREE) & (self.evidence[:, :, None] != np.arange(2))
        unary = np.where(forbidden, IMPOSSIBLE, unary)
        sets = self._max_sum(slope, unary)
        if self.min_labels:
            sets = self._not_empty(sets, slope, unary)
        return _Corner(sets, self.log_prob(sets), (multipliers * sets).sum(axis=1))

    def _max_sum(self, slope: Floats, unary: Floats) -> Labels:
        n, L = len(slope), len(self.parents)
        incoming, choice = unary.copy(), np.empty((n, L, 2), dtype=np.int8)
        for label in self.order[::-1]:
            scores = slope[:, None, None] * self.tables[:, label] + incoming[:, label, None, :]
            choice[:, label] = scores[:, :, 1] > scores[:, :, 0]
            if self.parents[label] != ROOT:
                incoming[:, self.parents[label]] += scores.max(axis=2)
        sets, rows = np.zeros((n, L), dtype=np.int8), np.arange(n)
        for label in self.order:
            parent = self.parents[label]
            given = np.zeros(n, dtype=np.int8) if parent == ROOT else sets[:, parent]
            sets[:, label] = choice[rows, label, given]
        return sets

    def _not_empty(self, sets: Labels, slope: Floats, unary: Floats) -> Labels:
        """Replace empty sets by the best one with some label: each label in turn is turned on."""
        empty = np.flatnonzero(~sets.any(axis=1))
        if not len(empty):
            return sets
        few = self._replace(tables=self.tables[empty], evidence=self.evidence[empty])
        best = np.full(len(empty), -np.inf)
        for label in range(sets.shape[1]):
            forced = unary[empty].copy()
            forced[:, label, 0] = IMPOSSIBLE
            tried = few._max_sum(slope[empty], forced)
            of_labels = np.take_along_axis(forced, tried[:, :, None].astype(np.intp), axis=2)[:, :, 0]
            value = slope[empty] * few.log_prob(tried) + of_labels.sum(axis=1)
            better = value > best
            sets[empty[better]], best[better] = tried[better], value[better]
        return sets

    def log_prob(self, sets: Labels) -> Floats:
        """Compute the log-probability (n,) of sets (n, L)."""
        rows, total = np.arange(len(sets)), np.zeros(len(sets))
        for label, parent in enumerate(self.parents):
            given = 0 if parent == ROOT else sets[:, parent]
            total += self.tables[rows, label, given, sets[:, label]]
        return total


def _best_corner(tree: _Tree, log_weight: Floats, multipliers: Floats) -> tuple[Labels, Floats]:
    """Maximize w p(y) + u'y: the best set (n, L), and an upper bound of the maximum (n,)."""
    n = len(log_weight)
    ends = [tree.corner(np.full(n, slope), multipliers) for slope in (FLAT, STEEP)]
    found = _Found.of(ends, log_weight)
    gaps = _Gaps(*(part[:, None] for end in ends for part in (end.s, end.t)))
    for _ in range(CORNERS - 2):
        bound = gaps.bounds(log_weight)
        if (bound.max(axis=1) <= found.value).all():
            break
        at = bound.argmax(axis=1)
        slope = gaps.chord(at)
        corner = tree.corner(slope, multipliers)
        found = found.or_better(corner, log_weight)
        gaps = gaps.split(at, slope, corner)
    return found.labels, np.maximum(gaps.bounds(log_weight).max(axis=1), found.value)


class _Found(NamedTuple):
    """The best corner of each row so far, and its value."""

    labels: Labels
    value: Floats

    @classmethod
    def of(cls, corners: list[_Corner], log_weight: Floats) -> _Found:
        none = cls(corners[0].labels, np.full(len(log_weight), -np.inf))
        for corner in corners:
            none = none.or_better(corner, log_weight)
        return none

    def or_better(self, corner: _Corner, log_weight: Floats) -> _Found:
        value = np.exp(log_weight + corner.s) + corner.t
        better = value > self.value
        return _Found(
            np.where(better[:, None], corner.labels, self.labels), np.where(better, value, self.value)
        )


class _Gaps(NamedTuple):
    """Intervals (n, I) between two neighbouring corners: the flatter one, with less probability, and the steeper."""

    flat_s: Floats
    flat_t: Floats
    steep_s: Floats
    steep_t: Floats

    def bounds(self, log_weight: Floats) -> Floats:
        """Bound w exp(s) + t inside each interval by the point above one corner and right of the other."""
        above = np.exp(log_weight[:, None] + self.steep_s) + self.flat_t
        empty = (self.steep_s <= self.flat_s) | (self.flat_t <= self.steep_t)
        return np.where(empty, -np.inf, above)

    def chord(self, at: Array) -> Floats:
        """The slope (n,) of the line through both corners of the intervals ``at`` (n,)."""
        rows = np.arange(len(at))
        fall = self.flat_t[rows, at] - self.steep_t[rows, at]
        rise = np.maximum(self.steep_s[rows, at] - self.flat_s[rows, at], 1e-300)
        return np.clip(fall / rise, FLAT, STEEP)

    def split(self, at: Array, slope: Floats, corner: _Corner) -> _Gaps:
        """Split the intervals ``at`` at a corner.

        If the corner is not above the chord, nothing is: a convex function is largest at an end of a chord, and the
        interval is emptied.
        """
        rows = np.arange(len(at))
        flat_s, flat_t, steep_s, steep_t = (part[rows, at] for part in self)
        line = slope * flat_s + flat_t
        above = slope * corner.s + corner.t > line + 1e-12 * (1.0 + np.abs(line))
        new_s, new_t = np.where(above, corner.s, flat_s), np.where(above, corner.t, flat_t)
        right = (new_s, new_t, np.where(above, steep_s, new_s), np.where(above, steep_t, new_t))
        left = self._replace(steep_s=self.steep_s.copy(), steep_t=self.steep_t.copy())
        left.steep_s[rows, at], left.steep_t[rows, at] = new_s, new_t
        return _Gaps(*(np.column_stack(pair) for pair in zip(left, right)))
