"""Randomized trees whose leaves hold label sets, as flat node arrays."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from setwise.arrays import Array, Floats, Matrix
from setwise.kernels import implementation
from setwise.kernels.bins import RowBins
from setwise.kernels.matrices import dense_blocks
from setwise.kernels.tree_scores import are_roots, ends_of_trees

SKIPPED = -1
"""A tree that is left out of a row's answer."""


class SparseTargets(NamedTuple):
    """Numbers of rows, most of them zero, in ``n_places`` columns.

    Row i has ``values`` in the ``places`` from ``bounds[i]`` to ``bounds[i + 1]``.
    """

    bounds: Array
    places: Array
    values: Floats
    n_places: int


class SetTrees(NamedTuple):
    """T trees: all nodes in a row, and ``root`` (T,) of each tree.

    A node with ``feature`` -1 is a leaf; elsewhere x <= ``threshold`` goes ``left``, any other x (NaN too) to the node
    after that. The training rows of a node are ``begin`` to ``end`` of ``member``, which holds the number of each row's
    label set, and of ``member_weight``; ``weight`` is their sum.
    """

    root: Array
    feature: Array
    threshold: Floats
    left: Array
    begin: Array
    end: Array
    weight: Floats
    member: Array
    member_weight: Floats

    @classmethod
    def grow(
        cls,
        bins: RowBins,
        targets: SparseTargets,
        classes: Array,
        weights: Floats,
        bag: Array,
        seeds: Array,
        n_draws: int,
    ) -> SetTrees:
        """Grow a tree on each row of ``bag`` (T, n), a mask of the training rows; members are numbers of rows.

        Parameters
        ----------
        bins : RowBins
            Of the n training rows.
        targets : SparseTargets
            What splits should separate: the labels.
        classes : int array of shape (n,)
            Nodes whose rows are of one class are not split.
        weights : array of shape (n,)
        bag : bool array of shape (T, n)
        seeds : uint64 array of shape (T,)
        n_draws : int
            Number of features that a split considers.

        Returns
        -------
        SetTrees
        """
        rows = bins.codes, bins.columns, bins.bounds, bins.absent
        root, feature, last_left, left, begin, end, weight, member = implementation.grow_set_trees(
            *rows, *targets, classes.astype(np.int32), weights, bag.astype(np.uint8), seeds, n_draws
        )
        inner = np.flatnonzero(feature >= 0)
        threshold = np.zeros(len(feature))
        threshold[inner] = bins.edges[bins.first[feature[inner]] + last_left[inner]]
        return cls(root, feature, threshold, left, begin, end, weight, member, weights[member])

    @classmethod
    def joined(cls, parts: Sequence[SetTrees]) -> SetTrees:
        """All trees of several, in their order."""
        nodes = np.cumsum([0, *(len(part.feature) for part in parts)])[:-1]
        members = np.cumsum([0, *(len(part.member) for part in parts)])[:-1]
        moved = [
            part._replace(
                root=part.root + np.int32(a),
                left=np.where(part.left < 0, -1, part.left + np.int32(a)).astype(np.int32),
                begin=part.begin + np.int32(b),
                end=part.end + np.int32(b),
            )
            for part, a, b in zip(parts, nodes, members)
        ]
        return cls(*(np.concatenate(column) for column in zip(*moved)))

    def leaves(self, X: Matrix, min_weight: float = 0.0) -> Array:
        """Find the node (n, T) of each tree at which each row of ``X`` (n, d) stays.

        It is the last node on the row's way whose weight is at least ``min_weight``, or the root.
        """
        way = self.root, self.feature, self.threshold, self.left, self.weight
        parts = [implementation.tree_leaves(block, *way, min_weight) for _, block in dense_blocks(X)]
        return np.concatenate(parts)

    def shares(self, leaves: Array, n_sets: int) -> Floats:
        """Compute the share (n, n_sets) of each label set in the ``leaves`` (n, T), the mean over trees.

        Trees whose leaf is :data:`SKIPPED` do not count; without any other, all shares are zero.
        """
        out = np.zeros((len(leaves), n_sets))
        counted = 1.0 / np.maximum((leaves != SKIPPED).sum(axis=1), 1)
        implementation.add_members(
            leaves, self.begin, self.end, self.weight, self.member, self.member_weight, counted, out
        )
        return out

    def pruned(self, min_weight: float) -> SetTrees:
        """Drop the nodes below ``min_weight``: rows that would go there stay with the members of the parent.

        Examples
        --------
        >>> import numpy as np
        >>> number = lambda *values: np.array(values, np.int32)
        >>> tree = SetTrees(number(0), number(0, -1, -1), np.zeros(3), number(1, -1, -1), number(0, 0, 2),
        ...     number(3, 2, 3), np.array([3.0, 2.0, 1.0]), number(0, 0, 1), np.ones(3))
        >>> X = np.array([[-1.0], [1.0]])
        >>> tree.pruned(2.0).shares(tree.pruned(2.0).leaves(X), 2)
        array([[1.        , 0.        ],
               [0.66666667, 0.33333333]])
        """
        return _prune(self, min_weight)

    def is_sound(self, n_features: int, n_sets: int) -> bool:
        """Whether these are trees of ``n_features`` features over ``n_sets`` sets, which share no nodes and no members.

        A row then meets every node and every member at most once. Weights of nodes are the sums of their members'.
        """
        n, m = len(self.feature), len(self.member)
        places = (self.root, self.feature, self.left, self.begin, self.end, self.member)
        if not all(part.ndim == 1 for part in self) or not all(part.dtype == np.int32 for part in places):
            return False
        if {len(part) for part in (self.threshold, self.left, self.begin, self.end, self.weight)} != {n}:
            return False
        if len(self.member_weight) != m or not len(self.root) or not are_roots(self.root, n):
            return False
        inner = np.flatnonzero(self.feature >= 0)
        after = (
            (inner < self.left[inner]) & (self.left[inner] + 1 < ends_of_trees(self.root, n)[inner])
        ).all()
        ranges = ((self.begin >= 0) & (self.begin <= self.end) & (self.end <= m)).all()
        first, last = np.minimum.reduceat(self.begin, self.root), np.maximum.reduceat(self.end, self.root)
        inside = _within(self.feature, -1, n_features) and _within(self.member, 0, n_sets)
        return bool(
            after
            and ranges
            and (last[:-1] <= first[1:]).all()
            and inside
            and (self.weight > 0).all()
            and (self.member_weight > 0).all()
            and self._weights_add_up()
        )

    def _weights_add_up(self) -> bool:
        total = np.concatenate([[0.0], np.cumsum(self.member_weight)])
        sums = total[self.end] - total[self.begin]
        return bool(np.allclose(self.weight, sums, rtol=1e-6, atol=1e-8 * float(total[-1])))


