"""The worker process of a run: it reads tasks and writes records.

Tasks arrive on standard input and records leave on standard output, both as pickles: the runner only talks to
processes that it started itself. The worker ends when its runner does, even by ``kill -9``.
"""

from __future__ import annotations

import os
import pickle
import sys
import threading
import time
import traceback
import warnings
from contextlib import suppress
from pathlib import Path
from typing import IO, Any, NamedTuple

from threadpoolctl import threadpool_limits

from setwise.datasets import Dataset
from setwise.evaluation.journal import Record
from setwise.evaluation.protocol import Protocol, evaluate_split
from setwise.kernels import set_threads


class Task(NamedTuple):
    """One repetition of one method on one data set."""

    key: str
    data: str
    method: str
    repeat: int
    source: Any
    """A Dataset, or a callable that loads one."""
    estimator: Any
    protocol: Protocol


def do(task: Task) -> Record:
    """Run a task; the record holds its scores, or the error and its traceback."""
    record: Record = {
        "key": task.key,
        "data": task.data,
        "method": task.method,
        "repeat": task.repeat,
        "protocol": str(task.protocol),
        "settings": " ".join(repr(task.estimator).split()),
    }
    start = time.perf_counter()
    _forget_peak()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            record["scores"] = _scores(task)
        except Exception as error:
            record["error"] = f"{type(error).__name__}: {error}"
            record["traceback"] = traceback.format_exc()
    record["warnings"] = sorted({f"{w.category.__name__}: {w.message}" for w in caught})
    return record | {"seconds": time.perf_counter() - start, "peak_megabytes": peak_megabytes()}


def _scores(task: Task) -> dict[str, float]:
    data = task.source if isinstance(task.source, Dataset) else task.source()
    split = task.protocol.splits(data)[task.repeat]
    return evaluate_split(task.estimator, data, split, seed=task.protocol.seed + task.repeat)


def _forget_peak() -> None:
    """Reset the peak memory of this process, if the system allows it (Linux)."""
    with suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5")


def peak_megabytes() -> float | None:
    """Peak resident memory of this process, on Linux since the task began; None elsewhere."""
    try:
        status = Path("/proc/self/status").read_text()
    except OSError:
        return None
    lines = [line for line in status.splitlines() if line.startswith("VmHWM:")]
    return int(lines[0].split()[1]) / 1024 if lines else None


def _end_with(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(0.5)
    os._exit(1)


def serve(tasks: IO[bytes], answers: IO[bytes]) -> None:
    """Run pickled tasks until the input ends."""
    while True:
        try:
            packed = pickle.load(tasks)
        except EOFError:
            return
        try:
            record = do(pickle.loads(packed))
        except Exception as error:
            record = {"error": f"{type(error).__name__}: {error}", "traceback": traceback.format_exc()}
        pickle.dump(record, answers)
        answers.flush()


def main() -> None:
    """Serve tasks; the output of estimators goes to standard error, separate from the records."""
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    threading.Thread(target=_end_with, args=(os.getppid(),), daemon=True).start()
    threads = int(sys.argv[1])
    set_threads(threads)
    with threadpool_limits(threads):
        serve(sys.stdin.buffer, answers)
