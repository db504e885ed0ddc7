"""Building of objects from checked records. No constructor, ``fit`` or other method of a class is called."""

from __future__ import annotations

import inspect
from typing import Any

from sklearn.base import BaseEstimator

from setwise.persistence.records import Record, SparseRecord
from setwise.persistence.registry import SPARSE, find_class
from setwise.persistence.schemas import find_schema
from setwise.persistence.words import Words


def build(value: Any) -> Any:
    """Build the object of a record, and of the records inside it; other data is returned unchanged.

    Examples
    --------
    >>> build([1, Record("part.FBeta", {}, {"beta": 2.0, "both_empty": 1.0})])
    [1, FBeta(beta=2.0, both_empty=1.0)]
    """
    if isinstance(value, Record):
        return _build_object(value)
    if isinstance(value, SparseRecord):
        return SPARSE[value.name]((value.data, value.indices, value.indptr), shape=value.shape)
    if isinstance(value, (list, tuple)):
        return type(value)(map(build, value))
    if isinstance(value, Words):
        return dict(value)
    if isinstance(value, dict):
        return {key: build(item) for key, item in value.items()}
    return value


def _build_object(record: Record) -> Any:
    cls = find_class(record.name)
    attributes = {name: build(item) for name, item in (record.parameters | record.state).items()}
    if issubclass(cls, tuple):
        return tuple.__new__(cls, [attributes[name] for name in cls._fields])  # type: ignore[attr-defined]
    value, schema = object.__new__(cls), find_schema(record.name)
    vars(value).update(_defaults(cls) | dict(schema.blank or {}) | attributes)
    if record.state or schema.blank is not None:
        for name, derive in schema.derived_of(vars(value)).items():
            vars(value)[name] = derive(value)
    return value


def _defaults(cls: type) -> dict[str, Any]:
    """The defaults of an estimator's parameters, for parameters that a file does not have."""
    if not issubclass(cls, BaseEstimator):
        return {}
    parameters = inspect.signature(cls).parameters
    return {name: p.default for name, p in parameters.items() if p.default is not p.empty}
