"""The base class of kinds of values, and the context of a check."""

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
    """Limits that follow from the size of a file in ``bytes``; small files have those of a minimum size.

    If the work or memory of a model grows with a number in the file, the file must contain arrays of that length.
    Numbers without such arrays, such as the width of a hash table or the degree of polynomials, are limited by these
    bytes.
    """

    bytes: int = SMALL_FILE

    @property
    def cells(self) -> int:
        """Number of array entries that a number in the file may require."""
        return max(SMALL_FILE, self.bytes)


@dataclass
class Scope:
    """The context of the check of one object: its sizes, whether it is fitted, the schemas of other objects."""

    schemas: Callable[[str], Any]
    limits: Limits
    sizes: Sizes = field(default_factory=dict)
    fitted: bool = True

    def inner(self, sizes: Sizes, *, fitted: bool = True) -> Scope:
        """The scope of an object inside this one."""
        return Scope(self.schemas, self.limits, sizes, fitted)


class Kind(ABC):
    """The values that an attribute may have; ``required`` unless the attribute may be absent."""

    required = True

    @abstractmethod
    def check(self, value: Any, place: str, scope: Scope) -> None:
        """Raise a ModelFileError that names the ``place`` if ``value`` is not of this kind."""

    def decides(self, value: Any) -> bool:
        """Whether ``value`` can be of this kind only, by a look at its outside: its content is checked once."""
        return False


def refuse(place: str, found: str, expected: str) -> NoReturn:
    """Raise the error for a value that is not as declared."""
    raise ModelFileError(f"{place} is {found}; expected {expected}")


def shown(value: Any) -> str:
    """Describe a value for an error: short, and without the content of arrays.

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
