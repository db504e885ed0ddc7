"""How far the reading of a file has come, for those who wait for it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass


@dataclass
class ReadingProgress:
    """What was read so far; readers write it, and a progress line looks at it.

    Attributes
    ----------
    rows : int
        Rows of tables.
    share : float
        Share of the file, from 0 to 1.
    """

    rows: int = 0
    share: float = 0.0


_current: ContextVar[ReadingProgress | None] = ContextVar("reading", default=None)


def reading() -> ReadingProgress:
    """What the readers write their progress to."""
    return _current.get() or ReadingProgress()


@contextmanager
def watched_reading() -> Iterator[ReadingProgress]:
    """Watch the files that are read while the block runs.

    Examples
    --------
    >>> with watched_reading() as progress:
    ...     reading().rows += 2
    >>> progress
    ReadingProgress(rows=2, share=0.0)
    """
    token = _current.set(progress := ReadingProgress())
    try:
        yield progress
    finally:
        _current.reset(token)
