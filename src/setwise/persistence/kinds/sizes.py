"""Sizes that the attributes of an object share: numbers of labels, features, components."""

from __future__ import annotations

import operator
from collections.abc import Callable

Sizes = dict[str, int]
"""The known sizes of one object, by name."""


class Size:
    """A size by name, or an expression of sizes.

    An unknown name is set to the first value it is compared with; an expression is known only if its names are.

    Examples
    --------
    >>> L, sizes = Size("L"), {}
    >>> L.unify(3, sizes), (2 * L + 1).unify(7, sizes), L.unify(4, sizes)
    (True, True, False)
    >>> 2 * L + 1
    2 * L + 1
    """

    def __init__(self, name: str, value: Callable[[Sizes], int | None] | None = None) -> None:
        self.name = name
        self._value = value

    def value(self, sizes: Sizes) -> int | None:
        """The size, or None if it is unknown."""
        return sizes.get(self.name) if self._value is None else self._value(sizes)

    def unify(self, size: int, sizes: Sizes) -> bool:
        """Whether this equals ``size``; an unknown name is set to it."""
        known = self.value(sizes)
        if known is None and self._value is None:
            sizes[self.name] = known = size
        return known == size

    def _combine(self, other: Size | int, symbol: str, combine: Callable[[int, int], int]) -> Size:
        right = other if isinstance(other, Size) else Size(str(other), lambda sizes: other)

        def value(sizes: Sizes) -> int | None:
            a, b = self.value(sizes), right.value(sizes)
            return None if a is None or b is None else combine(a, b)

        return Size(f"{self.name} {symbol} {right.name}", value)

    def __add__(self, other: Size | int) -> Size:
        return self._combine(other, "+", operator.add)

    def __mul__(self, other: Size | int) -> Size:
        return self._combine(other, "*", operator.mul)

    def __rmul__(self, other: int) -> Size:
        return Size(str(other), lambda sizes: other) * self

    def __repr__(self) -> str:
        return self.name


class _AnySize(Size):
    """A size that agrees with every number."""

    def unify(self, size: int, sizes: Sizes) -> bool:
        """True."""
        return True


ANY = _AnySize("any", lambda sizes: None)


def as_size(size: Size | int) -> Size:
    """Convert a number to a constant size."""
    return size if isinstance(size, Size) else Size(str(size), lambda sizes: size)
