"""A progress line of a long fit: rewritten in terminals and notebooks, one per task in logs."""

from __future__ import annotations

import shutil
import sys
import time
from collections.abc import Callable
from typing import TextIO

from setwise.learning.progress.monitor import Progress

BAR_WIDTH = 24
PAUSE = 0.1
"""Seconds between two versions of a line that is rewritten: a notebook keeps every one until the cell ends."""


class ProgressLine:
    """Print the progress of a fit.

    Parameters
    ----------
    name : str
        Name of the estimator.
    verbose : int
        1 for a bar in a terminal or notebook, and elsewhere a line for each finished task; 2 for a line per
        iteration.
    stream : text stream, optional
        Standard error by default, so that results can be piped.
    clock : function, optional
        Gives the time in seconds.

    Examples
    --------
    >>> import io
    >>> log = io.StringIO()
    >>> line = ProgressLine("Mixture", 1, log, clock=lambda: 0.0)
    >>> for iteration in range(3):
    ...     line(Progress("all rows", iteration, 50, -12.5))
    >>> line.close()
    >>> log.getvalue()
    'Mixture: all rows · iteration 2 of at most 50 · bound -12.5 · 0 s\\n'
    """

    def __init__(
        self,
        name: str,
        verbose: int,
        stream: TextIO | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.name, self.verbose, self.stream = name, verbose, sys.stderr if stream is None else stream
        self._rewrite = _rewriter(self.stream) if verbose == 1 else None
        self._clock = clock
        self._start = self._task_start = clock()
        self._last: Progress | None = None
        self._written, self._width = -PAUSE, 0

    def __call__(self, progress: Progress) -> None:
        """Show one iteration."""
        if self._last is not None and progress.task != self._last.task:
            self._end_task()
        if self._last is None or progress.task != self._last.task:
            self._task_start = self._clock()
        self._last = progress
        if self._rewrite is not None:
            self._show(progress)
        elif self.verbose > 1:
            self._write(self._log_line(progress) + "\n")

    def close(self) -> None:
        """End the last line."""
        self._end_task()
        self._last = None

    def _end_task(self) -> None:
        """Leave the last state of a task on a line that stays."""
        if self._last is None:
            return
        if self._rewrite is not None:
            self._show(self._last, at_once=True)
            self._write("\n")
            self._width = 0
        elif self.verbose == 1:
            self._write(self._log_line(self._last) + "\n")

    def _show(self, progress: Progress, at_once: bool = False) -> None:
        if self._rewrite is None or (not at_once and self._clock() - self._written < PAUSE):
            return
        line = f"{self.name}: {progress.task} · {_bar(progress)} · {self._state(progress)}"
        if not at_once:
            line += _left(progress, self._clock() - self._task_start)
        # A line that is wider than the terminal would be broken, and rewriting it would leave its first part.
        line = line[: shutil.get_terminal_size().columns - 1]
        self._write(self._rewrite(line, self._width))
        self._written, self._width = self._clock(), len(line)

    def _log_line(self, progress: Progress) -> str:
        steps = f"iteration {progress.iteration} of at most {progress.max_iter}"
        return f"{self.name}: {progress.task} · {steps} · {self._state(progress)}"

    def _state(self, progress: Progress) -> str:
        bound = "" if progress.bound is None else f"bound {progress.bound:.1f} · "
        return f"{bound}{self._clock() - self._start:.0f} s"

    def _write(self, text: str) -> None:
        self.stream.write(text)
        self.stream.flush()


def _rewriter(stream: TextIO) -> Callable[[str, int], str] | None:
    """The text that overwrites the last line of some width; None for a log, whose lines stay.

    Like terminals, notebooks go back to the start of a line on a carriage return, but they do not know the command that
    clears it.
    """
    if type(stream).__module__.partition(".")[0] == "ipykernel":
        return lambda line, width: "\r" + line.ljust(width)
    if getattr(stream, "isatty", lambda: False)():
        return lambda line, width: f"\r\x1b[K{line}"
    return None


def _bar(progress: Progress) -> str:
    filled = round(BAR_WIDTH * min(progress.iteration / max(progress.max_iter, 1), 1.0))
    return f"[{'█' * filled}{'·' * (BAR_WIDTH - filled)}] {progress.iteration}/{progress.max_iter}"


def _left(progress: Progress, seconds: float) -> str:
    """Estimate the remaining time of the task from its iterations so far; empty at the first one."""
    if not progress.iteration:
        return ""
    rest = max(progress.max_iter - progress.iteration, 0)
    return f", at most {seconds / progress.iteration * rest:.0f} s more of this"
