"""Growers of regression trees for the steps of boosting: our histogram trees, or those of a library."""

from __future__ import annotations

import math
from typing import Any, Protocol

import numpy as np
from sklearn.tree import DecisionTreeRegressor

from setwise.contract import Array, Floats, Matrix
from setwise.kernels import implementation
from setwise.kernels.bins import Bins
from setwise.kernels.matrices import contiguous_rows, stored_values
from setwise.kernels.tree_scores import Tree, TreeScores
from setwise.learning.trees.tree_steps import NEWTON, TreeSteps

MAX_LEAVES = 8
MIN_LEAF_ROWS = 5
"""Smallest weight of rows in a leaf; the libraries' trees count rows without their weights."""
LEARNING_RATE = 0.1
MAX_BINNED_BYTES = 1 << 30
"""Largest table of bins, a byte a value, that may take more memory than X itself."""


class TreeGrower(Protocol):
    """Grows trees on the rows it was made with."""

    def grow(self, rows: Array, gradient: Floats, hessian: Floats, seed: int, values: Floats) -> Tree | None:
        """Grow a tree for the step -gradient / hessian.

        Parameters
        ----------
        rows : ndarray of shape (r,)
            Rows to grow on.
        gradient, hessian : ndarray of shape (r,)
        seed : int
        values : ndarray of shape (n,)
            The tree's values of all rows, not only of ``rows``, are added to it.

        Returns
        -------
        Tree or None
            None if no split helps.
        """


class HistogramGrower:
    """Trees on binned columns.

    Parameters
    ----------
    X : array or sparse matrix of shape (n, d)
    weights : array of shape (n,)
        Number of rows that each row counts as.
    steps : TreeSteps
    """

    def __init__(self, X: Matrix, weights: Floats, steps: TreeSteps = NEWTON) -> None:
        self._bins, self._weights, self._penalty = Bins.of(X), weights, steps.leaf_penalty
        self._sizes = self._bins.sizes
        self._n_draws = X.shape[1] if steps.all_features else math.isqrt(X.shape[1])

    def grow(self, rows: Array, gradient: Floats, hessian: Floats, seed: int, values: Floats) -> Tree | None:
        """Grow a tree by the gain of the steps, which are also the values of its leaves."""
        codes, edges, first = self._bins
        limits = self._n_draws, MAX_LEAVES, MIN_LEAF_ROWS, self._penalty
        feature, last_left, left, right, steep, bent = implementation.grow_tree(
            codes, self._sizes, rows, gradient, hessian, self._weights[rows], seed, *limits
        )
        if len(feature) == 1:
            return None
        value = np.where(feature < 0, -LEARNING_RATE * steep / (bent + self._penalty), 0.0)
        implementation.add_tree(codes, feature, last_left, left, right, value, values)
        threshold = np.where(feature < 0, 0.0, edges[np.where(feature < 0, 0, first[feature] + last_left)])
        return Tree(feature, threshold, left, right, value)


class CartGrower:
    """Scikit-learn's regression trees.

    Parameters
    ----------
    X : sparse matrix of shape (n, d)
    steps : TreeSteps
    """

    def __init__(self, X: Matrix, steps: TreeSteps = NEWTON) -> None:
        self._max_features = None if steps.all_features else "sqrt"
        self._penalty = steps.leaf_penalty
        # The trees compare in single precision while they grow.
        self._X, self._single = X, X.tocsr().astype(np.float32)

    def grow(self, rows: Array, gradient: Floats, hessian: Floats, seed: int, values: Floats) -> Tree | None:
        """Grow a weighted least-squares tree; the values of its leaves are the steps."""
        cart = DecisionTreeRegressor(
            max_leaf_nodes=MAX_LEAVES,
            min_samples_leaf=MIN_LEAF_ROWS,
            max_features=self._max_features,
            random_state=seed,
        )
        X = self._single[rows]
        cart.fit(X, -gradient / hessian, sample_weight=hessian)
        nodes = cart.tree_
        if nodes.node_count == 1:
            return None
        leaf = cart.apply(X)
        steep = np.bincount(leaf, gradient, nodes.node_count)
        bent = np.bincount(leaf, hessian, nodes.node_count)
        inner = nodes.children_left >= 0
        feature = np.where(inner, nodes.feature, -1)
        value = np.zeros(len(inner))
        value[~inner] = -LEARNING_RATE * steep[~inner] / (bent[~inner] + self._penalty)
        tree = Tree(feature, nodes.threshold.copy(), nodes.children_left, nodes.children_right, value)
        _add(tree, self._X, values)
        return tree


