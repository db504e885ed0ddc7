"""Sums of regression trees as flat node arrays: the boosted counterpart of linear scores."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from setwise.arrays import Array, Floats, Matrix
from setwise.kernels import implementation
from setwise.kernels.matrices import dense_blocks


class Tree(NamedTuple):
    """A regression tree: nodes with ``feature`` -1 are leaves; at other nodes x <= ``threshold`` goes ``left``."""

    feature: Array
    threshold: Floats
    left: Array
    right: Array
    value: Floats


class TreeScores(NamedTuple):
    """Sums of trees for B scores: ``intercept`` (B,), nodes of all trees, ``root`` and ``score`` (T,) of each tree."""

    intercept: Floats
    feature: Array
    threshold: Floats
    left: Array
    right: Array
    value: Floats
    root: Array
    score: Array

    @classmethod
    def of(cls, intercept: Floats, trees: Sequence[Tree], score: Sequence[int]) -> TreeScores:
        """Lay trees out one after the other; tree t adds to score ``score[t]``."""
        sizes = [len(tree.feature) for tree in trees]
        root = np.concatenate([[0], np.cumsum(sizes)])[:-1] if trees else np.empty(0)
        nodes = [(t.feature, t.threshold, t.left + r, t.right + r, t.value) for t, r in zip(trees, root)]
        kinds = (np.int32, np.float64, np.int32, np.int32, np.float64)
        columns = zip(*nodes) if nodes else ([np.empty(0)] for _ in kinds)
        flat = [np.concatenate(column).astype(kind) for column, kind in zip(columns, kinds)]
        feature, threshold, left, right, value = flat
        return cls(
            intercept,
            feature,
            threshold,
            left,
            right,
            value,
            root.astype(np.int32),
            np.asarray(score, dtype=np.int32),
        )

    @classmethod
    def side_by_side(cls, scores: Sequence[TreeScores]) -> TreeScores:
        """Join several score functions, in their order.

        Examples
        --------
        >>> import numpy as np
        >>> feature, left, right = np.array([[0, -1, -1], [1, -1, -1], [2, -1, -1]])
        >>> tree = Tree(feature, np.zeros(3), left, right, np.arange(3.0))
        >>> one, two = (TreeScores.of(np.full(1, start), [tree], [0]) for start in (0.0, 10.0))
        >>> TreeScores.side_by_side([one, two])(np.array([[-1.0], [1.0]]))
        array([[ 1., 11.],
               [ 2., 12.]])
        """
        trees = [tree for part in scores for tree in part.trees()]
        first = np.cumsum([0, *(len(part.intercept) for part in scores)])
        owners = [part.score + offset for part, offset in zip(scores, first)]
        return cls.of(
            np.concatenate([part.intercept for part in scores]), trees, np.concatenate(owners).tolist()
        )

    def is_sound(self, n_features: int) -> bool:
        """Whether these are trees of ``n_features`` features, each with nodes of its own.

        Children come after their parents, so every walk ends, after at most as many steps as its tree has nodes.

        Examples
        --------
        >>> import numpy as np
        >>> feature, left, right = np.array([[0, -1, -1], [1, -1, -1], [2, -1, -1]])
        >>> scores = TreeScores.of(np.zeros(1), [Tree(feature, np.zeros(3), left, right, np.arange(3.0))], [0])
        >>> scores.is_sound(1), scores._replace(left=np.zeros(3, np.int32)).is_sound(1)
        (True, False)
        """
        nodes, n = (self.feature, self.threshold, self.left, self.right, self.value), len(self.feature)
        places = (self.feature, self.left, self.right, self.root, self.score)
        if not all(part.ndim == 1 for part in self) or {len(part) for part in nodes} != {n}:
            return False
        if not all(part.dtype == np.int32 for part in places) or len(self.root) != len(self.score):
            return False
        if not are_roots(self.root, n):
            return False
        inner = np.flatnonzero(self.feature >= 0)
        end, children = ends_of_trees(self.root, n)[inner], (self.left[inner], self.right[inner])
        after = all(((inner < child) & (child < end)).all() for child in children)
        inside = _within(self.feature, -1, n_features) and _within(self.score, 0, len(self.intercept))
        return bool(after and inside)

    def trees(self) -> list[Tree]:
        """Split into single trees, whose nodes are numbered from their root."""
        ends = np.append(self.root, len(self.feature))
        return [
            Tree(
                self.feature[a:b],
                self.threshold[a:b],
                self.left[a:b] - a,
                self.right[a:b] - a,
                self.value[a:b],
            )
            for a, b in itertools.pairwise(ends)
        ]

    def __call__(self, X: Matrix) -> Floats:
        """Compute the scores (n, B) of the rows of ``X`` (n, d); a sparse X is made dense in blocks."""
        out = np.tile(self.intercept, (X.shape[0], 1))
        self.add_to(out, X)
        return out

    def add_to(self, out: Floats, X: Matrix) -> None:
        """Add the sums of the trees, without the intercepts, to the scores ``out`` (n, B) of the rows of ``X``."""
        d = X.shape[1]
        if self.feature.max(initial=-1) >= d:
            raise ValueError(f"the trees use feature {self.feature.max()}, but X has {d} features")
        for rows, block in dense_blocks(X):
            implementation.tree_scores(block, *self[1:], out[rows])


def are_roots(root: Array, n_nodes: int) -> bool:
    """Whether these are the first nodes of trees that lie one after the other.

    Examples
    --------
    >>> are_roots(np.array([0, 3]), 4), are_roots(np.array([0, 0]), 4), are_roots(np.array([], np.int32), 4)
    (True, False, False)
    """
    bounds = np.concatenate([[-1], root, [n_nodes]])
    return bool((np.diff(bounds) > 0).all()) and int(bounds[1]) == 0


def ends_of_trees(root: Array, n_nodes: int) -> Array:
    """The end of the tree of each node.

    Examples
    --------
    >>> ends_of_trees(np.array([0, 3]), 4)
    array([3, 3, 3, 4])
    """
    ends = np.append(root, n_nodes)[1:]
    return np.repeat(ends, ends - root)


def _within(places: Array, least: int, end: int) -> bool:
    return bool(((places >= least) & (places < end)).all())
