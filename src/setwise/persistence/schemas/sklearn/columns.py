"""Schemas of scikit-learn's pipelines, unions and column transformers."""

from __future__ import annotations

from typing import Any

from setwise.persistence.kinds import (
    ANY,
    Booleans,
    Choice,
    DictOf,
    Dimension,
    Either,
    Flag,
    Kind,
    ListOf,
    Names,
    Nothing,
    Optional,
    Part,
    Schema,
    Scope,
    Size,
    Template,
    Text,
    Tuple,
    Whole,
    Wholes,
)
from setwise.persistence.kinds.kind import refuse, shown
from setwise.persistence.records import Record
from setwise.persistence.registry import SCIKIT_LEARN, estimator_names
from setwise.persistence.schemas.sklearn.numbers import FEATURES, OUTPUT
from setwise.persistence.schemas.sklearn.parameters import with_parameters
from setwise.persistence.schemas.sklearn.widths import widest

d, c = Size("d"), Size("c")
PASSED = Choice("drop", "passthrough")


def _steps() -> set[str]:
    return {f"sklearn.{name}" for name in SCIKIT_LEARN} | estimator_names()


def _transformers() -> set[str]:
    return {f"sklearn.{name}" for name in SCIKIT_LEARN}


class Steps(Kind):
    """Named steps, fitted if the pipeline or union is; all but the last of a pipeline may be "passthrough"."""

    def __init__(self, *, pipeline: bool) -> None:
        self.pipeline = pipeline

    def check(self, value: Any, place: str, scope: Scope) -> None:
        """See :class:`Kind`."""
        if type(value) is not list or not 1 <= len(value) <= 1000:
            refuse(place, shown(value), "a list of steps")
        for number, step in enumerate(value):
            where = f"{place}[{number}]"
            if type(step) not in (tuple, list) or len(step) != 2:
                refuse(where, shown(step), "a name and a step")
            Text().check(step[0], where, scope)
            self._kind(number == 0, number == len(value) - 1, scope).check(step[1], where, scope)
        names = [name for name, _ in value]
        if len(set(names)) < len(names):
            refuse(place, "a list of steps with a name that occurs twice", "different names")

    def _kind(self, first: bool, last: bool, scope: Scope) -> Kind:
        template = Template(_steps)
        sizes = {"d": d} if first or not self.pipeline else {}
        complete = Part(_steps, **(sizes | ({"c": c} if last and self.pipeline else {})))
        kind: Kind = complete if scope.fitted else Either(template, complete)
        return Either(PASSED, Nothing(), kind)


class Rows(Kind):
    """One of the columns, or several, by number or name."""

    def check(self, value: Any, place: str, scope: Scope) -> None:
        """See :class:`Kind`."""
        if isinstance(value, slice):
            for end in (value.start, value.stop, value.step):
                Either(Nothing(), Text(), Whole(-(2**31), 2**31)).check(end, place, scope)
            return
        one = Either(Text(), Flag(), Whole(-(2**31), 2**31))
        arrays = Either(Wholes(ANY, low=-(2**31)), Booleans(ANY), Names(ANY))
        Either(one, ListOf(one), ListOf(one, tuples=True), arrays).check(value, place, scope)


def _triple(inner: Kind) -> Kind:
    return Either(Tuple(Text(), Either(PASSED, inner), Rows()))


indices = ListOf(Whole(0, d))
template = Template(_transformers)


def _columns_exist(record: Record, scope: Scope) -> str | None:
    names = [name for name, _, _ in record.state["transformers_"]]
    if len(set(names)) < len(names):
        return "two transformers have the same name"
    known = record.state["_transformer_to_input_indices"]
    width = scope.sizes["d"]
    if not set(names) <= set(known) or any(i >= width for own in known.values() for i in own):
        return f"a transformer asks for columns that are not among the {width} of the fit"
    return None


def _few_columns(record: Record, scope: Scope) -> str | None:
    widest(record, scope.sizes.get("d"), scope.limits)
    return None


_PIPELINE = Schema(dict(OUTPUT), with_parameters(steps=Steps(pipeline=True)), rules=(_few_columns,))

SCHEMAS = {
    "sklearn.Pipeline": _PIPELINE,
    "setwise.SetPipeline": _PIPELINE,
    "sklearn.FeatureUnion": Schema(
        {"feature_names_in_": Optional(Names(ANY)), **OUTPUT},
        with_parameters(transformer_list=Steps(pipeline=False)),
        rules=(_few_columns,),
    ),
    "sklearn.ColumnTransformer": Schema(
        FEATURES
        | {
            "transformers_": ListOf(_triple(Part(_transformers))),
            "_columns": ListOf(Rows()),
            "_transformer_to_input_indices": DictOf(indices),
            "_remainder": _triple(template),
            "sparse_output_": Flag(),
            "output_indices_": DictOf(Rows()),
            "_n_features": Optional(Dimension(d)),
        },
        with_parameters(transformers=ListOf(_triple(template)), remainder=Either(PASSED, template)),
        rules=(_columns_exist, _few_columns),
        dropped=frozenset({"_transformers_feature_names_out", "_name_to_fitted_passthrough"}),
    ),
}
