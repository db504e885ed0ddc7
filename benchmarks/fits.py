"""``python -m benchmarks.fits``: what each estimator's defaults cost to fit, as a ratio to binary relevance.

Processor time of one thread on yeast, in one run: the column of docs/choosing.md. ``--methods`` chooses.
"""

from __future__ import annotations

import argparse
import datetime
import platform

import numpy as np
import sklearn
from threadpoolctl import threadpool_limits

from benchmarks.timing import cpu_seconds
from setwise.datasets import Dataset, load
from setwise.evaluation import METHODS
from setwise.kernels import set_threads

METHOD = "BinaryRelevance"
"""What the others are compared with."""
QUICK = 1.0
"""Fits of fewer seconds are repeated, and the least time is taken."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    ours = [name for name in METHODS if not name.startswith("sklearn")]
    parser.add_argument("--methods", nargs="*", default=ours, choices=ours)
    options = parser.parse_args()
    versions = (
        f"Python {platform.python_version()}, NumPy {np.__version__}, scikit-learn {sklearn.__version__}"
    )
    print(
        f"{datetime.date.today()}, one thread; {versions}\n\n| method | fit, s | times {METHOD} |\n|---|---|---|"
    )
    set_threads(1)
    with threadpool_limits(1):
        data = load("yeast")
        unit = fit_seconds(METHOD, data)
        for name in options.methods:
            cost = unit if name == METHOD else fit_seconds(name, data)
            print(f"| {name} | {cost:.2f} | {cost / unit:.{0 if cost > 10 * unit else 1}f} |", flush=True)


def fit_seconds(name: str, data: Dataset) -> float:
    """Processor seconds of a fit with the method's defaults."""
    once = cpu_seconds(lambda: METHODS[name].build().fit(data.X, data.Y), 1)
    return once if once > QUICK else min(once, cpu_seconds(lambda: METHODS[name].build().fit(data.X, data.Y)))


if __name__ == "__main__":
    main()
