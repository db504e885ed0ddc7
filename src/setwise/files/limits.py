"""What a data file may ask for: a small file must not fill the memory or take minutes.

Readers check these limits before they allocate. They are far above what real data sets need, and
:func:`raised_limits` moves all of them at once for a file that you trust.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, fields

from setwise.errors import InputError, Parameter


@dataclass(frozen=True)
class Limits:
    """Limits of one file; the defaults are those that ``docs/data.md`` states.

    Attributes
    ----------
    expansion : int
        How many times its size on the disk a file may unpack to. gzip reaches 1000 on a file of one repeated line,
        and 300 on a sparse matrix written densely.
    text_bytes, array_bytes : int
        What any compressed file may unpack to, however small it is: text, and arrays (.npz, Parquet). Text costs a
        thousand times the processor time of arrays, hence less of it.
    line_bytes : int
        Longest line of a text file.
    columns : int
        Features, labels, attributes, or values of one attribute.
    cells : int
        Cells that a matrix may store after categories became features.
    depth : int
        Labels inside labels of a label file, or columns inside columns of a Parquet file.
    """

    expansion: int = 400
    text_bytes: int = 2**22
    array_bytes: int = 2**26
    line_bytes: int = 2**24
    columns: int = 2**20
    cells: int = 2**25
    depth: int = 64

    def times(self, factor: float) -> Limits:
        """All limits multiplied by a factor."""
        return Limits(**{field.name: int(getattr(self, field.name) * factor) for field in fields(self)})

    def unpacked(self, free: int, packed: int) -> int:
        """Bytes that a file of ``packed`` bytes may unpack to, ``free`` of them whatever its size."""
        return max(free, self.expansion * packed)


_DEFAULT = Limits()
_current: ContextVar[Limits] = ContextVar("limits", default=_DEFAULT)


def limits() -> Limits:
    """The limits that hold now."""
    return _current.get()


@contextmanager
def raised_limits(factor: float) -> Iterator[None]:
    """Multiply the limits of data files while the block runs.

    The limits protect against small files that unpack, or declare themselves, to more than the memory holds. Raise
    them for a file that you trust.

    Parameters
    ----------
    factor : float
        By how much, at least 1.

    Yields
    ------
    None

    Examples
    --------
    >>> from setwise.datasets import raised_limits
    >>> limits().columns
    1048576
    >>> with raised_limits(10):
    ...     limits().columns
    10485760
    """
    if not 1 <= factor < float("inf"):
        raise InputError("expected a number from 1 on", parameter=Parameter("raise_limits", factor))
    token = _current.set(limits().times(factor))
    try:
        yield
    finally:
        _current.reset(token)
