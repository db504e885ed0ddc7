"""What a kind of value is, and what is known while one is checked."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NoReturn

from setwise.persistence.errors import ModelFileError
from setwise.persistence.kinds.sizes import Sizes

SMALL_FILE = 2**20


@dataclass(frozen=True)
class Limits:
    """What the size of a file allows: its number of ``bytes``, or that of a small file if it is smaller.

    A model whose work or memory grows with a number in the file must hold arrays that are as long. Numbers without
    such arrays, such as the width of a hash table or the degree of polynomials, are limited by these bytes.
    """

    bytes: int = SMALL_FILE

    @property
    def cells(self) -> int:
        """Entries that a number of the file may ask for."""
        return max(SMALL_FILE, self.bytes)


@dataclass
class Scope:
    """What is known while one object is checked: its sizes, whether it is fitted, the schemas of other objects."""

    schemas: Callable[[str], Any]
    limits: Limits
    sizes: Sizes = field(default_factory=dict)
    fitted: bool = True

    def inner(self, sizes: Sizes, *, fitted: bool = True) -> Scope:
        """The scope of an object inside this one."""
        return Scope(self.schemas, self.limits, sizes, fitted)


class Kind(ABC):
    """A set of values that an attribute may have; ``required`` unless the attribute may be absent."""

    required = True

    @abstractmethod
    def check(self, value: Any, place: str, scope: Scope) -> None:
        """Raise a ModelFileError that names the ``place`` if ``value`` is not of this kind."""


def refuse(place: str, found: str, expected: str) -> NoReturn:
    """Raise the error of a value that is not as declared."""
    raise ModelFileError(f"{place} is {found}; expected {expected}")


def shown(value: Any) -> str:
    """A value as errors show it: short, and without the content of arrays.

    Examples
    --------
    >>> shown("a" * 100)
    "'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa..."
    """
    if value is None or isinstance(value, (bool, int, float, str)):
        text = repr(value if isinstance(value, (bool, str)) or value is None else _plain(value))
        return text if len(text) <= 40 else f"{text[:40]}..."
    name = getattr(value, "name", None)
    return f"a {name if isinstance(name, str) else type(value).__name__}"


def _plain(value: int | float) -> int | float:
    return float(value) if isinstance(value, float) else int(value)
