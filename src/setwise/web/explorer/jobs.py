"""Work that takes longer than a click: done in a thread, one after another, with its progress."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

from setwise.printable import printable


@dataclass
class Job:
    """A piece of work: its name, the share that is done, and its result or error."""

    name: str
    share: float = 0.0
    state: str = "waiting"
    result: Any = None
    error: str = ""

    def progress(self, share: float) -> None:
        """Say how much is done."""
        self.share = share

    def plain(self) -> dict[str, Any]:
        """What the page shows of it."""
        return {"name": self.name, "share": self.share, "state": self.state, "error": self.error}


class Jobs:
    """Jobs by name, run one after another.

    Examples
    --------
    >>> jobs = Jobs()
    >>> jobs.start("sum", lambda job: 1 + 1)
    >>> jobs.wait("sum").result
    2
    """

    def __init__(self) -> None:
        self._worker = ThreadPoolExecutor(1, thread_name_prefix="explorer")
        self._jobs: dict[str, Job] = {}
        self._changed = threading.Condition()

    def start(self, name: str, work: Callable[[Job], Any]) -> None:
        """Begin a job; one of this name that is waiting or running is kept instead."""
        with self._changed:
            old = self._jobs.get(name)
            if old is not None and old.state in ("waiting", "running"):
                return
            job = self._jobs[name] = Job(name)
        self._worker.submit(self._run, job, work)

    def get(self, name: str) -> Job | None:
        """The last job of this name."""
        return self._jobs.get(name)

    def wait(self, name: str, timeout: float | None = None) -> Job:
        """Wait until a job has ended."""
        job = self._jobs[name]
        with self._changed:
            self._changed.wait_for(lambda: job.state in ("done", "failed"), timeout)
        return job

    def plain(self) -> list[dict[str, Any]]:
        """What the page shows of all jobs."""
        return [job.plain() for job in list(self._jobs.values())]

    def stop(self) -> None:
        """Begin nothing more."""
        self._worker.shutdown(wait=False, cancel_futures=True)

    def _run(self, job: Job, work: Callable[[Job], Any]) -> None:
        job.state = "running"
        try:
            job.result, state = work(job), "done"
        except Exception as error:
            job.error, state = printable(str(error) or type(error).__name__), "failed"
        with self._changed:
            job.share, job.state = 1.0, state
            self._changed.notify_all()
