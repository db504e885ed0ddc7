"""Conversion between data and JSON values with named arrays.

JSON's own values are stored directly. Everything else is an object whose key ``"$"`` says what it is.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from setwise.arrays import Array
from setwise.persistence.errors import ModelFileError
from setwise.persistence.records import Record, SparseRecord
from setwise.persistence.registry import FUNCTIONS, SPARSE, function_name
from setwise.persistence.words import from_words, is_vocabulary, to_words
from setwise.storage.npy import checked_dtype

KIND = "$"
MAX_DEPTH = 60
"""Maximum depth of nested values, in writing and reading."""
MAX_KEY = 2**31
"""Limit of whole numbers as dictionary keys: beyond 61 bits, different numbers can share a hash."""

Node = Any
"""A JSON value."""


class Writer:
    """Converts data to nodes and collects its arrays.

    Examples
    --------
    >>> writer = Writer()
    >>> writer.write((1, "a", np.zeros(3)))
    {'$': 'tuple', 'items': [1, 'a', {'$': 'array', 'member': '0'}]}
    >>> writer.arrays
    [array([0., 0., 0.])]
    """

    def __init__(self) -> None:
        self.arrays: list[Array] = []

    def write(self, value: Any) -> Node:
        """The node of a value."""
        if value is None or isinstance(value, (bool, str)) or type(value) is int:
            return value
        if type(value) is float:
            return value if math.isfinite(value) else {KIND: "float", "value": repr(value)}
        if isinstance(value, list):
            return self._items(value)
        if isinstance(value, SparseRecord):
            return self._sparse(value)
        if isinstance(value, (tuple, set, frozenset)):
            return self._collection(value)
        if isinstance(value, dict):
            return self._dict(value)
        if isinstance(value, Record):
            return self._record(value)
        return self._numpy(value)

    def _items(self, values: Any) -> list[Node]:
        return [self.write(value) for value in values]

    def _collection(self, value: Any) -> Node:
        # Sorted, as a file must not depend on the iteration order of sets.
        items = value if isinstance(value, tuple) else sorted(value, key=repr)
        return {KIND: type(value).__name__, "items": self._items(items)}

    def _dict(self, value: dict[Any, Any]) -> Node:
        if is_vocabulary(value):
            text, ends = to_words(value)
            return {KIND: "vocabulary", "text": self._array(text), "ends": self._array(ends)}
        return {KIND: "dict", "keys": self._items(value), "values": self._items(value.values())}

    def _sparse(self, value: SparseRecord) -> Node:
        parts = {name: self._array(getattr(value, name)) for name in ("data", "indices", "indptr")}
        return {KIND: "sparse", "class": value.name, "shape": list(value.shape), **parts}

    def _record(self, value: Record) -> Node:
        node: Node = {KIND: "object", "class": value.name}
        for part in ("parameters", "state"):
            node[part] = {name: self.write(item) for name, item in getattr(value, part).items()}
        return node

    def _array(self, value: Array) -> Node:
        if value.dtype == object:
            return {KIND: "objects", "shape": list(value.shape), "items": self._items(value.ravel().tolist())}
        self.arrays.append(value)
        return {KIND: "array", "member": str(len(self.arrays) - 1)}

    def _numpy(self, value: Any) -> Node:
        """Arrays, scalars, data types, slices and known functions."""
        if isinstance(value, np.ndarray):
            return self._array(value)
        if isinstance(value, np.dtype):
            return {KIND: "dtype", "value": value.str}
        if isinstance(value, type):
            return {KIND: "type", "value": np.dtype(value).str}
        if isinstance(value, slice):
            return {KIND: "slice", "items": self._items([value.start, value.stop, value.step])}
        if isinstance(value, np.generic):
            return {KIND: "scalar", "dtype": value.dtype.str, "value": self.write(value.item())}
        return {KIND: "function", "name": function_name(value)}


class Reader:
    """Converts nodes to data; ``read_array`` returns the array of a member's name.

    Every array is used once, so that no two attributes share memory. In files of the first format, attributes may share
    an array: ``shared`` gives each of them a copy, at most ``budget`` bytes in all.

    Examples
    --------
    >>> Reader({"0": np.zeros(2)}.__getitem__).read({"$": "tuple", "items": [1, {"$": "array", "member": "0"}]})
    (1, array([0., 0.]))
    """

    def __init__(self, read_array: Callable[[str], Array], *, shared: bool = False, budget: int = 0) -> None:
        self._read_array, self._shared, self._budget = read_array, shared, budget
        self.used: set[str] = set()
        self._depth = 0

    def read(self, node: Node) -> Any:
        """Convert a node to its value, or raise a ModelFileError."""
        if isinstance(node, list):
            return self._items(node)
        if not isinstance(node, dict):
            return node
        kind = node.get(KIND)
        known = _KINDS.get(kind) if isinstance(kind, str) else None
        if known is None:
            raise ModelFileError(f"an entry of the unknown kind {str(kind)[:40]!r}")
        read, keys = known
        if node.keys() != {KIND, *keys}:
            raise ModelFileError(f"an entry of the kind {kind!r} has keys other than {', '.join(keys)}")
        return self._deeper(lambda: read(self, *(node[key] for key in keys)))

    def _deeper(self, read: Callable[[], Any]) -> Any:
        if self._depth > 2 * MAX_DEPTH:
            raise ModelFileError("entries are nested too deeply")
        self._depth += 1
        try:
            return read()
        finally:
            self._depth -= 1

    def _items(self, nodes: Any) -> list[Any]:
        if not isinstance(nodes, list):
            raise ModelFileError("an entry has no list of items")
        return self._deeper(lambda: [self.read(node) for node in nodes])

    def _float(self, value: Any) -> float:
        return float(_one_of(value, ("nan", "inf", "-inf"), "float"))

    def _tuple(self, items: Node) -> tuple[Any, ...]:
        return tuple(self._items(items))

    def _set(self, items: Node) -> set[str]:
        return set(_texts(self._items(items)))

    def _frozenset(self, items: Node) -> frozenset[str]:
        return frozenset(_texts(self._items(items)))

    def _dict(self, keys: Node, values: Node) -> dict[Any, Any]:
        names, items = self._items(keys), self._items(values)
        if not all(isinstance(key, str) or (type(key) is int and abs(key) < MAX_KEY) for key in names):
            raise ModelFileError("a key of a dictionary is neither text nor a small whole number")
        if len(set(names)) != len(names) or len(names) != len(items):
            raise ModelFileError("a dictionary has a key twice, or not as many values as keys")
        return dict(zip(names, items))

    def _vocabulary(self, text: Node, ends: Node) -> dict[str, int]:
        return from_words(self.read(text), self.read(ends))

    def _slice(self, items: Node) -> slice:
        parts = self._items(items)
        if len(parts) != 3 or not all(part is None or isinstance(part, (int, str)) for part in parts):
            raise ModelFileError("a slice that is not three numbers or names")
        return slice(*parts)

    def _array(self, member: Any) -> Array:
        name = str(member)
        if name in self.used and not self._shared:
            raise ModelFileError(f"array {name[:20]!r} is used twice; attributes do not share arrays")
        array = self._read_array(name)
        if name in self.used:
            self._budget -= array.nbytes
            if self._budget < 0:
                raise ModelFileError(f"array {name[:20]!r} is used too often")
        self.used.add(name)
        return array

    def _objects(self, shape: Any, items: Node) -> Array:
        values = self._items(items)
        if not all(value is None or isinstance(value, (str, bool, int, float)) for value in values):
            raise ModelFileError("an array of names contains something else")
        array = np.empty(len(values), dtype=object)
        array[:] = values
        return array.reshape(_shape(shape))

    def _sparse(self, cls: Any, shape: Any, data: Node, indices: Node, indptr: Node) -> SparseRecord:
        parts = (self.read(part) for part in (data, indices, indptr))
        return SparseRecord(_one_of(cls, SPARSE, "sparse matrix"), _shape(shape), *parts)

    def _dtype(self, value: Any) -> np.dtype[Any]:
        return np.dtype(object) if value == "|O" else checked_dtype(value)

    def _type(self, value: Any) -> type:
        return checked_dtype(value).type

    def _scalar(self, dtype: Any, value: Node) -> Any:
        number = self.read(value)
        if not isinstance(number, (bool, int, float)):
            raise ModelFileError("a scalar that is not a number")
        return checked_dtype(dtype).newbyteorder("=").type(number)

    def _function(self, name: Any) -> Any:
        return FUNCTIONS[_one_of(name, FUNCTIONS, "function")]

    def _object(self, cls: Any, parameters: Any, state: Any) -> Record:
        if not isinstance(cls, str) or not isinstance(parameters, dict) or not isinstance(state, dict):
            raise ModelFileError("an object without a class, parameters or a state")
        parts = ({name: self.read(item) for name, item in part.items()} for part in (parameters, state))
        return Record(cls, *parts)


_KINDS: dict[str, tuple[Callable[..., Any], tuple[str, ...]]] = {
    "array": (Reader._array, ("member",)),
    "dict": (Reader._dict, ("keys", "values")),
    "dtype": (Reader._dtype, ("value",)),
    "float": (Reader._float, ("value",)),
    "frozenset": (Reader._frozenset, ("items",)),
    "function": (Reader._function, ("name",)),
    "object": (Reader._object, ("class", "parameters", "state")),
    "objects": (Reader._objects, ("shape", "items")),
    "scalar": (Reader._scalar, ("dtype", "value")),
    "set": (Reader._set, ("items",)),
    "slice": (Reader._slice, ("items",)),
    "sparse": (Reader._sparse, ("class", "shape", "data", "indices", "indptr")),
    "tuple": (Reader._tuple, ("items",)),
    "type": (Reader._type, ("value",)),
    "vocabulary": (Reader._vocabulary, ("text", "ends")),
}
"""The reader of each kind of node, and its keys."""


def _one_of(value: Any, known: Any, what: str) -> str:
    if not isinstance(value, str) or value not in known:
        raise ModelFileError(f"the {what} {str(value)[:40]!r} is unknown")
    return value


def _texts(values: list[Any]) -> list[str]:
    if not all(isinstance(value, str) for value in values):
        raise ModelFileError("a set with something other than text")
    return values


def _shape(shape: Any) -> tuple[int, ...]:
    if not isinstance(shape, list) or not all(type(size) is int and 0 <= size < 2**48 for size in shape):
        raise ModelFileError("a shape that is not a list of sizes")
    return tuple(shape)
