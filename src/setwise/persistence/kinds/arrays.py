"""Arrays: data type, shape in terms of the object's sizes, range of the values, and order."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from setwise.arrays import Array
from setwise.persistence.kinds.kind import Kind, Scope, refuse, shown
from setwise.persistence.kinds.sizes import Size, as_size
from setwise.persistence.kinds.values import LARGEST, MAX_TEXT, is_unicode
from setwise.persistence.records import SparseRecord

FLOATS = frozenset({"f4", "f8"})
WHOLES = frozenset({"i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8"})
INDICES = frozenset({"i4", "i8"})


def check_array(
    value: Any, place: str, types: frozenset[str], shape: tuple[Size, ...], scope: Scope
) -> Array:
    """Check that a value is an array of one of the types (kind and bytes) and of the shape, and return it."""
    if not isinstance(value, np.ndarray):
        refuse(place, shown(value), "an array")
    if value.dtype.str[1:] not in types:
        refuse(place, f"an array of {value.dtype}", "the type " + " or ".join(sorted(types)))
    check_shape(value.shape, place, shape, scope)
    return value


def check_shape(found: tuple[int, ...], place: str, shape: tuple[Size, ...], scope: Scope) -> None:
    """Raise a ModelFileError unless the lengths agree with the sizes."""
    if len(found) != len(shape) or not all(
        size.unify(length, scope.sizes) for size, length in zip(shape, found)
    ):
        known = ", ".join(f"{size}={size.value(scope.sizes)}" for size in shape)
        refuse(place, f"an array of shape {found}", f"({known})")


def check_range(value: Array, place: str, low: float, high: float, *, nan: bool = False) -> None:
    """Raise a ModelFileError unless all entries lie in the range; NaN never does unless it is allowed."""
    value = value[~np.isnan(value)] if nan and value.dtype.kind == "f" else value
    # Minimum and maximum of an array with NaN are NaN, so these two passes replace isfinite.
    if value.size and not (value.min().item() >= low and value.max().item() <= high):
        wrong = next(entry for entry in value.ravel().tolist() if not low <= entry <= high)
        refuse(f"an entry of {place}", repr(wrong), f"a number from {low:g} to {high:g}")


class Numbers(Kind):
    """Numbers of some types, of a shape, between two limits."""

    types: frozenset[str] = WHOLES

    def __init__(
        self, *shape: Size | int, low: float = -LARGEST, high: float = LARGEST, nan: bool = False
    ) -> None:
        self.shape, self.low, self.high, self.nan = tuple(map(as_size, shape)), low, high, nan

    def check(self, value: Any, place: str, scope: Scope) -> None:
        """See :class:`Kind`."""
        array = check_array(value, place, self.types, self.shape, scope)
        check_range(array, place, self.low, self.high, nan=self.nan)
        self.check_order(array, place, scope)

    def check_order(self, array: Array, place: str, scope: Scope) -> None:
        """Raise a ModelFileError if the entries do not satisfy a relation, such as an order."""


class Floats(Numbers):
    """Floats, finite by default; ``increasing`` (strictly) or ``rising`` (not decreasing) along the first axis."""

    types = FLOATS

    def __init__(
        self, *shape: Size | int, increasing: bool = False, rising: bool = False, **limits: Any
    ) -> None:
        super().__init__(*shape, **limits)
        self.increasing, self.rising = increasing, rising

    def check_order(self, array: Array, place: str, scope: Scope) -> None:
        """See :class:`Numbers`."""
        steps = np.diff(array, axis=0) if self.increasing or self.rising else np.empty(0)
        if (steps < 0).any() or (self.increasing and (steps <= 0).any()):
            refuse(place, "not in order", "values that rise")


class Doubles(Floats):
    """Floats of 64 bits: what our fits compute and kernels take."""

    types = frozenset({"f8"})


class Labels(Numbers):
    """Label sets: int8, 0 or 1; ``distinct`` requires different rows."""

    types = frozenset({"i1"})

    def __init__(self, *shape: Size | int, distinct: bool = False) -> None:
        super().__init__(*shape, low=0, high=1)
        self.distinct = distinct

    def check_order(self, array: Array, place: str, scope: Scope) -> None:
        """See :class:`Numbers`."""
        if self.distinct and len(set(map(bytes, np.packbits(array, axis=1)))) < len(array):
            refuse(place, "a list with a label set that occurs twice", "different label sets")


class Booleans(Numbers):
    """True and False."""

    types = frozenset({"b1"})

    def __init__(self, *shape: Size | int) -> None:
        super().__init__(*shape, low=0, high=1)


class Wholes(Numbers):
    """Whole numbers of at least ``low``, less than the size ``below``; ``increasing`` requires a strict order."""

    types = WHOLES

    def __init__(
        self,
        *shape: Size | int,
        low: int = 0,
        below: Size | int = 2**53,
        increasing: bool = False,
        types: frozenset[str] = WHOLES,
    ) -> None:
        super().__init__(*shape, low=low)
        self.below, self.increasing, self.types = as_size(below), increasing, types

    def check_order(self, array: Array, place: str, scope: Scope) -> None:
        """See :class:`Numbers`."""
        check_range(array, place, self.low, (self.below.value(scope.sizes) or 0) - 1)
        if self.increasing and (array[1:] <= array[:-1]).any():
            refuse(place, "not in order", "numbers that increase")


class Order(Wholes):
    """Each of the numbers 0 .. n - 1 once, in every row."""

    def __init__(self, *shape: Size) -> None:
        super().__init__(*shape, below=shape[-1], types=INDICES)

    def check_order(self, array: Array, place: str, scope: Scope) -> None:
        """See :class:`Numbers`."""
        if not (np.sort(array, axis=-1) == np.arange(array.shape[-1])).all():
            refuse(place, "not an order", f"each of the numbers 0..{array.shape[-1] - 1} once")


class Parents(Wholes):
    """Parents of the labels of forests, -1 for a root: no label is among its own ancestors."""

    def __init__(self, *shape: Size) -> None:
        super().__init__(*shape, low=-1, below=shape[-1], types=INDICES)

    def check_order(self, array: Array, place: str, scope: Scope) -> None:
        """See :class:`Numbers`."""
        super().check_order(array, place, scope)
        n = array.shape[-1]
        ancestor = np.concatenate([array, np.full((*array.shape[:-1], 1), -1)], axis=-1)
        ancestor = np.where(ancestor < 0, n, ancestor)
        for _ in range(max(n, 1).bit_length()):  # each step doubles the number of generations
            ancestor = np.take_along_axis(ancestor, ancestor, axis=-1)
        if (ancestor != n).any():
            refuse(place, "a structure with a cycle", "forests")


class Names(Kind):
    """Different names, as an array of Python strings."""

    def __init__(self, size: Size) -> None:
        self.size = size

    def check(self, value: Any, place: str, scope: Scope) -> None:
        """See :class:`Kind`."""
        if not isinstance(value, np.ndarray) or value.dtype != object:
            refuse(place, shown(value), "an array of names")
        check_shape(value.shape, place, (self.size,), scope)
        names = value.tolist()
        if not all(isinstance(name, str) and len(name) <= MAX_TEXT and is_unicode(name) for name in names):
            refuse(f"an entry of {place}", "not a name", f"text of at most {MAX_TEXT} characters")
        if len(set(names)) != len(names):
            refuse(place, "a list with a name that occurs twice", "different names")


class Classes(Kind):
    """Different classes in increasing order: whole numbers, finite floats, booleans or text."""

    def __init__(self, size: Size) -> None:
        self.size = size

    def check(self, value: Any, place: str, scope: Scope) -> None:
        """See :class:`Kind`."""
        if not isinstance(value, np.ndarray) or value.ndim != 1:
            refuse(place, shown(value), "a list of classes")
        if value.dtype == object:
            Names(self.size).check(value, place, scope)
            value = np.array(value.tolist(), dtype=np.str_)
        check_shape(value.shape, place, (self.size,), scope)
        if value.dtype.kind == "f":
            check_range(value, place, -LARGEST, LARGEST)
        if not (value[1:] > value[:-1]).all():
            refuse(place, "not in order", "different classes in increasing order")


@dataclass(frozen=True)
class Matrix(Kind):
    """A matrix of finite floats (n, d), dense or sparse by rows."""

    rows: Size
    columns: Size

    def check(self, value: Any, place: str, scope: Scope) -> None:
        """See :class:`Kind`."""
        if not isinstance(value, SparseRecord):
            Floats(self.rows, self.columns).check(value, place, scope)
            return
        check_shape(value.shape, place, (self.rows, self.columns), scope)
        stored = Size("stored values")
        inner = scope.inner({self.columns.name: value.shape[1]})
        Floats(stored).check(value.data, f"{place}.data", inner)
        Wholes(stored, below=self.columns, types=INDICES).check(value.indices, f"{place}.indices", inner)
        self._check_rows(value, place, inner)

    def _check_rows(self, value: SparseRecord, place: str, scope: Scope) -> None:
        """Check that each row begins where the one before ends, and that its columns increase."""
        starts = check_array(value.indptr, f"{place}.indptr", INDICES, (as_size(value.shape[0] + 1),), scope)
        if starts[0] != 0 or starts[-1] != len(value.indices) or (np.diff(starts) < 0).any():
            refuse(
                f"{place}.indptr", "not a division of the stored values", "row starts that do not decrease"
            )
        steps = np.diff(value.indices)
        inside = np.ones(len(value.indices) + 1, dtype=np.bool_)
        inside[starts] = False
        if (steps[inside[1 : len(value.indices)]] <= 0).any():
            refuse(f"{place}.indices", "not in order", "columns that increase within a row")
