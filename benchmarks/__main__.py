"""``python -m benchmarks``: run the benchmarks asked for and write their table."""

from __future__ import annotations

import argparse
import datetime
import os
import platform
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy
import scipy
import sklearn
from threadpoolctl import threadpool_limits

from benchmarks import comparison, forests, memory, modes, products, record, regressions, sparse
from benchmarks.timing import Line
from setwise.datasets import DataNotFound
from setwise.kernels import COMPILED, set_threads

THREADS = 2
QUICK_ROWS = 1500


def main() -> int:
    """Print lines as they come, then the table; with ``--output`` write it too."""
    options = _options()
    rows = QUICK_ROWS if options.quick else None
    suites: dict[str, Callable[[], Iterator[Line]]] = {
        "regressions": lambda: regressions.run(options.every, rows),
        "sparse": lambda: sparse.run(options.every, rows),
        "modes": lambda: modes.run(rows),
        "products": lambda: products.run(rows),
        "memory": lambda: memory.run(rows),
        "forests": lambda: forests.run(rows),
        "comparison": lambda: comparison.run(options.every, rows),
    }
    lines: list[Line] = []
    set_threads(options.threads)
    with threadpool_limits(options.threads):
        for name in options.suites or suites:
            try:
                for line in suites[name]():
                    print(
                        f"{line.name}: {line.ours} / {line.other}: {line.ratio} ({line.wanted}); {line.note}",
                        flush=True,
                    )
                    lines.append(line)
            except DataNotFound as missing:
                print(f"{name} left out: {missing}", file=sys.stderr)
    table = _table(lines, options)
    print("\n" + table)
    if options.output:
        Path(options.output).write_text(table, encoding="utf-8")
    if options.record and not options.quick:
        print(record.write(Path(options.record), lines, threads=options.threads))
    return 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument(
        "suites",
        nargs="*",
        metavar="SUITE",
        help="regressions, sparse, modes, products, memory, forests, comparison (all)",
    )
    parser.add_argument("--every", type=int, default=1, help="scikit-learn's loop on every k-th label only")
    parser.add_argument("--quick", action="store_true", help=f"only {QUICK_ROWS} rows: to see that it works")
    parser.add_argument(
        "--threads", type=int, default=THREADS, help=f"of ours and of the others' ({THREADS})"
    )
    parser.add_argument("--output", metavar="FILE", help="write the table as Markdown")
    parser.add_argument(
        "--record",
        metavar="FOLDER",
        default=str(record.FOLDER),
        help="write the run as JSON to this folder (benchmarks/runs); '' writes nothing, nor does a quick run",
    )
    return parser.parse_args()


def _count(threads: int) -> str:
    return "one thread" if threads == 1 else f"{threads} threads"


def _table(lines: list[Line], options: argparse.Namespace) -> str:
    versions = f"Python {platform.python_version()}, numpy {numpy.__version__}, scipy {scipy.__version__}"
    head = (
        f"{datetime.date.today()}, {versions}, scikit-learn {sklearn.__version__}, "
        f"{'compiled' if COMPILED else 'pure Python'} kernels, {_count(options.threads)} on {os.cpu_count()} cores"
    )
    command = " ".join(["python -m benchmarks", *sys.argv[1:]])
    rows = [f"| {x.name} | {x.ours} | {x.other} | {x.ratio} | {x.wanted} | {x.note} |" for x in lines]
    quick = "\n**Quick run on few rows: not a measurement.**\n" if options.quick else ""
    columns = "| what | ours | other | ratio | goal | note |\n|---|---|---|---|---|---|"
    return "\n".join([f"`{command}`: {head}.", quick, columns, *rows, ""])


if __name__ == "__main__":
    sys.exit(main())
