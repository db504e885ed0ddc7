"""A limit on the time of a fit: it stops at its next report instead of running on."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar


class OutOfTime(Exception):
    """A fit had not finished when its time was up."""


class Limit:
    """A moment of a clock after which fits stop."""

    def __init__(self, moment: float, clock: Callable[[], float]) -> None:
        self.moment, self.clock = moment, clock

    def is_over(self) -> bool:
        """Whether the moment has passed."""
        return self.clock() > self.moment


_CURRENT: ContextVar[Limit | None] = ContextVar("limit", default=None)


@contextmanager
def time_limit(seconds: float, clock: Callable[[], float] = time.perf_counter) -> Iterator[None]:
    """Let the fits inside stop with :class:`OutOfTime` after ``seconds`` of the clock.

    They stop when they report to their monitor, so they may take a little longer.

    Examples
    --------
    >>> with time_limit(60.0):
    ...     check_time()
    """
    if math.isinf(seconds):
        yield
        return
    token = _CURRENT.set(Limit(clock() + seconds, clock))
    try:
        yield
    finally:
        _CURRENT.reset(token)


def check_time() -> None:
    """Raise :class:`OutOfTime` if the time of the running fit is up."""
    limit = _CURRENT.get()
    if limit is not None and limit.is_over():
        raise OutOfTime
