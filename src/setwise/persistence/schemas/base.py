"""Schemas that all fitted estimators share."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from setwise.persistence.kinds import (
    Dimension,
    Doubles,
    Flag,
    Floats,
    Kind,
    Names,
    Optional,
    Part,
    Schema,
    Size,
    Whole,
)
from setwise.persistence.schemas.parameters import check_estimator

d, L = Size("d"), Size("L")
Parameters = Mapping[str, Any]
Fields = dict[str, Kind]

PENALTIES: dict[str, Any] = {"low": 0.0}


def fitted(own: Fields) -> Fields:
    """The attributes of every fitted estimator, and those of one class."""
    return {
        "n_features_in_": Dimension(d),
        "feature_names_in_": Optional(Names(d)),
        "n_labels_": Dimension(L),
        "_targets": Part("part.Targets", L=L),
        "label_names_": Names(L),
        "min_labels_": Whole(0, L),
        "unit_rows_": Optional(Flag()),
        "fill_": Optional(Floats(d)),
        "baseline_": Optional(Floats(d)),
        **own,
    }


def estimator(own: Fields | Callable[[Parameters], Fields], **rest: Any) -> Schema:
    """The schema of an estimator; ``own`` are its attributes, or a function from its parameters to them."""
    fields = (lambda p: fitted(own(p))) if callable(own) else fitted(own)
    return Schema(fields, check_estimator, **rest)


def learner_of(parameters: Parameters) -> Any:
    """Kinds of learners."""
    return parameters.get("learner", "logistic")


def is_built_in(parameters: Parameters) -> bool:
    """Whether the learner of an estimator is one of setwise, given by its name."""
    return isinstance(learner_of(parameters), str)


def weight_shift(parameters: Parameters) -> Fields:
    """What the weights of labels add to their log-odds, if an estimator has such weights."""
    return {} if parameters.get("class_weight") is None else {"weight_shift_": Doubles(L)}


def views(where: str, **names: str) -> dict[str, Callable[[Any], Any]]:
    """Attributes that show the content of a part: the path to the part, and the place in it of each name.

    Examples
    --------
    >>> from types import SimpleNamespace as Object
    >>> views("model_", coef_="scores.coef")["coef_"](Object(model_=Object(scores=Object(coef=1.0))))
    1.0
    """

    def view(path: list[str]) -> Callable[[Any], Any]:
        def find(value: Any) -> Any:
            for step in path:
                value = getattr(value, step)
            return value

        return find

    return {name: view([where, *place.split(".")]) for name, place in names.items()}
