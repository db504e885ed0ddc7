"""A real cluster: two worker processes of one thread each, on this machine only."""

from multiprocessing import forkserver, set_forkserver_preload

import pytest

pytest.importorskip("distributed", reason="needs the extra dask")

import dask
from distributed import Client, LocalCluster


@pytest.fixture(scope="session", autouse=True)
def _loaded_once():
    """Workers are forked from a process that has imported everything: a cluster for each kill is cheap then."""
    set_forkserver_preload(["distributed.nanny", "dask.array", "setwise.dask"])
    forkserver.ensure_running()
    with dask.config.set({"distributed.worker.multiprocessing-method": "forkserver"}):
        yield


@pytest.fixture(scope="session")
def client():
    """A client of two worker processes, which a nanny starts again if they are killed."""
    options = {"n_workers": 2, "threads_per_worker": 1, "processes": True, "dashboard_address": None}
    with LocalCluster(host="127.0.0.1", **options) as cluster, Client(cluster) as client:
        yield client
