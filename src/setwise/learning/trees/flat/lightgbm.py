"""Boosted trees of LightGBM, with missing values and categories."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from setwise.learning.trees.flat.columns import CategorySplit
from setwise.learning.trees.flat.nodes import Layout, Nodes
from setwise.learning.trees.flat.tree_classifier import TreeClassifier

OBJECTIVES = {"binary": "logistic", "multiclass": "softmax"}


def flatten_lightgbm(fitted: Any) -> TreeClassifier | None:
    """Convert a fitted ``LGBMClassifier``; None for linear leaves, means of trees and zeros as missing values."""
    if type(fitted).__name__ != "LGBMClassifier":
        return None
    model = fitted.booster_.dump_model()
    objective, *settings = model["objective"].split()
    link: Any = OBJECTIVES.get(objective)
    roots = [tree["tree_structure"] for tree in model["tree_info"]]
    if (
        link is None
        or model["average_output"]
        or not all(_plain(node) for root in roots for node in walk(root))
    ):
        return None
    n_scores = model["num_tree_per_iteration"]
    layout = Layout(fitted.n_features_in_)
    for number, root in enumerate(roots):
        nodes = [*walk(root)]
        values = np.array([[node.get("leaf_value", 0.0)] for node in nodes])
        layout.add(_nodes(nodes), values)
        layout.score[-1] = number % n_scores
    return TreeClassifier(
        classes_=np.asarray(fitted.classes_),
        n_features_in_=int(fitted.n_features_in_),
        link=link,
        n_members=1,
        single=False,
        scale=float(dict(item.split(":") for item in settings if ":" in item).get("sigmoid", 1.0)),
        columns=layout.columns(),
        scores=layout.scores(np.zeros(n_scores)),
    )


def walk(root: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The nodes of a nested tree, level by level, so that parents come before their children.

    Examples
    --------
    >>> leaves = ({"leaf_value": 1.0}, {"leaf_value": 2.0})
    >>> [node.get("leaf_value") for node in walk({"left_child": leaves[0], "right_child": leaves[1]})]
    [None, 1.0, 2.0]
    """
    nodes = [root]
    for node in nodes:
        nodes += [node[side] for side in ("left_child", "right_child") if side in node]
        yield node


def _plain(node: dict[str, Any]) -> bool:
    return "leaf_coeff" not in node and node.get("missing_type") != "Zero"


def _nodes(nodes: list[dict[str, Any]]) -> Nodes:
    inner = np.array(["left_child" in node for node in nodes])
    children = np.cumsum(inner) * 2 - 1
    return Nodes(
        np.array([node.get("split_feature", -1) if is_inner else -1 for node, is_inner in zip(nodes, inner)]),
        np.array([_threshold(node) for node in nodes]),
        np.where(inner, children, -1),
        np.where(inner, children + 1, -1),
        np.array([is_inner and _missing_left(node) for node, is_inner in zip(nodes, inner)], dtype=np.bool_),
        {number: _split(node) for number, node in enumerate(nodes) if node.get("decision_type") == "=="},
    )


def _threshold(node: dict[str, Any]) -> float:
    return float(node["threshold"]) if node.get("decision_type") == "<=" else 0.0


def _missing_left(node: dict[str, Any]) -> bool:
    """Without missing values in training, NaN counts as zero."""
    if node["missing_type"] == "NaN":
        return bool(node["default_left"])
    return _threshold(node) >= 0.0


def _split(node: dict[str, Any]) -> CategorySplit:
    """Categories are whole numbers; all that are not listed go right."""
    listed = tuple(float(value) for value in str(node["threshold"]).split("||"))
    return CategorySplit(int(node["split_feature"]), listed, (), others_left=False)
