"""Objects from JSON values and named arrays: the reverse of :mod:`setwise.persistence.encoding`."""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.isotonic import IsotonicRegression

from setwise.contract import Array
from setwise.persistence.checks import check_part
from setwise.persistence.encoding import ARRAY_KINDS, KIND, MAX_DEPTH, Node
from setwise.persistence.errors import ModelFileError
from setwise.persistence.registry import FUNCTIONS, SPARSE, find_class


class Decoder:
    """Turns nodes into objects; ``read_array`` gives the array of a member's name.

    Examples
    --------
    >>> Decoder({"0": np.zeros(2)}.__getitem__).decode({"$": "tuple", "items": [1, {"$": "array", "member": "0"}]})
    (1, array([0., 0.]))
    """

    def __init__(self, read_array: Callable[[str], Array]) -> None:
        self._read_array = read_array
        self._arrays: dict[str, Array] = {}
        self.classes: set[str] = set()
        """Names of the classes met."""
        self._depth = 0

    def decode(self, node: Node) -> Any:
        """The value of a node, or a ModelFileError."""
        if isinstance(node, list):
            return self._items(node)
        if not isinstance(node, dict):
            return node
        kind = node.get(KIND)
        method = getattr(self, f"_decode_{kind}", None) if isinstance(kind, str) and kind.isalpha() else None
        if method is None:
            raise ModelFileError(f"an entry of the unknown kind {str(kind)[:40]!r}")
        return self._deeper(lambda: method(node))

    def _deeper(self, decode: Callable[[], Any]) -> Any:
        if self._depth > 2 * MAX_DEPTH:
            raise ModelFileError("entries nested too deeply")
        self._depth += 1
        try:
            return decode()
        finally:
            self._depth -= 1

    def _items(self, nodes: list[Node]) -> list[Any]:
        return self._deeper(lambda: [self.decode(node) for node in nodes])

    def _decode_float(self, node: Node) -> float:
        return float(_one_of(node["value"], ("nan", "inf", "-inf"), "float"))

    def _decode_tuple(self, node: Node) -> tuple[Any, ...]:
        return tuple(self._items(node["items"]))

    def _decode_set(self, node: Node) -> set[Any]:
        return set(self._items(node["items"]))

    def _decode_frozenset(self, node: Node) -> frozenset[Any]:
        return frozenset(self._items(node["items"]))

    def _decode_dict(self, node: Node) -> dict[Any, Any]:
        return dict(zip(self._items(node["keys"]), self._items(node["values"]), strict=True))

    def _decode_slice(self, node: Node) -> slice:
        start, stop, step = self._items(node["items"])
        return slice(start, stop, step)

    def _decode_array(self, node: Node) -> Array:
        name = str(node["member"])
        if name not in self._arrays:
            self._arrays[name] = self._read_array(name)
        return self._arrays[name]

    def _decode_objects(self, node: Node) -> Array:
        items = self._items(node["items"])
        shape = tuple(map(int, node["shape"]))
        array = np.empty(len(items), dtype=object)
        array[:] = items
        return array.reshape(shape)

    def _decode_sparse(self, node: Node) -> Any:
        cls = SPARSE[_one_of(node["class"], SPARSE, "sparse matrix")]
        parts = tuple(self.decode(node[part]) for part in ("data", "indices", "indptr"))
        matrix = cls(parts, shape=tuple(map(int, node["shape"])))
        matrix.check_format(full_check=True)  # compiled code trusts the indices
        return matrix

    def _decode_dtype(self, node: Node) -> np.dtype[Any]:
        return checked_dtype(node["value"])

    def _decode_type(self, node: Node) -> type:
        return checked_dtype(node["value"]).type

    def _decode_scalar(self, node: Node) -> Any:
        return checked_dtype(node["dtype"]).newbyteorder("=").type(self.decode(node["value"]))

    def _decode_function(self, node: Node) -> Any:
        return FUNCTIONS[_one_of(node["name"], FUNCTIONS, "function")]

    def _decode_object(self, node: Node) -> Any:
        try:
            cls = find_class(str(node["class"]))
        except KeyError:
            raise ModelFileError(
                f"a part of the class {str(node['class'])[:60]!r}, which this version does not know"
            ) from None
        self.classes.add(node["class"])
        parts = {
            part: {name: self.decode(item) for name, item in node.get(part, {}).items()}
            for part in ("parameters", "state", "fit")
        }
        value = _constructed(cls, parts["parameters"])
        check_part(node["class"], value)
        _set_state(value, parts["state"])
        if isinstance(value, IsotonicRegression):
            value._build_f(value.X_thresholds_, value.y_thresholds_)
        return value.fit(**parts["fit"]) if parts["fit"] and issubclass(cls, BaseEstimator) else value


def checked_dtype(text: Any) -> np.dtype[Any]:
    """A data type that arrays of model files may have."""
    dtype = np.dtype(text) if isinstance(text, str) else np.dtype(object)
    if (
        dtype.kind not in ARRAY_KINDS
        or dtype.fields is not None
        or (dtype.kind == "f" and dtype.itemsize > 8)
    ):
        raise ModelFileError(f"the data type {str(text)[:40]!r} is not allowed")
    return dtype


def _constructed(cls: type, parameters: dict[str, Any]) -> Any:
    if not (issubclass(cls, (BaseEstimator, tuple)) or dataclasses.is_dataclass(cls)):
        return cls.__new__(cls)
    known = inspect.signature(cls).parameters
    unknown = [name for name in parameters if name not in known]
    if unknown:
        raise ModelFileError(f"{cls.__name__} has no parameter {unknown[0][:60]!r} in this version")
    return cls(**parameters)


def _set_state(value: Any, state: dict[str, Any]) -> None:
    for name in state:
        # an attribute may not stand in for a method, nor for what Python itself looks up
        if not name.isidentifier() or name.startswith("__") or callable(getattr(type(value), name, None)):
            raise ModelFileError(f"{type(value).__name__} may not be given the attribute {name[:60]!r}")
    if state:
        vars(value).update(state)


def _one_of(value: Any, known: Any, what: str) -> str:
    if not isinstance(value, str) or value not in known:
        raise ModelFileError(f"the {what} {str(value)[:40]!r} is not known")
    return value
