"""Decision trees and forests of scikit-learn: means of the class shares in their leaves."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from setwise.contract import Array
from setwise.learning.trees.flat.nodes import Layout, Nodes
from setwise.learning.trees.flat.tree_classifier import TreeClassifier


def flatten_tree(fitted: Any) -> TreeClassifier | None:
    """Convert a fitted ``DecisionTreeClassifier`` or ``ExtraTreeClassifier``; None if it has several outputs."""
    return _mean(fitted, [fitted])


def flatten_forest(fitted: Any) -> TreeClassifier | None:
    """Convert a fitted ``RandomForestClassifier`` or ``ExtraTreesClassifier``; None if it has several outputs."""
    return _mean(fitted, fitted.estimators_)


def _mean(fitted: Any, members: Sequence[Any]) -> TreeClassifier | None:
    if fitted.n_outputs_ > 1:
        return None
    layout = Layout(fitted.n_features_in_)
    first = int(len(fitted.classes_) == 2)  # of two classes the second is enough
    for member in members:
        layout.add(cart_nodes(member.tree_), _shares(member.tree_.value[:, 0])[:, first:])
    return TreeClassifier(
        classes_=np.asarray(fitted.classes_),
        n_features_in_=int(fitted.n_features_in_),
        link="mean",
        n_members=len(members),
        single=True,
        scale=1.0,
        columns=layout.columns(),
        scores=layout.scores(np.zeros(len(fitted.classes_) - first)),
    )


def cart_nodes(tree: Any) -> Nodes:
    """The nodes of a tree of scikit-learn."""
    inner = tree.children_left >= 0
    return Nodes(
        np.where(inner, tree.feature, -1),
        tree.threshold.copy(),
        tree.children_left,
        tree.children_right,
        np.asarray(tree.missing_go_to_left, dtype=np.bool_) & inner,
        {},
    )


def _shares(value: Array) -> Array:
    """Shares (nodes, c) of the classes; a node's rows may have no weight."""
    total = value.sum(axis=1, keepdims=True)
    # Shares that sum to one up to rounding stay as they are, bit for bit.
    return np.where(
        np.isclose(total, 1.0, rtol=0.0, atol=1e-9), value, value / np.where(total > 0, total, 1.0)
    )
