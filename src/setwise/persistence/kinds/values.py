"""Kinds of single values: numbers, booleans, text, names from a list."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from setwise.persistence.kinds.kind import Kind, Scope, refuse, shown
from setwise.persistence.kinds.sizes import Size
from setwise.storage.npy import allows_dtype

LARGEST = 1e100
"""Larger numbers, or divisors closer to zero than its inverse, overflow when they are multiplied."""
MAX_WHOLE = 2**53
MAX_TEXT = 1024


@dataclass(frozen=True)
class Nothing(Kind):
    """None."""

    def check(self, value: Any, place: str, scope: Scope) -> None:
        """See :class:`Kind`."""
        if value is not None:
            refuse(place, shown(value), "None")


@dataclass(frozen=True)
class Flag(Kind):
    """True or False."""

    def check(self, value: Any, place: str, scope: Scope) -> None:
        """See :class:`Kind`."""
        if not isinstance(value, (bool, np.bool_)):
            refuse(place, shown(value), "True or False")


def wraps_around(value: Any) -> bool:
    """Check whether a number is a large integer of NumPy's, whose sums and products are wrong without an error."""
    return isinstance(value, np.integer) and abs(int(value)) >= 2**32


@dataclass(frozen=True)
class Whole(Kind):
    """A whole number between two limits, which may be sizes."""

    low: int = 0
    high: int | Size = MAX_WHOLE

    def check(self, value: Any, place: str, scope: Scope) -> None:
        """See :class:`Kind`."""
        high = self.high.value(scope.sizes) if isinstance(self.high, Size) else self.high
        whole = isinstance(value, (int, np.integer)) and not isinstance(value, bool)
        if high is None or not whole or wraps_around(value) or not self.low <= int(value) <= high:
            refuse(place, shown(value), f"a whole number from {self.low} to {high}")


@dataclass(frozen=True)
class Dimension(Kind):
    """A whole number that is a size of the object."""

    size: Size
    low: int = 1

    def check(self, value: Any, place: str, scope: Scope) -> None:
        """See :class:`Kind`."""
        Whole(self.low, scope.limits.cells).check(value, place, scope)
        if not self.size.unify(int(value), scope.sizes):
            refuse(place, shown(value), f"{self.size.value(scope.sizes)} ({self.size})")


@dataclass(frozen=True)
class Real(Kind):
    """A finite number between two limits; ``infinite`` allows infinities within them, ``nan`` allows NaN."""

    low: float = -LARGEST
    high: float = LARGEST
    infinite: bool = False
    nan: bool = False

    def check(self, value: Any, place: str, scope: Scope) -> None:
        """See :class:`Kind`."""
        number = isinstance(value, (int, float, np.integer, np.floating)) and not isinstance(value, bool)
        if number and ((self.nan and math.isnan(value)) or (self.infinite and math.isinf(value))):
            return
        if not number or wraps_around(value) or not self.low <= value <= self.high:
            refuse(place, shown(value), f"a finite number from {self.low:g} to {self.high:g}")


POSITIVE = Real(1 / LARGEST)
NOT_NEGATIVE = Real(0.0)
SHARE = Real(0.0, 1.0)


def is_unicode(text: str) -> bool:
    """Whether a text can be encoded: JSON can contain lone surrogates, which files and terminals reject."""
    return text.isascii() or not any("\ud800" <= c <= "\udfff" for c in text)


@dataclass(frozen=True)
class Text(Kind):
    """Text of a bounded length."""

    longest: int = MAX_TEXT

    def check(self, value: Any, place: str, scope: Scope) -> None:
        """See :class:`Kind`."""
        if not isinstance(value, str) or not is_unicode(value):
            refuse(place, shown(value), "text")
        if len(value) > self.longest:
            refuse(place, f"text of {len(value)} characters", f"at most {self.longest}")


class Choice(Kind):
    """One of some values, of the same type."""

    def __init__(self, *values: Any) -> None:
        self.values = values

    def check(self, value: Any, place: str, scope: Scope) -> None:
        """See :class:`Kind`."""
        if not any(type(value) is type(known) and value == known for known in self.values):
            refuse(place, shown(value), " or ".join(map(repr, self.values)))


@dataclass(frozen=True)
class DataType(Kind):
    """A NumPy data type or its scalar class; ``objects`` allows the type of Python objects."""

    kinds: str = "biuf"
    objects: bool = False

    def check(self, value: Any, place: str, scope: Scope) -> None:
        """See :class:`Kind`."""
        scalar = isinstance(value, type) and issubclass(value, np.generic)
        if not scalar and not isinstance(value, np.dtype):
            refuse(place, shown(value), "a data type")
        dtype = np.dtype(value)
        known = dtype.kind in self.kinds and allows_dtype(dtype)
        if not known and not (self.objects and dtype == np.dtype(object)):
            refuse(place, f"the data type {dtype}", "one of " + ", ".join(self.kinds))
