"""Fits on two worker processes of one thread each, beside a fit in memory of one process: time, rounds and bytes.

``python -m benchmarks.cluster imdb --models br tree``. Penalties and components are given, so that
both fits do the same; a third one, in blocks of one process, makes the choices of the cluster on the same sample.
``python -m benchmarks.cluster`` without data measures what a round costs by itself.
"""

from __future__ import annotations

import argparse
import itertools
import os
import time
from functools import partial
from typing import Any

import dask
import dask.array as da
import numpy as np
import scipy.sparse as sp
from distributed import Client, LocalCluster
from sklearn.base import clone

from setwise import (
    BinaryRelevance,
    ClassifierChain,
    ConditionalBernoulliMixture,
    ConditionalDependencyNetwork,
    ConditionalTree,
    MixtureOfTreeExperts,
    MixtureOfTrees,
    NaiBX,
)
from setwise.blockwise import BlockwiseSetClassifier
from setwise.dask import DaskSetClassifier
from setwise.dask.blocks import DaskBlocks
from setwise.datasets import load
from setwise.kernels import set_threads
from setwise.kernels.matrices import to_dense

LINEAR: dict[str, Any] = {"l2": 10.0, "unit_rows": False}
MIXED: dict[str, Any] = {"l2": 10.0, "max_iter": 5, "random_state": 0}
MODELS: dict[str, Any] = {
    "br": BinaryRelevance(**LINEAR),
    "chain": ClassifierChain(**LINEAR),
    "cdn": ConditionalDependencyNetwork(random_state=0, **LINEAR),
    "tree": ConditionalTree(**LINEAR),
    "naibx": NaiBX("bernoulli"),
    "cbm": ConditionalBernoulliMixture(5, gate_l2=10.0, tuning=False, **MIXED),
    "mc": MixtureOfTrees(2, n_mixtures=1, **MIXED),
    "mlme": MixtureOfTreeExperts(2, gate_l2=10.0, n_mixtures=1, **MIXED),
}
WORKERS: dict[str, Any] = {
    "n_workers": 2,
    "threads_per_worker": 1,
    "host": "127.0.0.1",
    "dashboard_address": None,
}
ROUNDS = 5
QUESTIONS = slice(0, 2000)
"""Rows whose answers are compared."""


def main() -> None:
    """Print a line of the table for each model."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", nargs="?")
    parser.add_argument("--models", nargs="+", choices=list(MODELS), default=list(MODELS))
    parser.add_argument("--partitions", type=int, default=8)
    parser.add_argument("--sample-rows", type=int, default=5000)
    parser.add_argument("--threads", type=int, default=2, help="of the process without a cluster")
    options = parser.parse_args()
    if options.data is None:
        rounds()
        return
    X, Y = load(options.data).X, to_dense(load(options.data).Y)
    set_threads(options.threads)
    print(f"{options.data}: {X.shape[0]} rows, {X.shape[1]} features, {Y.shape[1]} labels", flush=True)
    for model in options.models:
        with LocalCluster(**WORKERS) as cluster, Client(cluster) as client:
            print(line(model, client, X, Y, options), flush=True)


def rounds() -> None:
    """Print what a round takes whose blocks need no work, for parameters of 40 and 400 KB."""
    with LocalCluster(**WORKERS) as cluster, Client(cluster) as client:
        for n_blocks, size in itertools.product((8, 80, 800), (5_000, 50_000)):
            made = client.map(_block, range(n_blocks))
            blocks = DaskBlocks(client, [(future,) for future in made])
            function = partial(_same, coef=np.zeros(size))
            blocks.total(function)
            wall, work = time.perf_counter(), time.process_time()
            for _ in range(ROUNDS):
                blocks.total(function)
            wall, work = (time.perf_counter() - wall) / ROUNDS, (time.process_time() - work) / ROUNDS
            print(
                f"| {n_blocks} | {size * 8 // 1000} KB | {1e3 * wall:.0f} ms | {1e3 * work:.0f} ms |",
                flush=True,
            )


def _block(number: int) -> tuple[Any, ...]:
    return (np.zeros(3),)


def _same(block: Any, coef: Any) -> Any:
    return coef


def line(name: str, client: Client, X: Any, Y: Any, options: argparse.Namespace) -> str:
    """Fit a model on the cluster and in this process."""
    size = -(-X.shape[0] // options.partitions)
    rows = partitioned(X, size)
    client.gather(client.map(lambda i: os.getpid(), range(2)))
    wall, work = time.perf_counter(), processor(client)
    model = DaskSetClassifier(MODELS[name], client, sample_rows=options.sample_rows)
    model.fit(rows, da.from_array(Y, chunks=(size, Y.shape[1])))
    wall, work = time.perf_counter() - wall, processor(client) - work
    traffic, head = model.traffic_, X[QUESTIONS]
    answers = model.predict(partitioned(head, 500)).compute()
    local_wall, local_work = time.perf_counter(), time.process_time()
    local = clone(MODELS[name]).fit(X, Y)
    local_wall, local_work = time.perf_counter() - local_wall, time.process_time() - local_work
    blocks = BlockwiseSetClassifier(MODELS[name], memory_limit="2GB", sample_rows=options.sample_rows)
    shares = [
        (answers == other.predict(head)).all(axis=1).mean() for other in (local, blocks.fit(X, Y).to_local())
    ]
    same = " | ".join(f"{share:.3f}" for share in shares)
    out, back = (total / traffic.rounds / 1e3 for total in (traffic.out, traffic.back))
    times = " | ".join(f"{seconds:.0f} s" for seconds in (wall, work, local_wall, local_work))
    return f"| {name} | {times} | {traffic.rounds} | {out:.0f} KB | {back:.0f} KB | {same} |"


def partitioned(X: Any, size: int) -> Any:
    """Rows as a Dask array, each chunk dense or CSR as the rows are."""
    chunks = [X[first : first + size] for first in range(0, X.shape[0], size)]
    kept = [sp.csr_array(chunk) if sp.issparse(X) else np.ascontiguousarray(chunk) for chunk in chunks]
    parts = [da.from_delayed(dask.delayed(chunk), chunk.shape, X.dtype) for chunk in kept]
    return da.concatenate(parts)


def processor(client: Client) -> float:
    """Processor time of the workers and of this process."""
    return sum(client.run(time.process_time).values()) + time.process_time()


if __name__ == "__main__":
    main()
