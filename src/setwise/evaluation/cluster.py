"""The tasks of a run on the workers of a Dask cluster."""

from __future__ import annotations

import time
from collections.abc import Generator, Iterable
from typing import Any

from distributed import Client, Future
from distributed.scheduler import KilledWorker

from setwise.dask.rounds import ClusterError, check_client, finished
from setwise.evaluation.journal import Record
from setwise.evaluation.worker import Task, do

AHEAD = 2
"""Tasks that the cluster has for each of its threads: none waits for work."""


def on_cluster(
    client: Client, tasks: Iterable[Task], deadline: float | None
) -> Generator[Record, None, None]:
    """Run tasks on the workers, and yield their records as they come.

    A task whose worker is killed is repeated on another one by Dask, three times by default; then it has a record
    with ``error``.

    Parameters
    ----------
    client : distributed.Client
    tasks : iterable of Task
    deadline : float or None
        No task begins later.
    """
    check_client(client)
    left, running, sources = iter(tasks), dict[Future, Task](), dict[int, Future]()
    try:
        while True:
            room = AHEAD * max(1, sum(client.nthreads().values())) - len(running)
            for task in _begun(left, room, deadline):
                # The data of many tasks are sent once, and are made again if their worker is lost.
                if id(task.source) not in sources:
                    sources[id(task.source)] = client.submit(_as_it_is, task.source, pure=False)
                sent = client.submit(_do, task._replace(source=None), sources[id(task.source)], pure=False)
                running[sent] = task
            if not running:
                return
            for future in finished(client, [*running], all_of_them=False):
                yield _record(running.pop(future), future)
    finally:
        client.cancel([*running])


def _begun(left: Iterable[Task], room: int, deadline: float | None) -> Iterable[Task]:
    for _ in range(room):
        if deadline is not None and time.monotonic() > deadline:
            return
        for task in left:
            yield task
            break


def _as_it_is(source: Any) -> Any:
    return source


def _do(task: Task, source: Any) -> Record:
    return do(task._replace(source=source))


def _record(task: Task, future: Future) -> Record:
    named: Record = {"key": task.key, "data": task.data, "method": task.method, "repeat": task.repeat}
    if future.status == "finished":
        return named | future.result()
    if future.status != "error":
        raise ClusterError(f"the cluster has dropped a task ({future.status}); start the run again")
    error = future.exception()
    died = isinstance(error, KilledWorker)
    said = "the workers died, several times" if died else f"{type(error).__name__}: {error}"
    return named | {"error": said, "traceback": ""}
