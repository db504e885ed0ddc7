"""Decision forests beside scikit-learn's extremely randomized trees of the same size, and their peak memory."""

from __future__ import annotations

import functools
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

from sklearn.ensemble import ExtraTreesClassifier

from benchmarks.timing import Line, processor_seconds
from setwise import DecisionForest
from setwise.datasets import load

N_TREES = 100
DATA = ("emotions", "yeast", "scene", "mediamill")
FIT = """
import resource, sys
from setwise import DecisionForest
from setwise.datasets import load
data = load("mediamill").train()
rows = slice(None if sys.argv[1] == "None" else int(sys.argv[1]))
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
DecisionForest(int(sys.argv[2]), random_state=0).fit(data.X[rows], data.Y[rows])
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20, before, *data.X[rows].shape)
"""


def run(rows: int | None) -> Iterator[Line]:
    """Measure the memory of a fit to mediamill's training part, then fit and predict with as many trees."""
    # First, as a new process inherits the peak of the one that starts it.
    yield _memory(rows)
    for name in DATA:
        yield from compare(name, rows)


def compare(name: str, rows: int | None) -> Iterator[Line]:
    """Processor seconds of both on one data set; the choices out of bag are part of our fit."""
    data = load(name)
    train, test = (data.train(), data.test()) if data.split is not None else (data, data)
    X, Y, new = train.X[:rows], train.Y[:rows], test.X[:rows]
    ours: Any = DecisionForest(N_TREES, max_features="sqrt", random_state=0)
    theirs: Any = ExtraTreesClassifier(N_TREES, bootstrap=True, random_state=0)
    size = f"{N_TREES} trees, X is {X.shape[0]} x {X.shape[1]}, {Y.shape[1]} labels"
    for what, rows_of in (("fit", (X, Y)), ("predict", (new,))):
        calls = (functools.partial(getattr(model, what), *rows_of) for model in (ours, theirs))
        a, b = (processor_seconds(call)[0] for call in calls)
        yield Line(
            f"{what}, decision forest on {name}",
            f"{a:.2f} s",
            f"{b:.2f} s",
            f"{b / a:.1f}x",
            "at least as fast",
            size,
            b / a,
        )


def _memory(rows: int | None) -> Line:
    done = subprocess.run(
        [sys.executable, "-c", FIT, str(rows), str(N_TREES)], capture_output=True, text=True, check=True
    )
    peak, before, n, d = done.stdout.split()
    note = f"X is {n} x {d}; {float(before):.2f} GB before the fit"
    return Line(
        "peak memory, decision forest on mediamill", f"{float(peak):.2f} GB", "-", "-", "below 1 GB", note
    )
