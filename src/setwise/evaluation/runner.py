"""Run every method on every data set, in parallel; a killed run resumes where it stopped."""

from __future__ import annotations

import hashlib
import os
import pickle
import queue
import subprocess
import sys
import time
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from typing import Any

from setwise.datasets import Dataset
from setwise.evaluation.journal import Journal, Record
from setwise.evaluation.protocol import Protocol
from setwise.evaluation.worker import Task
from setwise.kernels import default_threads

THREAD_VARIABLES = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "SETWISE_THREADS")

START = "from setwise.evaluation.worker import main; main()"

Watcher = Callable[[Record, int, int], None]
"""Called with each new record, the number of tasks done and the number of all tasks."""


@dataclass(frozen=True)
class Cell:
    """A method on a data set under a protocol: one cell of a table.

    Parameters
    ----------
    data, method : str
        Names of the data set and of the method.
    source : Dataset or callable
        The data, or a picklable function that loads it.
    estimator : estimator
        Unfitted; it is cloned.
    protocol : Protocol
        How rows are split.

    Examples
    --------
    >>> from setwise import BinaryRelevance
    >>> from setwise.datasets import Dataset
    >>> data = Dataset([[0.0], [1.0]], [[1, 0], [0, 1]])
    >>> len(Cell("tiny", "BR", data, BinaryRelevance(), Protocol("folds", 2)).tasks())
    2
    """

    data: str
    method: str
    source: Dataset | Callable[[], Dataset]
    estimator: Any
    protocol: Protocol

    def tasks(self) -> list[Task]:
        """List one task for each repetition.

        Returns
        -------
        list of Task
            The work of this cell.

        Examples
        --------
        >>> from setwise import BinaryRelevance
        >>> from setwise.datasets import Dataset
        >>> data = Dataset([[0.0], [1.0]], [[1, 0], [0, 1]])
        >>> [task.repeat for task in Cell("tiny", "BR", data, BinaryRelevance(), Protocol("folds", 2)).tasks()]
        [0, 1]
        """
        return [
            Task(self._key(r), self.data, self.method, r, self.source, self.estimator, self.protocol)
            for r in range(self.protocol.repeats)
        ]

    def _key(self, repeat: int) -> str:
        """Key of a task; it changes with anything that would change the result."""
        parameters = sorted((name, str(value)) for name, value in self.estimator.get_params().items())
        settings = repr((type(self.estimator).__qualname__, parameters, self.protocol))
        return f"{self.data}/{self.method}/{repeat}/{hashlib.sha256(settings.encode()).hexdigest()[:12]}"


def run_cells(
    cells: Iterable[Cell],
    *,
    journal: str | os.PathLike[str] | None = None,
    n_jobs: int | None = None,
    retry: bool = False,
    watch: Watcher | None = None,
    seconds: float | None = None,
    client: Any = None,
) -> list[Record]:
    """Run all tasks of the cells that are not in the journal yet.

    Each worker is a separate process with its share of the cores, so tasks do not compete for threads. A task that
    raises, or whose process dies, becomes a record with ``error``; the run continues.

    Parameters
    ----------
    cells : iterable of Cell
        The work.
    journal : path, optional
        File of results, one JSON object per line. A killed run resumes from it.
    n_jobs : int, optional
        Number of workers; one per core by default.
    retry : bool, default=False
        Whether to repeat tasks that failed in an earlier run.
    watch : callable, optional
        Called with each new record, the number of tasks done and the number of all tasks.
    seconds : float, optional
        No task begins later than this; those left have no record. 0 only reads the journal.
    client : distributed.Client, optional
        Tasks then run on the workers of its cluster, which should have one thread each.

    Returns
    -------
    list of dict
        One record per task that was run, in the order of the cells: ``data``, ``method``, ``repeat``, ``scores`` or
        ``error`` and ``traceback``, ``warnings``, ``seconds``, ``peak_megabytes``.

    Examples
    --------
    >>> import numpy as np
    >>> from setwise import BinaryRelevance
    >>> from setwise.datasets import Dataset
    >>> X = np.linspace(-1, 1, 40)[:, None]
    >>> data = Dataset(X, np.hstack([X > 0, X < 0.5]))
    >>> records = run_cells([Cell("line", "BR", data, BinaryRelevance(), Protocol("holdout", 1))], n_jobs=1)
    >>> records[0]["data"], "exact_match" in records[0]["scores"]
    ('line', True)
    """
    tasks = [task for cell in cells for task in cell.tasks()]
    n_jobs = n_jobs or _cores()
    with Journal(journal) as kept:
        todo = [task for task in tasks if not _is_done(kept.records.get(task.key), retry)]
        deadline = None if seconds is None else time.monotonic() + seconds
        with closing(_records(todo, n_jobs, deadline, client)) as records:
            for done, record in enumerate(records, start=len(tasks) - len(todo) + 1):
                kept.append(record)
                if watch is not None:
                    watch(record, done, len(tasks))
        return [kept.records[task.key] for task in tasks if task.key in kept.records]


