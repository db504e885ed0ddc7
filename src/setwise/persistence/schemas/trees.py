"""Schemas of classifiers that are sums or means of trees, and of the learners that they were fitted by."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from setwise.kernels.tree_scores import Tree, TreeScores
from setwise.persistence.kinds import (
    POSITIVE,
    Choice,
    Classes,
    Dimension,
    Doubles,
    Either,
    Flag,
    Nothing,
    Part,
    Real,
    Schema,
    Scope,
    Size,
    Whole,
    Wholes,
)
from setwise.persistence.records import Record
from setwise.persistence.registry import LEFT_OUT, TREES, find_class
from setwise.persistence.schemas.parameters import PLAIN, check_names
from setwise.persistence.schemas.sklearn.parameters import check_sklearn

d, c, B = Size("d"), Size("c"), Size("B")
negated, splits, listed = Size("negated"), Size("splits"), Size("listed")
PLACES = frozenset({"i4"})
number = Either(Flag(), Real())
NUMBERS = frozenset(
    {
        "bagging_fraction",
        "bagging_freq",
        "cat_l2",
        "cat_smooth",
        "deterministic",
        "extra_trees",
        "feature_fraction",
        "force_col_wise",
        "force_row_wise",
        "lambda_l1",
        "lambda_l2",
        "max_bin",
        "max_cat_to_onehot",
        "min_data_in_leaf",
        "min_data_per_group",
        "path_smooth",
        "verbose",
        "verbosity",
    }
)
"""Options of LightGBM that are not in the signature of its classifier."""


def _starts_rise(record: Record, scope: Scope) -> str | None:
    start = record.state["category_start"]
    if start[0] != 0 or (np.diff(start) < 0).any() or start[-1] != scope.sizes["listed"]:
        return "the lists of categories overlap or end beyond the values"
    return None


def _one_score_per_class(record: Record, scope: Scope) -> str | None:
    classes, link = scope.sizes["c"], record.state["link"]
    expected = 1 if classes == 2 and link != "softmax" else classes
    if scope.sizes["B"] != expected or (link == "logistic" and classes != 2):
        return f"{scope.sizes['B']} scores for {classes} classes with the link {link!r}"
    return None


def _means_are_shares(record: Record, scope: Scope) -> str | None:
    """Check that every leaf of a forest has shares of the classes; otherwise there would be no probabilities."""
    if record.state["link"] != "mean":
        return None
    trees = TreeScores(**record.state["scores"].state)
    n_scores, members = scope.sizes["B"], record.state["n_members"]
    if (
        len(trees.score) != n_scores * members
        or (trees.score != np.arange(len(trees.score)) % n_scores).any()
    ):
        return "the trees of a mean are not those of its members"
    value = trees.value[trees.feature < 0]
    if trees.intercept.any() or not ((value >= 0) & (value <= 1)).all():
        return "a leaf has a share of a class outside 0 to 1"
    each = trees.trees()
    if not all(_sum_to_one(each[i : i + n_scores]) for i in range(0, len(each), n_scores) if n_scores > 1):
        return "the shares of the classes in a leaf do not sum to one"
    return None


def _sum_to_one(trees: list[Tree]) -> bool:
    """Whether trees of the same splits, one per class, have shares in each leaf."""
    first = trees[0]
    if any(not np.array_equal(a, b) for tree in trees[1:] for a, b in zip(tree[:4], first[:4])):
        return False
    total = np.sum([tree.value for tree in trees], axis=0)
    return bool(np.allclose(total[first.feature < 0], 1.0, atol=1e-6))


def _blank(name: str) -> dict[str, Any]:
    """What an unfitted classifier of scikit-learn has besides its parameters: forests have a tree, for its tags."""
    unfitted = find_class(name)()
    return {key: value for key, value in vars(unfitted).items() if key not in unfitted.get_params()}


def _check_lightgbm(record: Record, place: str, scope: Scope) -> None:
    """Check names and values. LightGBM has options that read files; only those of its signature and numbers pass."""
    listed = {name: value for name, value in record.parameters.items() if name not in NUMBERS}
    check_names(replace(record, parameters=listed))
    for name, value in record.parameters.items():
        kind = Nothing() if name in LEFT_OUT else number if name in NUMBERS else PLAIN
        kind.check(value, f"{place}.{name}", scope)


def _other_numbers(model: Any) -> dict[str, Any]:
    """Options of LightGBM beyond its signature, which it keeps in a dict too."""
    return {name: value for name, value in vars(model).items() if name in NUMBERS}


SCHEMAS = {
    **{name: Schema({}, check_sklearn, blank=_blank(name)) for name in TREES if name.startswith("sklearn.")},
    "lightgbm.LGBMClassifier": Schema(
        {}, _check_lightgbm, derived={"_other_params": _other_numbers}, blank={"fitted_": False}
    ),
    "part.SplitColumns": Schema(
        {
            "negated": Wholes(negated, below=d, types=PLACES),
            "category_feature": Wholes(splits, below=d, types=PLACES),
            "category_start": Wholes(splits + 1, types=PLACES),
            "category_value": Doubles(listed),
            "category_side": Wholes(listed, below=2, types=PLACES),
            "other_side": Wholes(splits, below=2, types=PLACES),
        },
        rules=(_starts_rise,),
    ),
    "part.TreeClassifier": Schema(
        {
            "classes_": Classes(c),
            "n_features_in_": Dimension(d),
            "link": Choice("mean", "logistic", "softmax"),
            "n_members": Whole(1),
            "single": Flag(),
            "scale": POSITIVE,
            "columns": Part("part.SplitColumns", d=d, negated=negated, splits=splits),
            "scores": Part("part.TreeScores", d=d + negated + splits, B=B),
        },
        rules=(_one_score_per_class, _means_are_shares),
    ),
}
