"""Schemas of the parts in :mod:`setwise.learning.labels`: one classifier per label, chains, classifiers of sets."""

from __future__ import annotations

from typing import Any

from setwise.persistence.kinds import (
    NOT_NEGATIVE,
    Classes,
    ClassOf,
    DataType,
    Dimension,
    Doubles,
    Either,
    Kind,
    ListOf,
    Matrix,
    Maybe,
    Names,
    Order,
    Part,
    Real,
    Schema,
    Scope,
    Size,
    Wholes,
)
from setwise.persistence.records import Record
from setwise.persistence.registry import CLASSIFIERS
from setwise.persistence.schemas.base import PENALTIES

d, L, B, m, c, n = Size("d"), Size("L"), Size("B"), Size("m"), Size("c"), Size("n")


class _Classifier(Part):
    """A fitted scikit-learn classifier, or a pipeline that ends in one."""

    def check(self, value: Any, place: str, scope: Scope) -> None:
        """See :class:`Kind`."""
        super().check(value, place, scope)
        last = value
        while isinstance(last, Record) and last.name == "sklearn.Pipeline":
            last = last.parameters["steps"][-1][1]
        self._check_class(last, place)


def learner(d: Size, c: Size | int) -> Kind:
    """A fitted classifier of ``d`` features and ``c`` classes, of scikit-learn or of flat trees."""
    return Either(Part("part.TreeClassifier", d=d, c=c), _Classifier(lambda: CLASSIFIERS, d=d, c=c))


def scores(d: Size | int, B: Size | int, m: Size | int) -> Part:
    """Linear scores: ``B`` functions of ``d`` features, and of ``m`` labels."""
    return Part("part.LinearScores", d=d, B=B, m=m)


class AlongChain(Kind):
    """A list of classifiers, one per position of a chain: each sees the labels before it."""

    def check(self, value: Any, place: str, scope: Scope) -> None:
        """See :class:`Kind`."""
        ListOf(ClassOf("part.LabelClassifier"), L).check(value, place, scope)
        for j, item in enumerate(value):
            Part("part.LabelClassifier", d=d + j).check(item, f"{place}[{j}]", scope)


def _at_most_two(record: Record, scope: Scope) -> str | None:
    classes = record.state["classes"]
    if classes is not None and not (1 <= len(classes) <= 2 and scope.sizes["L"] == 1):
        return f"{len(classes)} classes of {scope.sizes['L']} labels; a one-dimensional y has at most two"
    return None


def _needs_no_choice(record: Record, scope: Scope) -> str | None:
    if record.state["classifier"] is None and scope.sizes.setdefault("m", 1) != 1:
        return f"no classifier for {scope.sizes['m']} sets"
    return None


def _step_classes(record: Record, scope: Scope) -> str | None:
    if record.state["classifier"] is None and len(record.state["classes"]) > 1:
        return "no classifier for several labels"
    return None


SCHEMAS = {
    "part.Targets": Schema(
        {"names": Names(L), "classes": Maybe(Classes(c)), "dtype": DataType("iu")}, rules=(_at_most_two,)
    ),
    "part.LinearLabels": Schema({"scores": scores(d, L, m), "l2": Doubles(L, **PENALTIES)}),
    "part.LabelClassifier": Schema({"classifier": Maybe(learner(d, 2)), "constant": Real()}),
    "part.ClassifierLabels": Schema({"labels": ListOf(Part("part.LabelClassifier", d=d), L)}),
    "part.ClassifierScores": Schema({"labels": ListOf(Part("part.LabelClassifier", d=d), B)}),
    "part.LinearSets": Schema({"scores": scores(d, m, 0), "l2": NOT_NEGATIVE}),
    "part.ClassifierSets": Schema({"classifier": Maybe(learner(d, m))}, rules=(_needs_no_choice,)),
    "part.LinearChain": Schema({"scores": scores(d, L, L), "order": Order(L), "l2": Doubles(L, **PENALTIES)}),
    "part.ClassifierSteps": Schema(
        {
            "X": Matrix(n, d),
            "n_labels": Dimension(L),
            "classes": Wholes(c, below=L, increasing=True),
            "classifier": Maybe(learner(d + (L + 1), c)),
        },
        rules=(_step_classes,),
    ),
}
