"""Schemas of estimators of labels that are independent given the features."""

from __future__ import annotations

from typing import Any

from setwise.persistence.kinds import NOT_NEGATIVE, Doubles, Part, Real, Schema, Size, Wholes
from setwise.persistence.schemas.base import (
    Fields,
    L,
    Parameters,
    d,
    estimator,
    is_built_in,
    views,
    weight_shift,
)
from setwise.persistence.schemas.labels import scores
from setwise.persistence.schemas.sets import few_labels

k, R = Size("k"), Size("R")


def _layer(p: Parameters, d: Size, extra: int | Size) -> Part:
    """A classifier per label, of the features and of ``extra`` columns."""
    if is_built_in(p):
        return Part("part.LinearLabels", d=d, L=L, m=extra)
    return Part("part.ClassifierLabels", d=d + extra, L=L)


def _relevance_views(p: Parameters) -> dict[str, Any]:
    if is_built_in(p):
        return views("model_", l2_="l2")
    return {"learners_": lambda model: [label.classifier for label in model.model_.labels]}


def _regression(p: Parameters) -> Fields:
    seen = Part("part.LinearLabels", d=d, L=L, m=L) if p.get("with_features") else _of_votes
    return {"neighbours_": Part("part.NeighbourVotes", d=d, L=L), "model_": seen}


_of_votes = Part("part.LinearLabels", d=L, L=L, m=0)

SCHEMAS = {
    "setwise.BinaryRelevance": estimator(
        lambda p: {"model_": _layer(p, d, 0), **weight_shift(p)}, derived=_relevance_views
    ),
    "setwise.HeterogeneousFeatures": estimator(
        lambda p: {"first_": _layer(p, d, 0), "second_": _layer(p, d, L)}
    ),
    "setwise.MLkNN": estimator(
        {"neighbours_": Part("part.NeighbourVotes", d=d, L=L, k=k), "log_odds_": Doubles(k + 1, L)}
    ),
    "setwise.IBLR": estimator(_regression, derived=views("model_", l2_="l2")),
    "setwise.RankSVM": estimator(
        {
            "scores_": scores(d, L, 0),
            "threshold_coef_": Doubles(L),
            "threshold_intercept_": Real(),
            "slope_": NOT_NEGATIVE,
            "C_": NOT_NEGATIVE,
        }
    ),
    "setwise.LabelSpaceTransform": estimator(
        {
            "scores_": scores(d, L, 0),
            "components_": Doubles(k, L),
            "slope_": NOT_NEGATIVE,
            "l2_": NOT_NEGATIVE,
        }
    ),
    "setwise.MMOC": estimator(
        {
            "regression_": scores(d, L, 0),
            "labels_": Part("part.LinearLabels", d=d, L=L, m=0),
            "codes_": Doubles(L, k),
            "deviations_": Doubles(k, low=1e-6),
            "C_": NOT_NEGATIVE,
        },
        rules=(few_labels,),
    ),
    "setwise.AdaBoostMH": estimator({"stumps_": Part("part.Stumps", d=d, L=L)}),
    "part.Stumps": Schema(
        {"feature": Wholes(R, below=d), "threshold": Doubles(R), "values": Doubles(R, 2, L)}
    ),
}
