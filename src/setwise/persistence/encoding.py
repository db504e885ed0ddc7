"""A fitted model as JSON values and named arrays.

JSON's own values stand for themselves, everything else is an object with the key ``"$"`` that says what it is.
:mod:`setwise.persistence.decoding` reads what is written here, kind by kind.
"""

from __future__ import annotations

import dataclasses
import math
import os
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.isotonic import IsotonicRegression
from sklearn.neighbors import NearestNeighbors

from setwise.contract import Array
from setwise.persistence.errors import ModelFileError
from setwise.persistence.registry import SPARSE, class_name, function_name

KIND = "$"
MAX_DEPTH = 60
"""Objects nested deeper are refused, when written and when read."""
ARRAY_KINDS = "biufU"
"""Booleans, integers, floats, text: arrays of anything else are refused, when written and when read."""

Node = Any
"""A JSON value."""


class Encoder:
    """Turns objects into nodes and collects their arrays; an array met twice is kept once.

    Examples
    --------
    >>> encoder = Encoder()
    >>> encoder.encode((1, "a", np.zeros(3)), "model")
    {'$': 'tuple', 'items': [1, 'a', {'$': 'array', 'member': '0'}]}
    >>> encoder.arrays
    [array([0., 0., 0.])]
    """

    def __init__(self) -> None:
        self.arrays: list[Array] = []
        self._members: dict[int, str] = {}

    def encode(self, value: Any, place: str, depth: int = 0) -> Node:
        """The node of a value; ``place`` says where in the model it is, for errors."""
        if depth > MAX_DEPTH:
            raise ModelFileError(f"{place} is nested too deeply for a model file")
        if value is None or isinstance(value, (bool, str)) or type(value) is int:
            return value
        if type(value) is float:
            return value if math.isfinite(value) else {KIND: "float", "value": repr(value)}
        if isinstance(value, os.PathLike):
            return os.fspath(value)
        if type(value) is list:
            return self._items(value, place, depth)
        if type(value) in (tuple, set, frozenset):
            return self._collection(value, place, depth)
        if type(value) is dict:
            return self._dict(value, place, depth)
        node = self._numpy(value, place, depth)
        return node if node is not None else self._object(value, place, depth)

    def _items(self, values: Any, place: str, depth: int) -> list[Node]:
        return [self.encode(value, f"{place}[{i}]", depth + 1) for i, value in enumerate(values)]

    def _collection(self, value: Any, place: str, depth: int) -> Node:
        items = (
            value if isinstance(value, tuple) else sorted(value, key=repr)
        )  # a file must not depend on hash seeds
        return {KIND: type(value).__name__, "items": self._items(items, place, depth)}

    def _dict(self, value: dict[Any, Any], place: str, depth: int) -> Node:
        return {
            KIND: "dict",
            "keys": self._items(value, place, depth),
            "values": [self.encode(item, f"{place}[{key!r}]", depth + 1) for key, item in value.items()],
        }

    def _numpy(self, value: Any, place: str, depth: int) -> Node | None:
        """Arrays, sparse matrices, scalars, data types, slices and known functions."""
        if isinstance(value, np.ndarray):
            return self._array(value, place)
        if type(value).__name__ in SPARSE and sparse.issparse(value):
            parts = {part: self._array(getattr(value, part), place) for part in ("data", "indices", "indptr")}
            return {
                KIND: "sparse",
                "class": type(value).__name__,
                "shape": list(map(int, value.shape)),
                **parts,
            }
        if isinstance(value, (np.bool_, np.integer, np.floating)):
            return {KIND: "scalar", "dtype": value.dtype.str, "value": self.encode(value.item(), place)}
        if isinstance(value, np.dtype) and value.kind in ARRAY_KINDS:
            return {KIND: "dtype", "value": value.str}
        if isinstance(value, type) and issubclass(value, np.generic):
            return {KIND: "type", "value": np.dtype(value).str}
        if isinstance(value, slice):
            return {KIND: "slice", "items": self._items([value.start, value.stop, value.step], place, depth)}
        name = function_name(value)
        return None if name is None else {KIND: "function", "name": name}

    def _array(self, value: Array, place: str) -> Node:
        if value.dtype == object:
            return self._objects(value, place)
        if value.dtype.kind not in ARRAY_KINDS or (value.dtype.kind == "f" and value.dtype.itemsize > 8):
            raise ModelFileError(f"{place} is an array of {value.dtype}, which has no form in a model file")
        member = self._members.get(id(value))
        if member is None:
            member = self._members[id(value)] = str(len(self.arrays))
            self.arrays.append(value)
        return {KIND: "array", "member": member}

    def _objects(self, value: Array, place: str) -> Node:
        """An object array of plain values, such as the names of labels."""
        for item in value.ravel():
            if not (item is None or isinstance(item, (str, bool, int, float))):
                raise ModelFileError(
                    f"{place} is an array that holds a {type(item).__name__}, which has no form in a model file"
                )
        items = [self.encode(item, place) for item in value.ravel().tolist()]
        return {KIND: "objects", "shape": list(value.shape), "items": items}

    def _object(self, value: Any, place: str, depth: int) -> Node:
        name = class_name(type(value))
        if name is None:
            raise ModelFileError(_refusal(value, place))
        node: Node = {KIND: "object", "class": name}
        for part, state in object_state(value).items():
            node[part] = {
                attribute: self.encode(item, f"{place}.{attribute}", depth + 1)
                for attribute, item in state.items()
            }
        return node


def object_state(value: Any) -> dict[str, dict[str, Any]]:
    """The attributes of an object, apart: what its constructor is given, and what is set afterwards."""
    if isinstance(value, tuple):
        return {"parameters": value._asdict()}  # type: ignore[attr-defined]
    if dataclasses.is_dataclass(value):
        return {"parameters": {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}}
    if not isinstance(value, BaseEstimator):
        return {"state": vars(value)}
    parameters = value.get_params(deep=False)
    if isinstance(value, NearestNeighbors):
        return {"parameters": parameters, "fit": {"X": value._fit_X}}  # its tree is built again
    built_again = {"f_"} if isinstance(value, IsotonicRegression) else set()
    state = {name: item for name, item in vars(value).items() if name not in {*parameters, *built_again}}
    return {"parameters": parameters, "state": state}


def _refusal(value: Any, place: str) -> str:
    if callable(value) and not isinstance(value, BaseEstimator):
        return (
            f"{place} is a function ({getattr(value, '__name__', type(value).__name__)}), which only running "
            "foreign code could bring back; give a name instead, or set it again after loading"
        )
    home = type(value).__module__.partition("._")[0]
    return (
        f"{place} is a {type(value).__name__} ({home}), which has no form in a model file; learners kept as "
        "arrays have one, such as LogisticRegression, LinearSVC or GaussianNB"
    )
