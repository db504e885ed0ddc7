"""The searches for the mode of a mixture of trees: certified, by dual decomposition, and by annealing.

``python -m benchmarks.published_modes [--rows 300]``. Every search answers for the same rows of the same mixtures.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterator
from functools import partial
from typing import NamedTuple

import numpy as np
from threadpoolctl import threadpool_limits

from setwise import MixtureOfTrees
from setwise.contract import Mode
from setwise.datasets import load
from setwise.distributions import ForestMixture
from setwise.kernels import set_threads

DATA = ("emotions", "scene", "image135", "yeast")
TREES = 5
ITERATIONS = (50, 200, 1000)
"""Subgradient steps of dual decomposition."""


class Search(NamedTuple):
    """What a search found: shares of rows, and its processor time per row."""

    certified: float
    right: float
    milliseconds: float


def searches(joint: ForestMixture) -> Iterator[tuple[str, Search]]:
    """Compare the searches with the certified mode, in probability: sets can be equally probable."""
    exact = joint.mode()
    assert exact.certified.all()
    yield "certified search", _measured(joint.take(np.arange(joint.n_rows)).mode, exact)
    for n_iter in ITERATIONS:
        decomposed = partial(joint.decomposed_mode, n_iter=n_iter)
        yield f"dual decomposition, {n_iter} steps", _measured(decomposed, exact)
    yield "annealing, 150 changes", _measured(joint.annealed_mode, exact)


def _measured(search: Callable[[], Mode], exact: Mode) -> Search:
    start = time.process_time()
    found = search()
    spent = time.process_time() - start
    right = found.log_prob >= exact.log_prob - 1e-9
    return Search(float(np.mean(found.certified)), float(np.mean(right)), 1e3 * spent / len(exact.log_prob))


def main() -> None:
    """Print a table; two thirds of each data set train five trees, the first of the other rows are answered."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.published_modes", description=__doc__)
    parser.add_argument("--rows", type=int, default=300, help="rows answered")
    rows = parser.parse_args().rows
    print("| data | labels | search | certified | right | ms a row |\n|---|---|---|---|---|---|")
    set_threads(1)
    with threadpool_limits(1):
        for name in DATA:
            data = load(name)
            train = np.random.default_rng(0).permutation(len(data.Y)) < len(data.Y) * 2 // 3
            model = MixtureOfTrees.as_published(n_components=TREES, l2=10.0, random_state=0)
            joint = model.fit(data.X[train], data.Y[train]).distribution(data.X[~train][:rows])
            for search, found in searches(joint):
                print(
                    f"| {name} | {data.Y.shape[1]} | {search} | {found.certified:.1%} | {found.right:.1%} | "
                    f"{found.milliseconds:.3f} |",
                    flush=True,
                )


if __name__ == "__main__":
    main()
