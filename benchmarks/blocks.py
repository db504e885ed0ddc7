"""Fits to memory-mapped rows: seconds, passes over the rows, bytes of the sums, and peak resident memory.

``python -m benchmarks.blocks --rows 20000000 --model br tree cbm``. The rows are generated and written to a temporary
folder, 8 GB in single precision for 20 million rows of 100 features; it is deleted at the end. Each fit runs in a
process of its own, so that its peak memory is its own.
"""

from __future__ import annotations

import argparse
import pickle
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

import cloudpickle
import numpy as np

from setwise import BinaryRelevance, ConditionalBernoulliMixture, ConditionalTree
from setwise.blocks import StreamedBlocks
from setwise.blockwise import fit_in_blocks
from setwise.blockwise.memory import bytes_of, rows_within
from setwise.blockwise.sources import array_blocks

CHUNK = 100_000
Part = TypeVar("Part")
MODELS: dict[str, Any] = {
    "br": BinaryRelevance(),
    "tree": ConditionalTree(),
    "cbm": ConditionalBernoulliMixture(10, l2=10.0, gate_l2=10.0, tuning=False, random_state=0),
}


@dataclass(frozen=True)
class WatchedBlocks(StreamedBlocks):
    """Blocks that say at each pass how far the fit is, and note the bytes that a cluster would move for a block."""

    sizes: list[tuple[int, int]] = field(default_factory=list)

    def map(self, function: Callable[..., Part]) -> Iterator[Part]:
        """Make a pass; note the bytes of the function and of its largest result."""
        sent, largest, began = len(cloudpickle.dumps(function)), 0, time.perf_counter()
        for part in super().map(function):
            largest = max(largest, len(pickle.dumps(part)))
            yield part
        self.sizes.append((sent, largest))
        name = getattr(function, "func", function).__name__
        seconds = time.perf_counter() - began
        print(
            f"pass {len(self.sizes)}: {name}, {seconds:.1f} s, {sent} B to a block, {largest} B back",
            flush=True,
        )


def chunks(n_rows: int, n_features: int, n_labels: int) -> Iterator[tuple[Any, Any]]:
    """Rows of normal features; a label follows from the features, and from the label before it."""
    rng = np.random.default_rng(0)
    coef = rng.normal(size=(n_features, n_labels)).astype(np.float32) / np.sqrt(n_features)
    for first in range(0, n_rows, CHUNK):
        size = min(CHUNK, n_rows - first)
        X = rng.standard_normal((size, n_features), np.float32)
        Y = (X @ coef - 1.0 + rng.standard_normal((size, n_labels), np.float32) > 0).astype(np.int8)
        Y[:, 1::2] |= Y[:, ::2][:, : Y[:, 1::2].shape[1]]
        yield X, Y


def write(folder: Path, n_rows: int, n_features: int, n_labels: int) -> None:
    """Write the rows as two files of plain numbers."""
    with open(folder / "X", "wb") as features, open(folder / "Y", "wb") as labels:
        for X, Y in chunks(n_rows, n_features, n_labels):
            X.tofile(features)
            Y.tofile(labels)


def fit(folder: Path, shape: tuple[int, int, int], model: str, options: argparse.Namespace) -> None:
    """Fit one model and print what it took."""
    n, d, L = shape
    X = np.memmap(folder / "X", np.float32, "r", shape=(n, d))
    Y = np.memmap(folder / "Y", np.int8, "r", shape=(n, L))
    loaders = array_blocks(X, Y, None, rows_within(bytes_of(options.memory), d, L)).loaders
    blocks = WatchedBlocks(loaders)
    estimator = MODELS[model]
    if model == "cbm":
        estimator.set_params(max_iter=options.iterations)
    wall, work = time.perf_counter(), time.process_time()
    fitted = fit_in_blocks(estimator, blocks, sample_rows=options.sample_rows)
    wall, work = time.perf_counter() - wall, time.process_time() - work
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    head = slice(0, min(n, 10_000))
    log_loss = -fitted.log_prob(np.asarray(X[head]), np.asarray(Y[head])).mean()
    passes, largest = len(blocks.sizes), max(blocks.sizes)
    print(
        f"{model}: {n} rows, {len(loaders)} blocks, {passes} passes, {wall:.0f} s, {work:.0f} s of processor, "
        f"peak {peak:.2f} GB, log-loss {log_loss:.4f}; the largest round sends {largest[0] / 1e3:.0f} KB to a block "
        f"and gets {largest[1] / 1e3:.0f} KB from it",
        flush=True,
    )


def main() -> None:
    """Write the rows, and start a process for each fit."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=20_000_000)
    parser.add_argument("--features", type=int, default=100)
    parser.add_argument("--labels", type=int, default=50)
    parser.add_argument("--memory", default="2GB")
    parser.add_argument("--sample-rows", type=int, default=20_000)
    parser.add_argument("--model", nargs="+", choices=list(MODELS), default=["br"])
    parser.add_argument("--iterations", type=int, default=3, help="of EM on all rows")
    parser.add_argument("--folder", type=Path, help="of rows that are already written")
    options = parser.parse_args()
    shape = options.rows, options.features, options.labels
    if options.folder:
        fit(options.folder, shape, options.model[0], options)
        return
    with tempfile.TemporaryDirectory() as folder:
        write(Path(folder), *shape)
        for model in options.model:
            again = [
                sys.executable,
                "-m",
                "benchmarks.blocks",
                *sys.argv[1:],
                "--folder",
                folder,
                "--model",
                model,
            ]
            subprocess.run(again, check=True)


if __name__ == "__main__":
    main()
