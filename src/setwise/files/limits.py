"""Limits of data files, so that a small file cannot fill the memory or take minutes.

Readers check these limits before they allocate. They are far above what real data sets need, and
:func:`raised_limits` raises all of them at once for a file that you trust.
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
        Maximum ratio of unpacked to packed size. gzip reaches 1000 on a file of one repeated line,
        and 300 on a sparse matrix in dense form.
    text_bytes, array_bytes : int
        Unpacked size that is always allowed, however small the file: of text, and of arrays (.npz, Parquet). Text takes
        a thousand times the processor time of arrays, hence the smaller limit.
    line_bytes : int
        Maximum length of a line of a text file.
    columns : int
        Number of features, labels, attributes, or values of one attribute.
    cells : int
        Number of cells of a matrix after categories became features.
    depth : int
        Nesting depth of labels in a label file, or of columns in a Parquet file.
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
        """Bytes that a file of ``packed`` bytes may unpack to, at least ``free``."""
        return max(free, self.expansion * packed)


_DEFAULT = Limits()
_current: ContextVar[Limits] = ContextVar("limits", default=_DEFAULT)


def limits() -> Limits:
    """The current limits."""
    return _current.get()


@contextmanager
def raised_limits(factor: float) -> Iterator[None]:
    """Multiply the limits of data files while the block runs.

    The limits protect against small files that unpack to, or declare, more than fits into memory. Raise
    them for a file that you trust.

    Parameters
    ----------
    factor : float
        The factor, at least 1.

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
        raise InputError("expected a number of at least 1", parameter=Parameter("raise_limits", factor))
    token = _current.set(limits().times(factor))
    try:
        yield
    finally:
        _current.reset(token)
