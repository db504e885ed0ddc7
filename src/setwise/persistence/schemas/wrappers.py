"""Schemas of estimators that wrap another one."""

from __future__ import annotations

import math

from setwise.persistence.kinds import (
    POSITIVE,
    SHARE,
    Choice,
    Dimension,
    Doubles,
    Flag,
    Labels,
    ListOf,
    Maybe,
    Optional,
    Part,
    Real,
    Schema,
    Scope,
    Size,
    Table,
    Text,
    Whole,
    Wholes,
)
from setwise.persistence.records import Record
from setwise.persistence.registry import CLASSIFIERS, estimator_names
from setwise.persistence.schemas.base import Fields, L, Parameters, d, estimator

points, M, m, few = Size("points"), Size("M"), Size("m"), Size("few")
MARGINALS = ("part.LinearLabels", "part.ClassifierLabels", "part.AllLabels", "part.GivenScores")
MAPS = ("part._LogisticMap", "part._MonotoneMap")

inside = Part(estimator_names, d=d, L=L)

_figure = Maybe(Real(infinite=True))
_tried = {
    "name": Text(2**16),
    "log_loss": _figure,
    "standard_error": _figure,
    "rows": Maybe(Whole()),
    "seconds": _figure,
    "status": Text(2**16),
}
"""The columns of a leaderboard."""


def _calibrated(p: Parameters) -> Fields:
    fields: Fields = {"temperature_": POSITIVE, "set_map_": Part(*MAPS), "estimator_": inside}
    return fields | ({"label_map_": Part(*MAPS)} if p.get("method") == "isotonic" else {})


def _check_frozen(record: Record, place: str, scope: Scope) -> None:
    Part(estimator_names).check(record.parameters.get("estimator"), f"{place}.estimator", scope)


def _classifier_names() -> set[str]:
    return estimator_names() | CLASSIFIERS


def _from_marginals(p: Parameters) -> Fields:
    classifier = Part(*MARGINALS, d=d, L=L, m=0)
    if p.get("joint", "seen_sets") != "seen_sets":
        return {"classifier_": classifier, "joint_": Part(estimator_names, d=L, L=L)}
    return {"classifier_": classifier, "dependence_": Part("part.SetDependence", L=L)}


def _weights_sum_to_one(record: Record, scope: Scope) -> str | None:
    weights = record.state["weights_"]
    if not (math.isclose(weights.sum(), 1.0, abs_tol=1e-6) and (weights > 0).all()):
        return "the weights of the members do not sum to one"
    return None


SCHEMAS = {
    "sklearn.FrozenEstimator": Schema({}, _check_frozen),
    "part._LogisticMap": Schema({"slope": Real(), "intercept": Real()}),
    "part._MonotoneMap": Schema(
        {
            "said": Doubles(points, low=0.0, high=1.0, rising=True),
            "seen": Doubles(points, low=0.0, high=1.0, rising=True),
        }
    ),
    "part.Leaderboard": Schema({"entries": Table(**_tried)}),
    "setwise.CalibratedSets": estimator(_calibrated),
    "setwise.ConformalSets": estimator(
        {"estimator_": inside, "log_threshold_": Real(-1e100, 1e100, infinite=True)}
    ),
    "setwise.TunedThresholds": estimator(
        {
            "estimator_": inside,
            "thresholds_": Doubles(L, low=0.0, high=1.0),
            "spread_": Doubles(L, low=0.0, high=1.0),
        }
    ),
    "part.AllLabels": Schema({"classifier": Part(_classifier_names, d=d), "n_labels": Dimension(L)}),
    "part.GivenScores": Schema({"kind": Choice("logits", "probabilities")}),
    "part.SetDependence": Schema(
        {
            "sets": Labels(m, L, distinct=True),
            "bonus": Doubles(m),
            "clip": POSITIVE,
            "slope": POSITIVE,
            "free_slope": POSITIVE,
            "backoff": SHARE,
        }
    ),
    "part.PoolGate": Schema(
        {
            "columns": Wholes(few, below=d, increasing=True),
            "mean": Doubles(few),
            "scale": Doubles(few, low=1e-300),
            "coef": Doubles(few, M),
            "intercept": Doubles(M),
        }
    ),
    "setwise.SetsFromMarginals": estimator(_from_marginals),
    "setwise.StackedSets": estimator(
        {
            "estimators_": ListOf(inside, M, least=1),
            "weights_": Doubles(M, low=0.0, high=1.0),
            "gate_": Optional(Part("part.PoolGate", d=d, M=M)),
            "leaderboard_": Part("part.Leaderboard"),
        },
        rules=(_weights_sum_to_one,),
    ),
    "setwise.NaiBXCommittee": estimator(
        {
            "members_": ListOf(Part("setwise.NaiBX", d=d, L=L), M, least=1),
            "weights_": Doubles(M, low=0.0, high=1.0),
        },
        rules=(_weights_sum_to_one,),
    ),
    "setwise.AutoSetClassifier": estimator(
        {
            "n_rows_": Whole(),
            "refitted_": Flag(),
            "estimator_": inside,
            "leaderboard_": Part("part.Leaderboard"),
            "reason_": Text(2**16),
        }
    ),
}
