"""Schemas of estimators that list label sets: powersets, random groups of labels, random fields."""

from __future__ import annotations

from typing import Any

import numpy as np

from setwise.arrays import Array
from setwise.limits import FIELD_LABELS
from setwise.persistence.kinds import (
    ANY,
    SHARE,
    Doubles,
    Labels,
    ListOf,
    Optional,
    Parents,
    Part,
    Scope,
    Size,
    Wholes,
)
from setwise.persistence.kinds.kind import refuse
from setwise.persistence.kinds.parts import ClassOf
from setwise.persistence.records import Record
from setwise.persistence.schemas.base import PENALTIES, Fields, L, Parameters, d, estimator, is_built_in
from setwise.persistence.schemas.labels import scores

m, P, G = Size("m"), Size("P"), Size("G")
SET_MODELS = ("part.LinearSets", "part.ClassifierSets")

# Models of before there was a back-off hold neither.
BACKOFF: Fields = {
    "backoff_": Optional(SHARE),
    "independent_": Optional(Part("part.LinearLabels", "part.ClassifierLabels", d=d, L=L, m=0)),
}


class Pairs(Wholes):
    """Distinct pairs of labels, the smaller number first."""

    def __init__(self, pairs: Size, labels: Size) -> None:
        super().__init__(pairs, 2, below=labels)

    def check_order(self, array: Array, place: str, scope: Scope) -> None:
        """See :class:`~setwise.persistence.kinds.arrays.Numbers`."""
        super().check_order(array, place, scope)
        if (array[:, 0] >= array[:, 1]).any() or len(np.unique(array, axis=0)) < len(array):
            refuse(place, "not a list of pairs", "pairs of different labels, each once")


def _penalty(where: str) -> Any:
    """The penalty of the sets' model, if it is one of ours."""

    def derived(p: Parameters) -> dict[str, Any]:
        return {"l2_": lambda model: _first(getattr(model, where)).l2} if is_built_in(p) else {}

    return derived


def _first(models: Any) -> Any:
    return models[0] if isinstance(models, list) else models


def _backoff_has_model(record: Record, scope: Scope) -> str | None:
    if record.state.get("backoff_", 0.0) > 0 and "independent_" not in record.state:
        return "probability is reserved for unseen sets, but they have no model"
    return None


def _groups_have_models(record: Record, scope: Scope) -> str | None:
    """Check that the sets of every group have its labels, and its model has those sets."""
    groups, sets, models = (record.state[name] for name in ("groups_", "sets_", "models_"))
    for number, (group, listed, model) in enumerate(zip(groups, sets, models)):
        if listed.shape[1] != len(group) or len(np.unique(group)) < len(group):
            return f"group {number} has {len(group)} labels, and its sets have {listed.shape[1]}"
        Part(*SET_MODELS, d=d, m=len(listed)).check(model, f"{record.short}.models_[{number}]", scope)
    together = np.sort(np.concatenate([np.empty(0, np.int64), *groups]))
    if record.parameters.get("kind") == "disjoint" and not np.array_equal(
        together, np.arange(scope.sizes["L"])
    ):
        return "disjoint groups have each label once"
    return None


def few_labels(record: Record, scope: Scope) -> str | None:
    """Limit a field over all sets, which are not in the file."""
    if record.parameters.get("search") == "exact" and scope.sizes["L"] > FIELD_LABELS:
        return (
            f"search='exact' sums over 2^{scope.sizes['L']} sets; at most {FIELD_LABELS} labels are allowed"
        )
    return None


def _field(p: Parameters) -> Fields:
    pseudo = p.get("training") == "pseudo"
    fields: Fields = {
        "pairs_": Pairs(P, L),
        "coupling_": Doubles(P),
        "l2_": Doubles(ANY, **PENALTIES),
    } | BACKOFF
    if p.get("search") != "loopy":
        fields |= {"sets_": Labels(m, L, distinct=True), "phi_": Doubles(m, L + P)}
    if pseudo:
        fields |= {"parents_": Parents(L)}
    return fields | {"potentials_": scores(d, L if pseudo else L + P, ANY)}


SCHEMAS = {
    "setwise.LabelPowerset": estimator(
        {
            **BACKOFF,
            "sets_": Labels(m, L, distinct=True),
            "model_": Part(*SET_MODELS, d=d, m=m),
        },
        derived=_penalty("model_"),
        rules=(_backoff_has_model,),
    ),
    "setwise.RAkEL": estimator(
        {
            **BACKOFF,
            "groups_": ListOf(Wholes(ANY, below=L), G, least=1),
            "sets_": ListOf(Labels(ANY, ANY, distinct=True), G),
            "models_": ListOf(ClassOf(*SET_MODELS), G),
            "shares_": Doubles(L, low=0.0, high=1.0),
        },
        derived=_penalty("models_"),
        rules=(_groups_have_models, _backoff_has_model),
    ),
    "setwise.PairwiseCRF": estimator(_field, rules=(_backoff_has_model,)),
}
