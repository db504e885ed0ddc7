"""Nodes of trees while they are converted: splits with missing values and categories become comparisons."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from setwise.contract import Array, Floats
from setwise.kernels.tree_scores import Tree, TreeScores
from setwise.learning.trees.flat.columns import CategorySplit, SplitColumns

LARGEST = 1e100
"""Infinite thresholds become this number, which is larger than any feature; model files hold no larger ones."""


class Nodes(NamedTuple):
    """A tree of another library: ``feature`` -1 is a leaf; ``missing_left`` says whether NaN goes left.

    ``categories`` maps nodes that split by categories to their splits.
    """

    feature: Array
    threshold: Floats
    left: Array
    right: Array
    missing_left: Array
    categories: dict[int, CategorySplit]


class Layout:
    """Trees that are laid out one after the other, and the columns that they need."""

    def __init__(self, n_features: int) -> None:
        self.n_features = n_features
        self.negated: dict[int, int] = {}
        self.splits: list[CategorySplit] = []
        self.trees: list[Tree] = []
        self.score: list[int] = []

    def add(self, nodes: Nodes, values: Floats) -> None:
        """Add a tree whose leaves have the values (nodes, B) of each of B scores."""
        feature, threshold = nodes.feature.astype(np.int64), np.clip(nodes.threshold, -LARGEST, LARGEST)
        left, right = nodes.left.copy(), nodes.right.copy()
        turned = np.flatnonzero((feature >= 0) & nodes.missing_left)
        turned = turned[~np.isin(turned, list(nodes.categories))]
        # x <= t exactly if not -x < -t, that is, not -x <= the number before -t
        threshold[turned] = np.nextafter(-threshold[turned], -np.inf)
        left[turned], right[turned] = right[turned], left[turned]
        # Negated features and categories are numbered from -2 downwards until all are known.
        feature[turned] = [-2 - 2 * self._negated(int(j)) for j in feature[turned]]
        for node, split in nodes.categories.items():
            feature[node], threshold[node] = -3 - 2 * len(self.splits), 0.5
            self.splits.append(split)
        for score, value in enumerate(values.T):
            self.trees.append(Tree(feature, threshold, left, right, np.where(feature == -1, value, 0.0)))
            self.score.append(score)

    def _negated(self, feature: int) -> int:
        return self.negated.setdefault(feature, len(self.negated))

    def scores(self, intercept: Floats) -> TreeScores:
        """All trees, with the final numbers of their columns."""
        trees = [tree._replace(feature=self._placed(tree.feature)) for tree in self.trees]
        return TreeScores.of(np.asarray(intercept, dtype=np.float64), trees, self.score)

    def columns(self) -> SplitColumns:
        """The columns beside the features."""
        return SplitColumns.of(list(self.negated), self.splits)

    def _placed(self, feature: Array) -> Array:
        first = self.n_features + np.where(feature % 2 == 0, 0, len(self.negated))
        return np.where(feature < -1, first + (-2 - feature) // 2, feature)
