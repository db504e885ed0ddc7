"""Dask arrays and dataframes as blocks, one for each partition."""

from __future__ import annotations

from typing import Any

import dask
import dask.array as da
import numpy as np
from distributed import Client

from setwise.dask.blocks import DaskBlocks
from setwise.dask.rounds import Traffic, check_client


def is_frame(X: Any) -> bool:
    """Check whether a Dask collection is a dataframe."""
    return hasattr(X, "map_partitions") and hasattr(X, "columns")


def partitions(X: Any) -> list[Any]:
    """Split a Dask collection into its partitions of rows."""
    if isinstance(X, da.Array):
        whole = X if X.ndim == 1 or X.numblocks[1] == 1 else X.rechunk({1: -1})
        return list(whole.to_delayed().ravel())
    return list(X.to_delayed())


def check_collection(X: Any, name: str) -> None:
    """Raise a TypeError unless ``X`` is a Dask array or dataframe."""
    if not isinstance(X, da.Array) and not hasattr(X, "to_delayed"):
        raise TypeError(
            f"{name} is a {type(X).__name__}; expected a Dask array or dataframe. Use the estimator itself for rows in "
            "memory"
        )


def dask_blocks(client: Client, X: Any, y: Any, weights: Any = None) -> DaskBlocks:
    """Compute the partitions of collections on the workers, and keep them there.

    Parameters
    ----------
    client : distributed.Client
    X : Dask array or dataframe of n rows and d columns
    y : Dask array or dataframe of n rows and L columns
    weights : Dask array or series of n values, optional

    Returns
    -------
    DaskBlocks
        Each block has its number, features, labels and weights or None.
    """
    check_client(client)
    named = {"X": X, "y": y} | ({} if weights is None else {"sample_weight": weights})
    for name, collection in named.items():
        check_collection(collection, name)
    y, weights = (_aligned(X, other) for other in (y, weights))
    columns = [partitions(c) for c in (X, y, weights) if c is not None]
    sizes = dict(zip(named, map(len, columns)))
    if len(set(sizes.values())) > 1:
        raise ValueError(
            f"the collections have different numbers of partitions: {sizes}; repartition them alike"
        )
    blocks = [dask.delayed(_block, pure=False)(number, *part) for number, part in enumerate(zip(*columns))]
    futures = client.compute(blocks)
    n_workers = max(1, len(client.scheduler_info(n_workers=-1)["workers"]))
    return DaskBlocks(client, [(future,) for future in futures], Traffic(n_workers))


def _aligned(X: Any, other: Any) -> Any:
    """Give an array the row partitions of ``X``, if both know theirs."""
    if not (isinstance(X, da.Array) and isinstance(other, da.Array)):
        return other
    if np.isnan([*X.chunks[0], *other.chunks[0]]).any() or X.chunks[0] == other.chunks[0]:
        return other
    if sum(X.chunks[0]) != sum(other.chunks[0]):
        raise ValueError(
            f"X has {sum(X.chunks[0])} rows but y has {sum(other.chunks[0])}: inconsistent numbers of samples"
        )
    return other.rechunk({0: X.chunks[0]})


def _block(number: int, X: Any, y: Any, weights: Any = None) -> tuple[Any, ...]:
    return number, X, y, weights
