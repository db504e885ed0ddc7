"""Scores that are sums of regression trees; each tree is a step of boosting."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from setwise.arrays import Array, Floats, Matrix
from setwise.kernels.tree_scores import Tree, TreeScores
from setwise.learning.progress.checkpoint import State
from setwise.learning.progress.saved_arrays import ADVICE, Expected, check_saved
from setwise.learning.trees.growers import TreeGrower

MIN_HESSIAN = 1e-6


class OtherRows(NamedTuple):
    """Sums of the first ``n_trees`` trees on rows that they do not grow on; ``values`` (n, B)."""

    X: Matrix
    n_trees: int
    values: Floats


class BoostedScores:
    """B scores that are sums of trees; their ``values`` (B, n) are known on the rows they grow on.

    Parameters
    ----------
    X : array or CSR of shape (n, d)
        Rows to grow on.
    intercept : ndarray of shape (B,)
    grower : TreeGrower
    """

    def __init__(self, X: Matrix, intercept: Floats, grower: TreeGrower) -> None:
        self.X, self.grower = X, grower
        self.intercept, self.trees, self.owner = intercept, list[Tree](), list[int]()
        self.values = np.repeat(intercept[:, None], X.shape[0], axis=1)
        self._others: OtherRows | None = None

    def add_tree(self, score: int, rows: Array, gradient: Floats, hessian: Floats) -> None:
        """Grow a tree for one score and add it; the seed is the number of trees so far."""
        hessian = np.maximum(hessian, MIN_HESSIAN)
        tree = self.grower.grow(rows, gradient, hessian, len(self.trees), self.values[score])
        if tree is not None:
            self.trees.append(tree)
            self.owner.append(score)

    def scores(self) -> TreeScores:
        """Lay all trees out flat."""
        return TreeScores.of(self.intercept, self.trees, self.owner)

    def of_rows(self, X: Matrix | None) -> Floats:
        """Compute the scores (B, n) of other rows, or of the rows they grow on if None.

        Held-out rows are scored after every iteration, so the sums of earlier trees are remembered.
        """
        if X is None:
            return self.values
        seen = self._others
        if seen is None or seen.X is not X:
            seen = OtherRows(X, 0, np.tile(self.intercept, (X.shape[0], 1)))
        new = TreeScores.of(self.intercept, self.trees[seen.n_trees :], self.owner[seen.n_trees :])
        new.add_to(seen.values, X)
        self._others = seen._replace(n_trees=len(self.trees))
        return seen.values.T

    def keep(self, columns: Array) -> None:
        """Keep some scores, given as a mask (B,)."""
        number = np.cumsum(columns) - 1
        kept = [(t, int(number[o])) for t, o in zip(self.trees, self.owner) if columns[o]]
        self.trees, self.owner = [t for t, _ in kept], [o for _, o in kept]
        self.intercept, self.values = self.intercept[columns], self.values[columns]
        self._others = None

    def state(self) -> State:
        """Return the flat trees; the values on the rows are recomputed from them."""
        return {name: np.asarray(array) for name, array in self.scores()._asdict().items()}

    def restore(self, state: State) -> None:
        """Continue from a state."""
        of_node, place = ("nodes",), (np.int32, -1, np.inf)
        check_saved(
            state,
            intercept=Expected(("B",), low=-np.inf),
            **{name: Expected(of_node, *place) for name in ("feature", "left", "right")},
            **{name: Expected(of_node) for name in ("threshold", "value")},
            **{name: Expected(("trees",), *place) for name in ("root", "score")},
        )
        f = TreeScores(**state)
        if not f.is_sound(self.X.shape[1]):
            raise ValueError(f"the trees of the checkpoint are not those of this fit; {ADVICE}")
        self.intercept, self.trees, self.owner = f.intercept, f.trees(), f.score.tolist()
        self.values = np.ascontiguousarray(f(self.X).T)
        self._others = None
