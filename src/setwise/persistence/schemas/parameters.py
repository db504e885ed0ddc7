"""Allowed parameters of our estimators in a file. A name means the same everywhere, so there is one table for all.

Two rules apply: the one that ``fit`` checks (:mod:`setwise.estimators.base.checks.parameters`), and the limits here,
which keep a file from causing endless work.
"""

from __future__ import annotations

import inspect
from typing import Any

from setwise.estimators.base.checks.parameters import allowed_values
from setwise.persistence.errors import ModelFileError
from setwise.persistence.kinds import (
    ANY,
    Choice,
    DictOf,
    Either,
    Flag,
    Floats,
    Kind,
    ListOf,
    Maybe,
    Nothing,
    Part,
    Real,
    Scope,
    Template,
    Text,
    Whole,
    Wholes,
)
from setwise.persistence.records import Record
from setwise.persistence.registry import CLASSIFIERS, LEFT_OUT, TREES, estimator_names, find_class
from setwise.persistence.schemas.decisions import decision

PLAIN = Either(Nothing(), Flag(), Real(), Text(64))
"""The kind of parameters that are not in the table: short, finite, and not executed."""

learner = Either(Text(64), Whole(), Template(lambda: CLASSIFIERS | TREES))
model = Either(Template(estimator_names), Part(estimator_names), Part("sklearn.FrozenEstimator"))
numbers = Either(Wholes(ANY), Floats(ANY), ListOf(Whole()), ListOf(Whole(), tuples=True))

label = Either(Text(), Whole(0, 2**31))

BY_NAME: dict[str, Kind] = {
    "beam_width": Whole(1, 2**12),
    "candidates": Either(Text(64), ListOf(model), ListOf(model, tuples=True)),
    "cv": Whole(0, 2**20),
    "decision": decision,
    "class_weight": Maybe(Either(Text(64), DictOf(Either(Real(), DictOf(Real(), keys=label)), keys=label))),
    "classifier": Either(model, learner),
    "estimator": model,
    "estimators": Either(Text(64), ListOf(model), ListOf(model, tuples=True)),
    "features": Either(Text(64), ListOf(Text(64)), ListOf(Text(64), tuples=True)),
    "joint": Either(Text(64), model),
    "groups": Maybe(Either(ListOf(numbers), ListOf(numbers, tuples=True))),
    "learner": learner,
    "max_sets": Whole(1, 2**13),
    "member": Maybe(Template(lambda: {"setwise.NaiBX"})),
    "min_labels": Either(Whole(0, 2**31), Choice("auto")),
    "order": Either(Text(64), numbers),
    "random_state": Maybe(Whole(0, 2**32 - 1)),
    "size_model": learner,
    "verbose": Either(Flag(), Whole(0, 100)),
}


def check_names(record: Record) -> None:
    """Raise a ModelFileError for a parameter that the class does not have, or a required one that is missing."""
    known = inspect.signature(find_class(record.name)).parameters
    unknown = [name for name in record.parameters if name not in known]
    if unknown:
        raise ModelFileError(f"{record.short} has no parameter {unknown[0][:60]!r} in this version")
    missing = [name for name, p in known.items() if p.default is p.empty and p.kind is not p.VAR_KEYWORD]
    if absent := [name for name in missing if name not in record.parameters]:
        raise ModelFileError(f"{record.short} has no value of its parameter {absent[0]!r}")


def check_estimator(record: Record, place: str, scope: Scope) -> None:
    """Raise a ModelFileError unless the parameters of an estimator of ours are safe."""
    check_names(record)
    cls: Any = find_class(record.name)
    allowed = allowed_values(cls)
    for name, value in record.parameters.items():
        where = f"{place}.{name}"
        kind = Nothing() if name in LEFT_OUT else BY_NAME.get(name, PLAIN)
        kind.check(value, where, scope)
        if name in allowed and not isinstance(value, Record) and not allowed[name].allow(value):
            raise ModelFileError(f"{where} is not {allowed[name]}")
