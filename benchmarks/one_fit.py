"""Fit one estimator in a process of its own, and print what it cost as JSON.

``python -P benchmarks/one_fit.py '{"data": "yeast", "estimator": "BinaryRelevance"}'``. It uses only names that older
states of the library have, so that any interpreter with one can run it.
"""

from __future__ import annotations

import json
import resource
import sys
import time
from typing import Any

import numpy as np
import scipy.sparse as sp
from threadpoolctl import threadpool_limits

import setwise
from setwise.datasets import load
from setwise.kernels import set_threads

HELD_OUT = 1000
"""Most rows that are held out; else a tenth of all."""


def work(data: str, estimator: str, parameters: dict[str, Any], rows: int | None = None) -> dict[str, float]:
    """Fit on most rows; judge and predict the others."""
    table = load(data)
    X, Y = table.X, table.Y.toarray() if sp.issparse(table.Y) else np.asarray(table.Y)
    X = sp.csr_array(X) if sp.issparse(X) else X
    order = np.random.default_rng(0).permutation(len(Y))
    held, train = np.split(order, [min(HELD_OUT, len(Y) // 10)])
    train = np.sort(train[:rows])
    model = getattr(setwise, estimator)(**parameters)
    wall, start = time.perf_counter(), time.process_time()
    model.fit(X[train], Y[train])
    found = {"seconds": time.process_time() - start, "wall": time.perf_counter() - wall}
    start = time.process_time()
    model.predict(X[held])
    found["predict_ms"] = 1e3 * (time.process_time() - start) / len(held)
    found["log_loss"] = float(-np.mean(model.log_prob(X[held], Y[held])))
    return found | {"peak_gb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20}


def main() -> None:
    """Read the task from the command line."""
    task = {"parameters": {}, "threads": 1, "limit": 900} | json.loads(sys.argv[1])
    threads, limit = int(task.pop("threads")), int(task.pop("limit"))
    resource.setrlimit(resource.RLIMIT_CPU, (limit * threads, limit * threads + 5))
    set_threads(threads)
    with threadpool_limits(threads):
        print(json.dumps(work(**task)))


if __name__ == "__main__":
    main()
