"""Kinds of collections: lists, dictionaries, alternatives, and attributes that may be absent."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from setwise.persistence.errors import ModelFileError
from setwise.persistence.kinds.kind import Kind, Scope, refuse, shown
from setwise.persistence.kinds.sizes import Size
from setwise.persistence.kinds.values import Flag, Nothing, Real, Text

MAX_ITEMS = 2**16


class Optional(Kind):
    """An attribute that may be absent; if present, it is of a kind."""

    required = False

    def __init__(self, kind: Kind) -> None:
        self.kind = kind

    def check(self, value: Any, place: str, scope: Scope) -> None:
        """See :class:`Kind`."""
        self.kind.check(value, place, scope)


class Either(Kind):
    """One of several kinds."""

    def __init__(self, *kinds: Kind) -> None:
        self.kinds = kinds

    def check(self, value: Any, place: str, scope: Scope) -> None:
        """See :class:`Kind`; the error is that of the kind that decides, or of the last one.

        An object is checked as one kind: if each level of nested objects were tried twice, a file of 30 levels would
        take hours.
        """
        deciding = [kind for kind in self.kinds if kind.decides(value)]
        if deciding:
            deciding[0].check(value, place, scope)
            return
        sizes = dict(scope.sizes)
        for kind in self.kinds[:-1]:
            try:
                kind.check(value, place, scope)
            except ModelFileError:
                scope.sizes.clear()
                scope.sizes.update(sizes)
            else:
                return
        self.kinds[-1].check(value, place, scope)

    def decides(self, value: Any) -> bool:
        """See :class:`Kind`."""
        return any(kind.decides(value) for kind in self.kinds)


class Maybe(Either):
    """None, or a value of a kind."""

    def __init__(self, kind: Kind) -> None:
        super().__init__(Nothing(), kind)


@dataclass(frozen=True)
class ListOf(Kind):
    """A list of values of one kind, of length ``size``; ``tuples`` requires a tuple instead."""

    kind: Kind
    size: Size | None = None
    least: int = 0
    tuples: bool = False

    def check(self, value: Any, place: str, scope: Scope) -> None:
        """See :class:`Kind`."""
        if type(value) is not (tuple if self.tuples else list):
            refuse(place, shown(value), "a tuple" if self.tuples else "a list")
        if not self.least <= len(value) <= MAX_ITEMS:
            refuse(place, f"a list of {len(value)}", f"{self.least} to {MAX_ITEMS} entries")
        if self.size is not None and not self.size.unify(len(value), scope.sizes):
            refuse(place, f"a list of {len(value)}", f"{self.size.value(scope.sizes)} ({self.size})")
        for i, item in enumerate(value):
            self.kind.check(item, f"{place}[{i}]", scope)


class Tuple(Kind):
    """A tuple of values with one kind each."""

    def __init__(self, *kinds: Kind) -> None:
        self.kinds = kinds

    def check(self, value: Any, place: str, scope: Scope) -> None:
        """See :class:`Kind`."""
        if type(value) is not tuple or len(value) != len(self.kinds):
            refuse(place, shown(value), f"a tuple of {len(self.kinds)}")
        for i, (kind, item) in enumerate(zip(self.kinds, value)):
            kind.check(item, f"{place}[{i}]", scope)


class SetOf(Kind):
    """A set of texts."""

    def check(self, value: Any, place: str, scope: Scope) -> None:
        """See :class:`Kind`."""
        if type(value) not in (set, frozenset) or len(value) > MAX_ITEMS:
            refuse(place, shown(value), f"a set of at most {MAX_ITEMS} texts")
        for item in value:
            Text().check(item, f"an entry of {place}", scope)


@dataclass(frozen=True)
class DictOf(Kind):
    """A dictionary from keys of one kind, text by default, to values of another."""

    values: Kind
    keys: Kind = Text()  # noqa: RUF009, kinds do not change

    def check(self, value: Any, place: str, scope: Scope) -> None:
        """See :class:`Kind`."""
        if type(value) is not dict or len(value) > MAX_ITEMS:
            refuse(place, shown(value), f"a dictionary of at most {MAX_ITEMS} entries")
        for key, item in value.items():
            self.keys.check(key, f"a key of {place}", scope)
            self.values.check(item, f"{place}[{shown(key)}]", scope)


class Table(Kind):
    """A list of rows, each a dictionary of plain values: a fit reports them and predictions do not use them.

    ``columns`` are the kinds of those that reports draw; every row has them.
    """

    def __init__(self, **columns: Kind) -> None:
        self.columns = columns

    def check(self, value: Any, place: str, scope: Scope) -> None:
        """See :class:`Kind`."""
        plain = Either(Nothing(), Flag(), Real(infinite=True, nan=True), Text(2**16))
        # A fit may report a penalty for every label.
        cell = Either(plain, ListOf(plain), _Penalties())
        ListOf(DictOf(cell)).check(value, place, scope)
        for number, row in enumerate(value):
            self._check_row(row, f"{place}[{number}]", scope)

    def _check_row(self, row: dict[str, Any], place: str, scope: Scope) -> None:
        for name, kind in self.columns.items():
            if name in row:
                kind.check(row[name], f"{place}[{name!r}]", scope)
            elif kind.required:
                raise ModelFileError(f"{place} has no {name!r}")


class _Penalties(Kind):
    """An array of floats of any shape."""

    def check(self, value: Any, place: str, scope: Scope) -> None:
        """See :class:`Kind`."""
        if not isinstance(value, np.ndarray) or value.dtype.kind != "f":
            refuse(place, shown(value), "a plain value")