class LightGBMGrower:
    """LightGBM's histogram trees, with a custom objective.

    Parameters
    ----------
    X : array or sparse matrix of shape (n, d)
    steps : TreeSteps
    """

    def __init__(self, X: Matrix, steps: TreeSteps = NEWTON) -> None:
        try:
            import lightgbm
        except ImportError as missing:
            raise ImportError(
                "learner='lightgbm' needs the package lightgbm: pip install 'setwise[lightgbm]'"
            ) from missing
        self._lightgbm, self._steps = lightgbm, steps
        quiet = {"verbose": -1}
        self._data = lightgbm.Dataset(X, label=np.zeros(X.shape[0]), params=quiet, free_raw_data=False)
        self._data.construct()
        self._X = contiguous_rows(X)

    def grow(self, rows: Array, gradient: Floats, hessian: Floats, seed: int, values: Floats) -> Tree | None:
        """Grow a histogram tree; the values of its leaves are the steps."""
        slope, bend = np.zeros((2, self._X.shape[0]))
        slope[rows], bend[rows] = gradient, hessian
        booster = self._lightgbm.Booster(self._parameters(seed), self._data)
        booster.update(fobj=lambda _scores, _data: (slope, bend))
        root = booster.dump_model()["tree_info"][0]["tree_structure"]
        if "leaf_value" in root:
            return None
        tree = _flatten(root)
        _add(tree, self._X, values)
        return tree

    def _parameters(self, seed: int) -> dict[str, Any]:
        return {
            "objective": "none",
            "num_leaves": MAX_LEAVES,
            "min_data_in_leaf": MIN_LEAF_ROWS,
            "min_sum_hessian_in_leaf": 1e-3,
            "lambda_l2": self._steps.leaf_penalty,
            "learning_rate": LEARNING_RATE,
            "feature_fraction": 1.0 if self._steps.all_features else 0.5,
            "seed": seed,
            "num_threads": 1,
            "deterministic": True,
            "verbose": -1,
        }


def own_grower(X: Matrix, weights: Floats, steps: TreeSteps = NEWTON) -> TreeGrower:
    """Grow by histograms, or by scikit-learn's trees if the bins of a very sparse X would take too much memory."""
    too_large = X.shape[0] * X.shape[1] > max(MAX_BINNED_BYTES, stored_values(X).nbytes)
    return CartGrower(X, steps) if too_large else HistogramGrower(X, weights, steps)


def lightgbm_grower(X: Matrix, weights: Floats, steps: TreeSteps = NEWTON) -> TreeGrower:
    """Grow by LightGBM, whose leaves count rows without their weights."""
    return LightGBMGrower(X, steps)


def _add(tree: Tree, X: Matrix, values: Floats) -> None:
    values += TreeScores.of(np.zeros(1), [tree], [0])(X)[:, 0]


def _flatten(root: dict[str, Any]) -> Tree:
    """Lay out the nodes of LightGBM's nested tree in a row, parents before their children."""
    nodes = [root]
    left, right = [], []
    for node in nodes:
        if "leaf_value" in node:
            left.append(-1)
            right.append(-1)
        else:
            left.append(len(nodes))
            nodes.append(node["left_child"])
            right.append(len(nodes))
            nodes.append(node["right_child"])
    feature = [node.get("split_feature", -1) for node in nodes]
    threshold = [node.get("threshold", 0.0) for node in nodes]
    value = [node.get("leaf_value", 0.0) for node in nodes]
    return Tree(np.array(feature), np.array(threshold), np.array(left), np.array(right), np.array(value))
