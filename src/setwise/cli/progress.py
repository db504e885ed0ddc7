"""Progress on standard error, if that is a terminal."""

from __future__ import annotations

import argparse
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich import progress as bars
from rich.console import Console

from setwise.cli.terminal import shown
from setwise.evaluation.journal import Record
from setwise.evaluation.runner import Watcher
from setwise.files.progress import watched_reading

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
        task, start = bar.add_task(shown(title), total=seconds), time.monotonic()
        with _ticking(lambda: bar.update(task, completed=min(time.monotonic() - start, seconds or 0.0))):
            yield


@contextmanager
def waiting_for_rows(title: str) -> Iterator[None]:
    """Show how many rows of files were read while the block runs, how fast, and how long the rest will take."""
    columns = (
        bars.TextColumn("[bold]{task.description}"),
        bars.BarColumn(bar_width=None),
        bars.TextColumn("{task.percentage:.0f} %"),
        bars.TextColumn("{task.fields[rows]}"),
        bars.TimeRemainingColumn(),
    )
    with _bar(Console(stderr=True), *columns) as bar, watched_reading() as progress:
        task, start = bar.add_task(shown(title), total=1.0, rows=""), time.monotonic()

        def show() -> None:
            rate = progress.rows / max(time.monotonic() - start, TICK)
            rows = f"{progress.rows:,} rows, {rate:,.0f}/s" if progress.rows else ""
            bar.update(task, completed=progress.share, rows=rows)

        with _ticking(show):
            yield


@contextmanager
def _ticking(show: Callable[[], None]) -> Iterator[None]:
    """Call a function again and again while the block runs."""
    ended = threading.Event()

    def tick() -> None:
        while not ended.wait(TICK):
            show()

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
