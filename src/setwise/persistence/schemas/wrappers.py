"""Schemas of estimators that wrap another one."""

from __future__ import annotations

from setwise.persistence.kinds import (
    POSITIVE,
    Doubles,
    Flag,
    Maybe,
    Part,
    Real,
    Schema,
    Scope,
    Size,
    Table,
    Text,
    Whole,
)
from setwise.persistence.records import Record
from setwise.persistence.registry import estimator_names
from setwise.persistence.schemas.base import Fields, L, Parameters, d, estimator

points = Size("points")
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