def _records(
    tasks: list[Task], n_jobs: int, deadline: float | None, client: Any
) -> Generator[Record, None, None]:
    if client is None:
        return _in_parallel(tasks, n_jobs, deadline)
    from setwise.evaluation.cluster import on_cluster  # it needs the extra dask

    return on_cluster(client, tasks, deadline)


def _is_done(record: Record | None, retry: bool) -> bool:
    return record is not None and not (retry and "error" in record)


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _in_parallel(tasks: list[Task], n_jobs: int, deadline: float | None) -> Generator[Record, None, None]:
    n_jobs = min(n_jobs, len(tasks))
    if not n_jobs:
        return
    with ThreadPoolExecutor(n_jobs) as threads, _workers(n_jobs) as idle:  # Workers stop first, then threads.
        futures = [threads.submit(_in_worker, idle, task, deadline) for task in tasks]
        try:
            for future in as_completed(futures):
                if (record := future.result()) is not None:
                    yield record
        finally:
            for future in futures:
                future.cancel()


def _in_worker(idle: queue.SimpleQueue[_Worker], task: Task, deadline: float | None) -> Record | None:
    if deadline is not None and time.monotonic() > deadline:
        return None
    worker = idle.get()
    try:
        return worker.do(task)
    finally:
        idle.put(worker)


@contextmanager
def _workers(n_jobs: int) -> Iterator[queue.SimpleQueue[_Worker]]:
    # A limit on threads means that the machine is shared, so the workers divide that limit, not the cores.
    workers = [_Worker(max(1, default_threads() // n_jobs)) for _ in range(n_jobs)]
    idle: queue.SimpleQueue[_Worker] = queue.SimpleQueue()
    for worker in workers:
        idle.put(worker)
    try:
        yield idle
    finally:
        for worker in workers:
            worker.stop()


class _Worker:
    """A process that runs tasks; it is restarted after a task has killed it."""

    def __init__(self, threads: int) -> None:
        self.threads = threads
        self.process: subprocess.Popen[bytes] | None = None

    def do(self, task: Task) -> Record:
        named = {"key": task.key, "data": task.data, "method": task.method, "repeat": task.repeat}
        try:
            packed = pickle.dumps(task)
        except Exception as error:
            return named | {"error": f"the task cannot be sent to a worker: {error}", "traceback": ""}
        try:
            return named | self._ask(packed)
        except (EOFError, OSError, pickle.UnpicklingError):
            return named | {"error": f"the worker died ({self._stop_reason()})", "traceback": ""}

    def _ask(self, packed: bytes) -> Record:
        if self.process is None:
            self.process = self._start()
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        pickle.dump(packed, self.process.stdin)
        self.process.stdin.flush()
        return pickle.load(self.process.stdout)

    def _start(self) -> subprocess.Popen[bytes]:
        environment = os.environ | dict.fromkeys(THREAD_VARIABLES, str(self.threads))
        command = [sys.executable, "-c", START, str(self.threads)]
        return subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment, start_new_session=True
        )

    def _stop_reason(self) -> str:
        process = self.process
        if process is None:
            return "stopped"
        with suppress(subprocess.TimeoutExpired):
            process.wait(timeout=10)
        self.stop()
        code = process.returncode
        return f"signal {-code}" if code < 0 else f"exit code {code}"

    def stop(self) -> None:
        if self.process is None:
            return
        process, self.process = self.process, None
        assert process.stdin is not None
        assert process.stdout is not None
        if process.poll() is None:
            process.kill()
        process.wait()
        process.stdout.close()
        with suppress(BrokenPipeError):
            process.stdin.close()