def _prune(trees: SetTrees, min_weight: float) -> SetTrees:
    """Walk down from the roots, level by level, and number the nodes that are met anew."""
    inner = trees.feature >= 0
    light = trees.weight < min_weight
    children = np.where(inner, trees.left, 0)
    opens = inner & ~(light[children] & light[children + inner])
    begin, end, weight = trees.begin.copy(), trees.end.copy(), trees.weight.copy()
    for child in (trees.left[opens], trees.left[opens] + 1):
        small = light[child]
        parents = np.flatnonzero(opens)[small]
        for own, whole in ((begin, trees.begin), (end, trees.end), (weight, trees.weight)):
            own[child[small]] = whole[parents]
        opens[child[small]] = False
    # Parents come before their children, so that one pass in order meets every node that is left.
    kept = np.zeros(len(inner), np.bool_)
    kept[trees.root] = True
    level = trees.root
    while len(level := level[opens[level]]):
        level = np.concatenate([trees.left[level], trees.left[level] + 1])
        kept[level] = True
    number = np.cumsum(kept) - 1
    opens = opens[kept]
    left = np.where(opens, number[np.maximum(trees.left[kept], 0)], -1)
    return SetTrees(
        number[trees.root].astype(np.int32),
        np.where(opens, trees.feature[kept], -1).astype(np.int32),
        np.where(opens, trees.threshold[kept], 0.0),
        left.astype(np.int32),
        begin[kept],
        end[kept],
        weight[kept],
        trees.member,
        trees.member_weight,
    )


def _within(places: Array, least: int, end: int) -> bool:
    return bool(((places >= least) & (places < end)).all())
