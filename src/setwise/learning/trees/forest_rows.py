"""Training rows of a decision forest: their bins, labels and bags, and trees grown on them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from setwise.arrays import FREE, Array, Bools, Floats, Labels, Matrix
from setwise.kernels.bins import RowBins
from setwise.kernels.matrices import row_keys, true_columns
from setwise.kernels.set_trees import SetTrees, SparseTargets
from setwise.learning.labels.powerset import SetCounts
from setwise.learning.trees.bagging import bags, tree_seeds


@dataclass(frozen=True)
class ForestRows:
    """Rows X (n, d) with labels Y (n, L), FREE if unknown, and ``weights`` (n,), ready to grow trees on."""

    X: Matrix
    Y: Labels
    weights: Floats
    prior: Floats
    keys: Array
    bins: RowBins
    targets: SparseTargets
    classes: Array
    seed: int

    @classmethod
    def of(cls, X: Matrix, Y: Labels, weights: Floats | None, seed: int) -> ForestRows:
        """Bin the columns and list the labels of each row."""
        w = np.ones(len(Y)) if weights is None else weights
        prior = (w @ (Y == 1) + 0.5) / (w @ (Y != FREE) + 1.0)
        classes = SetCounts.of(Y, None).which if (Y != FREE).all() else _patterns(Y)
        return cls(X, Y, w, prior, row_keys(X), RowBins.of(X), _targets(Y, prior), classes, seed)

    @property
    def one_row(self) -> float:
        """The weight that counts as one row: one, or the mean weight if weights are shares that sum to less."""
        return float(min(1.0, self.weights.mean()))

    def grow(self, first: int, n_trees: int, n_draws: int) -> SetTrees:
        """Grow the trees from number ``first`` on; their members are numbers of rows."""
        seeds = tree_seeds(self.seed, first, n_trees)
        in_bag = bags(self.keys, seeds)
        return SetTrees.grow(self.bins, self.targets, self.classes, self.weights, in_bag, seeds, n_draws)

    def in_bag(self, rows: Array, n_trees: int) -> Bools:
        """Which of the first ``n_trees`` trees have seen each of some rows, (r, T)."""
        # A bag that was empty took all rows, which only the keys of all rows show.
        return bags(self.keys, tree_seeds(self.seed, 0, n_trees))[:, rows].T


def _patterns(Y: Labels) -> Array:
    """Number the different rows of labels, unknown ones among them."""
    return np.unique(Y, axis=0, return_inverse=True)[1].ravel()


def _targets(Y: Labels, prior: Floats) -> SparseTargets:
    """The labels that are on; an unknown one is its share in the other rows, so that it pulls a split nowhere."""
    places, bounds = true_columns(Y != 0)
    rows = np.repeat(np.arange(len(Y)), np.diff(bounds))
    values = np.where(Y[rows, places] == 1, 1.0, prior[places])
    return SparseTargets(bounds.astype(np.int64), places.astype(np.int32), values, Y.shape[1])
