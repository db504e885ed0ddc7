"""Records: objects as data, before they are checked and built."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple

from setwise.arrays import Array


@dataclass
class Record:
    """An object as data: the name of its class, its constructor's parameters and its attributes.

    Only estimators have parameters; a part keeps everything in ``state``.
    """

    name: str
    parameters: dict[str, Any] = field(default_factory=dict)
    state: dict[str, Any] = field(default_factory=dict)

    @property
    def short(self) -> str:
        """The name of the class without its module."""
        return self.name.partition(".")[2]


class SparseRecord(NamedTuple):
    """A sparse matrix as data: the name of its class, its shape and its three arrays."""

    name: str
    shape: tuple[int, ...]
    data: Array
    indices: Array
    indptr: Array
