"""How well the automatic choice keeps its budget on a machine that is busy with other work.

    python -m benchmarks.budget [--only NAME ...] [--seconds 60] [--busy 2]

Wall seconds of the fit, beside processes that compute all the time, and what was chosen.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import time
import warnings

from setwise import AutoSetClassifier
from setwise.datasets import load

SPIN = "while True: pass"


def main() -> None:
    """Print a line for each data set."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--only", nargs="+", default=["genbase", "yahoo_business", "delicious", "imdb"])
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--busy", type=int, default=2)
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    busy = [subprocess.Popen([sys.executable, "-c", SPIN]) for _ in range(options.busy)]
    try:
        for name in options.only:
            data = load(name)
            start, own = time.perf_counter(), time.process_time()
            model = AutoSetClassifier(time_budget=options.seconds, random_state=0).fit(data.X, data.Y)
            wall, own = time.perf_counter() - start, time.process_time() - own
            load_average = os.getloadavg()[0]
            print(
                f"{name}: {wall:.1f} s of {options.seconds:.0f} ({own:.1f} of the processor, load {load_average:.0f}), "
                f"fitted to {model.n_rows_} of {data.X.shape[0]} rows; {model.reason_}",
                flush=True,
            )
    finally:
        for process in busy:
            process.kill()


if __name__ == "__main__":
    main()
