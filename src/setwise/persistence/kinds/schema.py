"""The declaration of what objects of one class may contain."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from setwise.persistence.errors import ModelFileError
from setwise.persistence.kinds.kind import Kind, Scope
from setwise.persistence.records import Record

Fields = Mapping[str, Kind]
Derived = Mapping[str, Callable[[Any], Any]]
Rule = Callable[[Record, Scope], str | None]
"""A function that describes what is wrong with an object whose attributes are as declared, or returns None."""


@dataclass(frozen=True)
class Schema:
    """The attributes of a class, each with its kind, in the order in which they are checked.

    Parameters
    ----------
    fields : mapping, or function from the parameters to a mapping
        Kinds of the attributes. The first attribute with a size sets that size.
    parameters : function, optional
        Checks the parameters of an estimator: called with the record, its place and the scope.
    rules : functions, optional
        Conditions that involve several attributes.
    derived : mapping, or function from the parameters to a mapping, optional
        Attributes that are not stored, as functions of the finished object, such as one that looks the
        attribute up in a part.
    dropped : set of str, optional
        Attributes that are meaningless in another process, and are neither stored nor set.
    blank : mapping, optional
        For classes of which only parameters are stored: the attributes that an unfitted object needs besides them.
    """

    fields: Fields | Callable[[Mapping[str, Any]], Fields]
    parameters: Callable[[Record, str, Scope], None] | None = None
    rules: tuple[Rule, ...] = ()
    derived: Derived | Callable[[Mapping[str, Any]], Derived] = field(default_factory=dict)
    dropped: frozenset[str] = frozenset()
    blank: Mapping[str, Any] | None = None

    def fields_of(self, record: Record) -> Fields:
        """The kinds of the attributes of one object."""
        return self.fields(record.parameters) if callable(self.fields) else self.fields

    def derived_of(self, parameters: Mapping[str, Any]) -> Derived:
        """The attributes that are not stored, of an object with these parameters."""
        return self.derived(parameters) if callable(self.derived) else self.derived


def check_record(record: Record, place: str, scope: Scope) -> None:
    """Raise a ModelFileError unless an object has the parameters and attributes of its class, and no others."""
    check_parameters(record, place, scope)
    schema: Schema = scope.schemas(record.name)
    fields = schema.fields_of(record)
    unknown = [name for name in record.state if name not in fields]
    if unknown:
        raise ModelFileError(f"{record.short} has no attribute {unknown[0][:60]!r} in model files")
    for name, kind in fields.items():
        if name in record.state:
            kind.check(record.state[name], f"{place}.{name}", scope)
        elif kind.required:
            raise ModelFileError(f"{place} has no {name}, which a fitted {record.short} has")
    for rule in schema.rules:
        wrong = rule(record, scope)
        if wrong is not None:
            raise ModelFileError(f"{place}: {wrong}")


def check_parameters(record: Record, place: str, scope: Scope) -> None:
    """Raise a ModelFileError unless the parameters of an object are safe."""
    schema: Schema = scope.schemas(record.name)
    if schema.parameters is not None:
        schema.parameters(record, place, scope)
    elif record.parameters:
        raise ModelFileError(f"{record.short} takes no parameters")
