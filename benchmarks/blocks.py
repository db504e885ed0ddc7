"""Fits to memory-mapped rows: seconds, passes over the rows, bytes of the sums, and peak resident memory.

``python -m benchmarks.blocks --rows 20000000 --model br tree cbm``. The rows are generated and written to a temporary
folder, 8 GB in single precision for 20 million rows of 100 features; it is deleted at the end. Each fit runs in a
process of its own, so that its peak memory is its own.
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from setwise import BinaryRelevance, ConditionalBernoulliMixture, ConditionalTree
from setwise.blocks import StreamedBlocks
from setwise.blockwise import fit_in_blocks
from setwise.blockwise.memory import bytes_of, rows_within
from setwise.blockwise.sources import array_blocks

CHUNK = 100_000
MODELS: dict[str, Any] = {
    "br": BinaryRelevance(),
    "tree": ConditionalTree(),
    "cbm": ConditionalBernoulliMixture(10, l2=10.0, gate_l2=10.0, tuning=False, max_iter=3, random_state=0),
}


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


def fit(folder: Path, shape: tuple[int, int, int], model: str, limit: str, sample_rows: int) -> None:
    """Fit one model and print what it took."""
    n, d, L = shape
    X = np.memmap(folder / "X", np.float32, "r", shape=(n, d))
    Y = np.memmap(folder / "Y", np.int8, "r", shape=(n, L))
    blocks = array_blocks(X, Y, None, rows_within(bytes_of(limit), d, L))
    visits = 0

    def counted(load: Any) -> Any:
        def visit() -> Any:
            nonlocal visits
            visits += 1
            return load()

        return visit

    wall, work = time.perf_counter(), time.process_time()
    fitted = fit_in_blocks(
        MODELS[model], StreamedBlocks(tuple(map(counted, blocks.loaders))), sample_rows=sample_rows
    )
    wall, work = time.perf_counter() - wall, time.process_time() - work
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    head = slice(0, min(n, 10_000))
    log_loss = -fitted.log_prob(np.asarray(X[head]), np.asarray(Y[head])).mean()
    print(
        f"{model}: {n} rows, {len(blocks.loaders)} blocks, {visits / len(blocks.loaders):.0f} passes, {wall:.0f} s, "
        f"{work:.0f} s of processor, peak {peak:.2f} GB, log-loss {log_loss:.4f}",
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
    parser.add_argument("--folder", type=Path, help="of rows that are already written")
    options = parser.parse_args()
    shape = options.rows, options.features, options.labels
    if options.folder:
        fit(options.folder, shape, options.model[0], options.memory, options.sample_rows)
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
