"""Histogram gradient boosting of scikit-learn, with missing values and categories."""

from __future__ import annotations

from typing import Any

import numpy as np

from setwise.contract import Array, Floats
from setwise.learning.trees.flat.columns import CategorySplit
from setwise.learning.trees.flat.nodes import Layout, Nodes
from setwise.learning.trees.flat.tree_classifier import TreeClassifier

MAX_CATEGORIES = 256


def flatten_histograms(fitted: Any) -> TreeClassifier | None:
    """Convert a fitted ``HistGradientBoostingClassifier``; None if its categories are not numbers."""
    known = _categories(fitted)
    if known is None:
        return None
    layout, order = Layout(fitted.n_features_in_), _order(fitted)
    for stage in fitted._predictors:
        for number, predictor in enumerate(stage):
            layout.add(_nodes(predictor, order, known), predictor.nodes["value"][:, None].astype(np.float64))
            layout.score[-1] = number
    start = np.ravel(fitted._baseline_prediction)
    return TreeClassifier(
        classes_=np.asarray(fitted.classes_),
        n_features_in_=int(fitted.n_features_in_),
        link="logistic" if len(start) == 1 else "softmax",
        n_members=1,
        single=False,
        scale=1.0,
        columns=layout.columns(),
        scores=layout.scores(start),
    )


def _order(fitted: Any) -> Array:
    """The feature of each column that the trees see: categorical features come first."""
    features = np.arange(fitted.n_features_in_)
    categorical = fitted.is_categorical_
    if categorical is None:
        return features
    return np.concatenate([features[categorical], features[~categorical]])


def _categories(fitted: Any) -> list[Floats] | None:
    """The values of each categorical feature, by their codes; None if they are not numbers."""
    if fitted.is_categorical_ is None:
        return []
    found = fitted._preprocessor.named_transformers_["encoder"].categories_
    if any(np.asarray(values).dtype.kind not in "biuf" for values in found):
        return None
    return [np.asarray(values, dtype=np.float64) for values in found]


def _nodes(predictor: Any, order: Array, known: list[Floats]) -> Nodes:
    nodes = predictor.nodes
    inner = nodes["is_leaf"] == 0
    missing_left = nodes["missing_go_to_left"].astype(np.bool_) & inner
    categories = {
        int(node): _split(predictor, nodes[node], order, known)
        for node in np.flatnonzero(inner & (nodes["is_categorical"] != 0))
    }
    return Nodes(
        np.where(inner, order[nodes["feature_idx"]], -1),
        np.where(inner, nodes["num_threshold"], 0.0).astype(np.float64),
        np.where(inner, nodes["left"], -1).astype(np.int64),
        np.where(inner, nodes["right"], -1).astype(np.int64),
        missing_left,
        categories,
    )


def _split(predictor: Any, node: Any, order: Array, known: list[Floats]) -> CategorySplit:
    values = known[node["feature_idx"]]
    values = values[~np.isnan(values)]
    bits = np.unpackbits(
        predictor.raw_left_cat_bitsets[node["bitset_idx"]].astype("<u4").view(np.uint8), bitorder="little"
    )
    left = bits[: len(values)] == 1
    return CategorySplit(
        int(order[node["feature_idx"]]),
        tuple(values[left].tolist()),
        tuple(values[~left].tolist()),
        bool(node["missing_go_to_left"]),
    )
