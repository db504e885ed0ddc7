"""Something to look at while waiting: on standard error, and only where that is a terminal."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import TypeVar

from rich import progress as bars
from rich.console import Console

T = TypeVar("T")

TICK = 0.25


def _bar(*columns: bars.ProgressColumn) -> bars.Progress:
    console = Console(stderr=True)
    return bars.Progress(*columns, console=console, transient=True, disable=not console.is_terminal)


@contextmanager
def waiting(title: str, seconds: float | None = None) -> Iterator[None]:
    """The time gone while the block runs; and left, where it is to take about ``seconds``."""
    left = [bars.BarColumn(), bars.TimeRemainingColumn()] if seconds else [bars.SpinnerColumn()]
    with _bar(bars.TextColumn("[bold]{task.description}"), *left, bars.TimeElapsedColumn()) as bar:
        task, start, ended = bar.add_task(title, total=seconds), time.monotonic(), threading.Event()

        def tick() -> None:
            while not ended.wait(TICK):
                bar.update(task, completed=min(time.monotonic() - start, seconds or 0.0))

        clock = threading.Thread(target=tick, daemon=True)
        clock.start()
        try:
            yield
        finally:
            ended.set()
            clock.join()


def counted(title: str, parts: Iterable[T], total: int) -> Iterator[T]:
    """The parts one by one, with a bar and the time left."""
    with _bar(
        bars.TextColumn("[bold]{task.description}"),
        bars.BarColumn(),
        bars.TaskProgressColumn(),
        bars.TimeRemainingColumn(),
        bars.TimeElapsedColumn(),
    ) as bar:
        task = bar.add_task(title, total=total)
        for part in parts:
            yield part
            bar.advance(task)
