"""Tables larger than memory: encoded once, into files of a folder from which blocks are loaded."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

from setwise.blocks import StreamedBlocks
from setwise.datasets import Dataset
from setwise.kernels.matrices import is_sparse, to_dense


@dataclass(frozen=True)
class StoredBlock:
    """Loads a block that :func:`stored_blocks` wrote."""

    number: int
    path: Path

    def __call__(self) -> tuple[Any, ...]:
        """Load its number, features and labels."""
        dense = self.path.with_suffix(".npy")
        X = np.load(dense) if dense.exists() else sp.load_npz(self.path.with_suffix(".npz"))
        return self.number, X, np.load(self.path.with_suffix(".labels.npy")), None


def stored_blocks(parts: Iterable[Dataset], folder: Path) -> StreamedBlocks:
    """Write data sets to a folder, one file each, as blocks that are loaded when they are visited.

    Parameters
    ----------
    parts : iterable of Dataset
        With the same columns and labels.
    folder : Path

    Returns
    -------
    StreamedBlocks
        Each block has its number, features, labels, and None for weights.

    Examples
    --------
    >>> import tempfile
    >>> parts = (Dataset([[float(i)]], [[i]]) for i in range(2))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     blocks = stored_blocks(parts, Path(folder))
    ...     list(blocks.map(lambda number, X, Y, w: (number, X.tolist())))
    [(0, [[0.0]]), (1, [[1.0]])]
    """
    paths = []
    for number, part in enumerate(parts):
        paths.append(folder / str(number))
        if is_sparse(part.X):
            sp.save_npz(paths[-1].with_suffix(".npz"), part.X, compressed=False)
        else:
            np.save(paths[-1].with_suffix(".npy"), part.X)
        np.save(paths[-1].with_suffix(".labels.npy"), to_dense(part.Y))
    return StreamedBlocks(tuple(StoredBlock(number, path) for number, path in enumerate(paths)))
