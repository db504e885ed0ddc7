"""Schemas of the cascade: sizes, then labels one after another."""

from __future__ import annotations

import numpy as np

from setwise.persistence.kinds import Doubles, Either, Maybe, Part, Scope, Size, Whole
from setwise.persistence.records import Record
from setwise.persistence.schemas.base import Fields, L, Parameters, d, estimator, is_built_in
from setwise.persistence.schemas.labels import learner

c = Size("c")


def _cascade(p: Parameters) -> Fields:
    fields: Fields = {
        "label_counts_": Part("part.LabelCounts", L=L),
        "feature_counts_": Part("part.FeatureCounts", d=d, L=L),
    }
    if isinstance(p.get("size_model"), Record):
        fields |= {"size_classifier_": Either(Whole(0, L), learner(d, c))}
    if p.get("size_model") == "auto":
        fields |= {"size_classifier_": Maybe(Either(Whole(0, L), learner(d, c)))}
    if "auto" in (p.get("size_model"), p.get("temper")):
        fields |= {"tempers_": Doubles(2)}
    return fields if is_built_in(p) else fields | {"steps_": Part("part.ClassifierSteps", d=d, L=L)}


def _sizes_exist(record: Record, scope: Scope) -> str | None:
    """Check that a fixed size, or the classes of a classifier of sizes, are possible numbers of labels."""
    fixed, classifier = record.parameters.get("size_model"), record.state.get("size_classifier_")
    if isinstance(fixed, int) and not 0 <= fixed <= scope.sizes["L"]:
        return f"size_model is {fixed}; there are {scope.sizes['L']} labels"
    if isinstance(classifier, Record):
        sizes = classes_of(classifier)
        if sizes.dtype.kind not in "iu" or not np.isin(sizes, np.arange(scope.sizes["L"] + 1)).all():
            return "the classifier of sizes has classes that are not sizes"
    return None


def classes_of(record: Record) -> np.ndarray:
    """The classes of a fitted classifier of scikit-learn, or of the last step of a pipeline."""
    if record.name == "sklearn.Pipeline":
        return classes_of(record.parameters["steps"][-1][1])
    classes: np.ndarray = record.state["classes_"]
    return classes


def _narrow_beam(record: Record, scope: Scope) -> str | None:
    """Limit the width of the beam, whose sets are not in the file."""
    limit = max(128, 2**13 // scope.sizes["L"])
    if record.parameters.get("beam_width", 1) > limit:
        return f"beam_width is {record.parameters['beam_width']}; at most {limit} is stored with this number of labels"
    return None


SCHEMAS = {"setwise.NaiBX": estimator(_cascade, rules=(_sizes_exist, _narrow_beam))}
