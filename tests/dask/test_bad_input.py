"""What is wrong is named, with its block, and nothing keeps running on the cluster."""

import time

import dask
import dask.array as da
import numpy as np
import pandas as pd
import pytest
from distributed import Client, LocalCluster

from setwise import BinaryRelevance
from setwise.dask import DaskSetClassifier
from setwise.dask.rounds import ClusterError

CHUNKS = (30,) * 20


@pytest.fixture
def rows():
    rng = np.random.default_rng(0)
    return rng.normal(size=(600, 3)), (rng.random((600, 2)) < 0.5).astype(np.int8)


def in_chunks(X, Y, chunks=CHUNKS):
    return da.from_array(X, chunks=(chunks, X.shape[1])), da.from_array(Y, chunks=(chunks, Y.shape[1]))


def fit_fails(client, X, Y, error, message):
    """Fit, and check the error and that the cluster is idle after it."""
    with pytest.raises(error, match=message):
        DaskSetClassifier(BinaryRelevance(l2=1.0), client, sample_rows=100).fit(X, Y)
    until = time.monotonic() + 20
    while any(client.processing().values()):
        assert time.monotonic() < until, "tasks of the failed fit are still running"
        time.sleep(0.05)


def test_a_value_that_cannot_be(client, rows):
    """Red if a round hides which block failed, or continues after it."""
    X, Y = rows
    X[17 * 30 + 4, 1] = np.nan
    fit_fails(client, *in_chunks(X, Y), ValueError, r"block 17: .*NaN: row 4, column 1")
    X, Y = rows[0], Y.copy()
    X[17 * 30 + 4, 1], Y[17 * 30 + 2, 1] = 0.0, 2
    fit_fails(client, *in_chunks(X, Y), ValueError, r"block 17: .*y is 2 in row 2, label '1'")


def test_partitions_with_other_columns(client, rows):
    """Red if columns are taken by their places although their names differ."""
    dd = pytest.importorskip("dask.dataframe")
    X, Y = rows
    parts = [pd.DataFrame(X[i : i + 200], columns=list("abc")) for i in range(0, 600, 200)]
    parts[1] = parts[1].rename(columns={"c": "d"})
    frame = dd.from_delayed([dask.delayed(part) for part in parts], meta=parts[0].iloc[:0], verify_meta=False)
    labels = dd.from_pandas(pd.DataFrame(Y, columns=["sun", "sea"]), npartitions=3)
    fit_fails(client, frame, labels, ValueError, r"(?s)block 1: .*unseen at fit time:\n- d")


def test_a_block_with_fewer_columns(client, rows):
    """Red if the first sum of such a block is what fails."""
    X, Y = rows
    narrow = [dask.delayed(X[i : i + 200, : 2 if i == 200 else 3]) for i in range(0, 600, 200)]
    parts = [da.from_delayed(part, (200, 3), float) for part in narrow]
    labels = da.from_array(Y, chunks=(200, 2))
    fit_fails(client, da.concatenate(parts), labels, ValueError, "block 1: X has 2 features")


def test_a_scheduler_that_is_gone(rows, monkeypatch):
    """Red if a fit waits for ever for a scheduler that has ended."""
    monkeypatch.setattr("setwise.dask.rounds.LOOK", 0.2)
    options = {"n_workers": 1, "processes": False, "dashboard_address": None}
    with dask.config.set({"distributed.comm.timeouts.connect": "1s"}):
        cluster = LocalCluster(**options)
        with Client(cluster) as client:
            model = DaskSetClassifier(BinaryRelevance(l2=1.0), client).fit(*in_chunks(*rows))
            cluster.close()
            with pytest.raises(ClusterError, match=r"client is (connecting|closed|closing)"):
                model.fit(*in_chunks(*rows))


def test_too_little_memory(rows):
    """Red if a block that ends every worker is tried for ever, or if the error does not name it and say what to do."""
    X, Y = rows

    def large(part):
        size = 200_000_000 if part[0, 0] == X[300, 0] else len(part)  # 1.6 GB for a worker of 0.5 GB
        return part + np.ones(size)[: len(part), None]

    settings = {
        "distributed.scheduler.allowed-failures": 0,
        "distributed.worker.memory.monitor-interval": "20ms",
    }
    options = {"n_workers": 1, "threads_per_worker": 1, "memory_limit": "500MB", "dashboard_address": None}
    with (
        dask.config.set(settings),
        LocalCluster(host="127.0.0.1", **options) as small,
        Client(small) as client,
    ):
        features, labels = in_chunks(X, Y, (300, 300))
        message = "^(block 1|one of the blocks 0, 1) .*too little memory"  # the worker had been given both
        fit_fails(client, features.map_blocks(large, dtype=float), labels, ClusterError, message)
