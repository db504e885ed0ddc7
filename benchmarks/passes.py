"""``python -m benchmarks.passes``: the two passes that fits of sparse text spend their time in, by number of problems.

A product of a sparse matrix of bibtex's size with coefficients, and a direction of L-BFGS, in single precision, on one
thread: the least processor time of several. An interpreter with an earlier state runs this file as well.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse as sp

from setwise.kernels import implementation, set_threads

ROWS, COLUMNS, FILLED = 7395, 1836, 0.0374
PROBLEMS = (159, 128, 100, 53, 31, 20)
PAIRS = (24, 10)
REPEATS = 12


def milliseconds(work: Callable[[], Any]) -> float:
    """The least processor time of some repetitions."""
    spent = []
    for _ in range(REPEATS):
        start = time.process_time()
        work()
        spent.append(time.process_time() - start)
    return 1e3 * min(spent)


def product(X: Any, n_problems: int) -> float:
    """Multiply by coefficients of that many problems."""
    coef, out = np.ones((COLUMNS, n_problems), np.float32), np.zeros((ROWS, n_problems), np.float32)
    return milliseconds(lambda: implementation.csr_add_product(X.data, X.indices, X.indptr, coef, out))


def direction(n_problems: int, n_pairs: int) -> float:
    """Find the directions of that many problems, each with pairs of its own."""
    rng = np.random.default_rng(0)
    steps = rng.normal(size=(n_pairs, COLUMNS + 1, n_problems)).astype(np.float32)
    gradient, one = rng.normal(size=(COLUMNS + 1, n_problems)), np.ones(n_problems)
    rho, order = np.full((n_pairs, n_problems), 0.5 / COLUMNS), np.arange(n_pairs, dtype=np.int32)
    memory = gradient, steps, 2.0 * steps, rho, order, gradient
    diagonal = np.ones(COLUMNS + 1), one, one, COLUMNS, one, np.arange(n_problems + 1, dtype=np.int32)
    return milliseconds(lambda: implementation.lbfgs_direction(*memory, *diagonal))


def main() -> None:
    """Print the table."""
    set_threads(1)
    X = sp.random_array((ROWS, COLUMNS), density=FILLED, rng=0, dtype=np.float32, format="csr")
    titles = ["problems", "product, ms", *(f"direction of {n} pairs, ms" for n in PAIRS)]
    print(f"| {' | '.join(titles)} |\n{'|---' * len(titles)}|")
    for n in PROBLEMS:
        times = [product(X, n), *(direction(n, pairs) for pairs in PAIRS)]
        print(f"| {n} | {' | '.join(f'{value:.1f}' for value in times)} |", flush=True)


if __name__ == "__main__":
    main()
