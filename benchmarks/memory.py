"""Peak memory of fitting, each fit in a separate process."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator

from benchmarks.timing import Line

FIT = """
import resource, sys
from setwise import BinaryRelevance
from setwise.datasets import load
data = load(sys.argv[1])
rows = slice(None if sys.argv[2] == "None" else int(sys.argv[2]))
X, Y = (data.train() if data.split is not None else data).X[rows], data.Y
BinaryRelevance().fit(X, Y[: X.shape[0]])
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20, *X.shape)
"""

LIMITS = {"rcv1subset1": 1.5, "mediamill": 2.0}


def run(rows: int | None) -> Iterator[Line]:
    """``BinaryRelevance().fit`` with its defaults."""
    for name, limit in LIMITS.items():
        done = subprocess.run(
            [sys.executable, "-c", FIT, name, str(rows)], capture_output=True, text=True, check=True
        )
        peak, n, d = done.stdout.split()
        yield Line(
            f"peak memory, BinaryRelevance on {name}",
            f"{float(peak):.2f} GB",
            "-",
            "-",
            f"below {limit} GB",
            f"X is {n} x {d}; dense it would have {float(n) * float(d) * 8 / 2**30:.2f} GB",
            limit / float(peak),
        )
