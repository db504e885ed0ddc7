"""Shapley values of decision trees between two rows: the paths that mixtures of both rows can take.

A row that has some features of x and the others of the baseline b falls into some leaf. The Shapley value of a feature
is the mean change of the tree's value when it moves from b to x, over all orders in which features can move. Only the
features that differ on the way to a leaf matter: if the leaf needs k features of x and l features of b, each of the
k gains (k - 1)! l! / (k + l)! of its value, and each of the l loses k! (l - 1)! / (k + l)! (S. Lundberg et al., "From
local explanations to global understanding with explainable AI for trees", Nature Machine Intelligence 2, 2020,
interventional values with a single reference row).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import comb
from typing import Any, NamedTuple

import numpy as np

from setwise.contract import Array, Floats, Matrix
from setwise.explanations.scored import Source
from setwise.kernels.matrices import from_cells, to_dense


class Nodes(NamedTuple):
    """Trees as lists: ``feature`` -1 is a leaf; elsewhere x <= ``threshold`` goes ``left``, any other x ``right``."""

    feature: list[int]
    threshold: list[float]
    left: list[int]
    right: list[int]

    @classmethod
    def of(cls, feature: Array, threshold: Floats, left: Array, right: Array) -> Nodes:
        """Convert arrays, which are slow to read one by one."""
        return cls(feature.tolist(), threshold.tolist(), left.tolist(), right.tolist())


def add_shapley(
    nodes: Nodes,
    roots: Sequence[int],
    values: Sequence[float],
    x: Sequence[float],
    b: Sequence[float],
    out: dict[int, float],
) -> None:
    """Add the Shapley values of some trees to ``out``, by feature.

    Parameters
    ----------
    nodes : Nodes
    roots : sequence of int
        First node of each tree.
    values : sequence of float
        Value of each node, used at leaves.
    x, b : sequence of float
        Features of the row and of the baseline.
    out : dict
    """
    feature, threshold, left, right = nodes
    for root in roots:
        stack: list[tuple[int, dict[int, bool], int]] = [(root, {}, 0)]
        while stack:
            node, chosen, own = stack.pop()
            f = feature[node]
            if f < 0:
                _add_leaf(values[node], chosen, own, out)
                continue
            ours = left[node] if x[f] <= threshold[node] else right[node]
            theirs = left[node] if b[f] <= threshold[node] else right[node]
            if ours == theirs or f in chosen:
                stack.append((ours if chosen.get(f, True) else theirs, chosen, own))
            else:
                stack.append((ours, {**chosen, f: True}, own + 1))
                stack.append((theirs, {**chosen, f: False}, own))


def _add_leaf(value: float, chosen: dict[int, bool], own: int, out: dict[int, float]) -> None:
    """Share the value of a leaf that needs ``own`` features of the row and the other chosen ones of the baseline."""
    n = len(chosen)
    if not n or not value:
        return
    gain = value / (own * comb(n, own)) if own else 0.0
    loss = value / ((n - own) * comb(n, own)) if own < n else 0.0
    for f, is_own in chosen.items():
        out[f] = out.get(f, 0.0) + (gain if is_own else -loss)


@dataclass(frozen=True)
class TreeSource(Source):
    """Scores by trees.

    Parameters
    ----------
    function : callable
        Scores (n, B) of prepared rows.
    nodes : Nodes
    roots : list of int
    values : callable
        ``values(slopes)`` gives each node its value, from the slopes (B,) of a row.
    prepare : callable
        Scales checked rows as the model does.
    row : array of shape (1, d)
        The baseline.
    """

    function: Callable[[Matrix], Floats]
    nodes: Nodes
    roots: list[int]
    values: Callable[[Floats], Floats]
    prepare: Callable[[Matrix], Matrix]
    row: Matrix

    def scores(self, X: Matrix) -> Floats:
        """See :class:`Source`."""
        return np.asarray(self.function(self.prepare(X)), dtype=np.float64)

    def baseline(self) -> Floats:
        """See :class:`Source`."""
        return self.scores(self.row)

    def contributions(self, X: Matrix, slopes: Floats) -> Matrix:
        """See :class:`Source`."""
        rows, base = self.prepare(X), to_dense(self.prepare(self.row))[0].tolist()
        found: list[dict[int, float]] = [{} for _ in slopes]
        for i, (own, out) in enumerate(zip(slopes, found)):
            x = to_dense(rows[[i]])[0].tolist()
            add_shapley(self.nodes, self.roots, self.values(own).tolist(), x, base, out)
        return from_cells(found, X)


def boosted_source(scores: Any, prepare: Callable[[Matrix], Matrix], row: Matrix) -> TreeSource:
    """Make a source of sums of regression trees (:class:`~setwise.kernels.tree_scores.TreeScores`)."""
    nodes = Nodes.of(scores.feature, scores.threshold, scores.left, scores.right)
    ends = np.append(scores.root[1:], len(scores.feature)) if len(scores.root) else np.empty(0, int)
    score = np.repeat(scores.score, ends - scores.root)
    return TreeSource(
        scores, nodes, scores.root.tolist(), lambda slopes: scores.value * slopes[score], prepare, row
    )
