"""What a search may spend: seconds of a clock, or units of work that are the same on every machine."""

from __future__ import annotations

import math
import time
from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager

from setwise.learning.progress.time_limit import time_limit

clock = time.perf_counter
"""The clock of time budgets."""


class Budget(ABC):
    """A limit, and what is left of it."""

    measured: bool
    """Whether costs are known only after they were spent."""

    @abstractmethod
    def left(self) -> float:
        """What is left; negative after an overrun."""

    @abstractmethod
    def limited(self, allowed: float) -> AbstractContextManager[None]:
        """A context in which fits stop when they have cost ``allowed``."""

    @abstractmethod
    def now(self) -> float:
        """What was spent so far."""

    @abstractmethod
    def charge(self, work: float) -> None:
        """Count units of work."""


class Seconds(Budget):
    """Seconds of the clock, from now on; None for as many as it takes.

    Examples
    --------
    >>> Seconds(None).left()
    inf
    """

    measured = True

    def __init__(self, limit: float | None) -> None:
        self.limit, self.start = math.inf if limit is None else float(limit), clock()

    def left(self) -> float:
        """See :class:`Budget`."""
        return self.limit - self.now()

    def now(self) -> float:
        """See :class:`Budget`."""
        return clock() - self.start

    @contextmanager
    def limited(self, allowed: float) -> Iterator[None]:
        """See :class:`Budget`."""
        with time_limit(allowed, clock):
            yield

    def charge(self, work: float) -> None:
        """Nothing: the clock counts."""


class Effort(Budget):
    """Units of work: the expected cost of every fit is counted, whatever time it takes.

    Examples
    --------
    >>> effort = Effort(10.0)
    >>> effort.charge(4.0)
    >>> effort.left()
    6.0
    """

    measured = False

    def __init__(self, limit: float) -> None:
        self.limit, self.spent = float(limit), 0.0

    def left(self) -> float:
        """See :class:`Budget`."""
        return self.limit - self.spent

    def now(self) -> float:
        """See :class:`Budget`."""
        return self.spent

    @contextmanager
    def limited(self, allowed: float) -> Iterator[None]:
        """See :class:`Budget`; work is not interrupted."""
        yield

    def charge(self, work: float) -> None:
        """See :class:`Budget`."""
        self.spent += work
