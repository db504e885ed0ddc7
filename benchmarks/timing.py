"""What every benchmark reports, and how time is taken."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Line:
    """One row of the table: what was measured, ours, the other's, and what the ratio has to be.

    ``gain`` is the ratio as a number, the larger the better: the check of a run compares it with the last one's.
    """

    name: str
    ours: str
    other: str
    ratio: str
    wanted: str
    note: str
    gain: float | None = None


def seconds(work: Callable[[], Any], repeats: int = 1) -> tuple[float, Any]:
    """The mean time of some repetitions, and the last result."""
    start, result = time.perf_counter(), None
    for _ in range(repeats):
        result = work()
    return (time.perf_counter() - start) / repeats, result


def processor_seconds(work: Callable[[], Any], repeats: int = 1) -> tuple[float, Any]:
    """The least processor time of some repetitions, all threads together, and the last result.

    Other processes hardly change it: for ratios that have to be taken on a busy machine.
    """
    least, result = float("inf"), None
    for _ in range(repeats):
        start = time.process_time()
        result = work()
        least = min(least, time.process_time() - start)
    return least, result


def cpu_seconds(work: Callable[[], Any], repeats: int = 3) -> float:
    """The least processor time of some repetitions."""
    return processor_seconds(work, repeats)[0]
