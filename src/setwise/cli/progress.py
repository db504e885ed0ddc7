"""Progress on standard error, if that is a terminal."""

from __future__ import annotations

import argparse
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

from rich import progress as bars
from rich.console import Console

from setwise.cli.terminal import shown
from setwise.evaluation.journal import Record
from setwise.evaluation.runner import Watcher

TICK = 0.25
"""Seconds between two updates."""


def _bar(console: Console, *columns: bars.ProgressColumn) -> bars.Progress:
    return bars.Progress(*columns, console=console, transient=True, disable=not console.is_terminal)


@contextmanager
def waiting(title: str, seconds: float | None = None) -> Iterator[None]:
    """Show the elapsed time while the block runs; with ``seconds``, also how much of them is left."""
    left = [bars.BarColumn(), bars.TimeRemainingColumn()] if seconds else [bars.SpinnerColumn()]
    columns = (bars.TextColumn("[bold]{task.description}"), *left, bars.TimeElapsedColumn())
    with _bar(Console(stderr=True), *columns) as bar:
        task, start, ended = bar.add_task(shown(title), total=seconds), time.monotonic(), threading.Event()

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


@contextmanager
def watching(title: str, options: argparse.Namespace) -> Iterator[Watcher]:
    """Show how many tasks of an experiment are done and the time left; print failures at once."""
    columns = (
        bars.TextColumn("[bold]{task.description}"),
        bars.BarColumn(),
        bars.MofNCompleteColumn(),
        bars.TimeElapsedColumn(),
        bars.TimeRemainingColumn(),
        bars.TextColumn("{task.fields[last]}"),
    )
    with _bar(Console(stderr=True), *columns) as bar:
        task = bar.add_task(shown(title), total=None, last="")

        def watch(record: Record, done: int, total: int) -> None:
            last = shown(f"{record['data']} {record['method']} {record['repeat']}")
            bar.update(task, completed=done, total=total, last=last)
            if "error" in record:
                bar.console.print(f"[red]failed[/] {last}: {shown(record['error'])}")
                if options.debug:
                    for line in record.get("traceback", "").splitlines():
                        bar.console.print(shown(line))

        yield watch
