"""One regression tree for a Newton step of boosting, by a maintained library, as flat node arrays."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
import scipy.sparse as sp
from sklearn.tree import DecisionTreeRegressor

from setwise.contract import Array, Floats, Matrix
from setwise.kernels.tree_scores import Tree

MAX_LEAVES = 8
MIN_LEAF_ROWS = 5
LEAF_PENALTY = 1.0
"""Ridge on the value of a leaf, in units of the second derivative."""
LEARNING_RATE = 0.1


class TreeGrower(Protocol):
    """Grows trees on the rows it was made with."""

    def grow(self, rows: Array, gradient: Floats, hessian: Floats, seed: int) -> Tree | None:
        """A tree for the Newton step -gradient / hessian on ``rows``; None where no split helps."""


class CartGrower:
    """Scikit-learn's regression trees, each split among the square root of the features.

    Parameters
    ----------
    X : array or sparse matrix of shape (n, d)
    """

    def __init__(self, X: Matrix) -> None:
        # Trees compare in single precision while they grow; thresholds are then met by the same values.
        self.X = X.tocsr().astype(np.float32) if sp.issparse(X) else np.asarray(X, dtype=np.float32)

    def grow(self, rows: Array, gradient: Floats, hessian: Floats, seed: int) -> Tree | None:
        """A weighted least-squares tree; the values of its leaves are Newton steps."""
        tree = DecisionTreeRegressor(
            max_leaf_nodes=MAX_LEAVES, min_samples_leaf=MIN_LEAF_ROWS, max_features="sqrt", random_state=seed
        )
        X = self.X[rows]
        tree.fit(X, -gradient / hessian, sample_weight=hessian)
        nodes = tree.tree_
        if nodes.node_count == 1:
            return None
        leaf = tree.apply(X)
        steep = np.bincount(leaf, gradient, nodes.node_count)
        bent = np.bincount(leaf, hessian, nodes.node_count)
        inner = nodes.children_left >= 0
        feature = np.where(inner, nodes.feature, -1)
        value = np.where(inner, 0.0, -LEARNING_RATE * steep / (bent + LEAF_PENALTY))
        return Tree(feature, nodes.threshold.copy(), nodes.children_left, nodes.children_right, value)


class LightGBMGrower:
    """LightGBM's histogram trees, by an objective of ours; for many rows.

    Parameters
    ----------
    X : array or sparse matrix of shape (n, d)
    """

    def __init__(self, X: Matrix) -> None:
        try:
            import lightgbm
        except ImportError as missing:
            raise ImportError(
                "learner='lightgbm' needs the package lightgbm: pip install lightgbm"
            ) from missing
        self._lightgbm = lightgbm
        quiet = {"verbose": -1}
        self._data = lightgbm.Dataset(X, label=np.zeros(X.shape[0]), params=quiet, free_raw_data=False)
        self._data.construct()
        self._n_rows = X.shape[0]

    def grow(self, rows: Array, gradient: Floats, hessian: Floats, seed: int) -> Tree | None:
        """A histogram tree; the values of its leaves are Newton steps."""
        slope, bend = np.zeros((2, self._n_rows))
        slope[rows], bend[rows] = gradient, hessian
        booster = self._lightgbm.Booster(self._parameters(seed), self._data)
        booster.update(fobj=lambda _scores, _data: (slope, bend))
        root = booster.dump_model()["tree_info"][0]["tree_structure"]
        return None if "leaf_value" in root else _flat(root)

    def _parameters(self, seed: int) -> dict[str, Any]:
        return {
            "objective": "none",
            "num_leaves": MAX_LEAVES,
            "min_data_in_leaf": MIN_LEAF_ROWS,
            "min_sum_hessian_in_leaf": 1e-3,
            "lambda_l2": LEAF_PENALTY,
            "learning_rate": LEARNING_RATE,
            "feature_fraction": 0.5,
            "seed": seed,
            "num_threads": 1,
            "deterministic": True,
            "verbose": -1,
        }


def _flat(root: dict[str, Any]) -> Tree:
    """The nodes of LightGBM's nested tree in a row, parents before their children."""
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
