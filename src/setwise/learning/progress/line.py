"""A line that says where a long fit is: rewritten in a terminal, one a task elsewhere."""

from __future__ import annotations

import sys
import time
from typing import TextIO

from setwise.learning.progress.monitor import Progress

BAR_WIDTH = 24


class ProgressLine:
    """Prints the progress of a fit.

    Parameters
    ----------
    name : str
        What is fitted.
    verbose : int
        1 for a bar in a terminal and a line a task elsewhere; 2 for a line an iteration.
    stream : text stream
        Standard error by default, so that results can be piped.
    """

    def __init__(self, name: str, verbose: int, stream: TextIO | None = None) -> None:
        self.name, self.verbose, self.stream = name, verbose, sys.stderr if stream is None else stream
        self._live = self.stream.isatty() and verbose == 1
        self._start = self._task_start = time.monotonic()
        self._task = ""

    def __call__(self, progress: Progress) -> None:
        """Show one iteration."""
        now = time.monotonic()
        if progress.task != self._task:
            self._task_start = now
        line = f"{self.name}: {progress.task} · {_bar(progress)} · bound {progress.bound:.1f}"
        line += f" · {now - self._start:.0f} s{_left(progress, now - self._task_start)}"
        if self._live:
            self.stream.write(f"\r\x1b[K{line}")
        elif self.verbose > 1 or progress.task != self._task:
            self.stream.write(line + "\n")
        self._task = progress.task
        self.stream.flush()

    def close(self) -> None:
        """Leave the terminal on a fresh line."""
        if self._live and self._task:
            self.stream.write("\n")
            self.stream.flush()


def _bar(progress: Progress) -> str:
    filled = round(BAR_WIDTH * min(progress.iteration / max(progress.max_iter, 1), 1.0))
    return f"[{'█' * filled}{'·' * (BAR_WIDTH - filled)}] {progress.iteration}/{progress.max_iter}"


def _left(progress: Progress, seconds: float) -> str:
    """How long the task may take on, from the iterations so far; nothing at its first one."""
    if not progress.iteration:
        return ""
    rest = max(progress.max_iter - progress.iteration, 0)
    return f", at most {seconds / progress.iteration * rest:.0f} s more of this"
