"""Workers that are killed in the middle of a fit: it ends, with the same result; or it says why it cannot."""

import os
import signal
import subprocess
import sys

import dask.array as da
import numpy as np
import pytest
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
from setwise.dask import DaskSetClassifier
from setwise.dask.blocks import DaskBlocks
from setwise.dask.rounds import ClusterError

FAMILIES = {
    "br": BinaryRelevance(l2=2.0),
    "chain": ClassifierChain(l2=2.0),
    "cdn": ConditionalDependencyNetwork(l2=2.0, n_samples=20, n_burn_in=5, n_keep=5, random_state=0),
    "tree": ConditionalTree(l2=2.0),
    "naibx": NaiBX("gaussian"),
    "cbm": ConditionalBernoulliMixture(2, l2=2.0, gate_l2=1.0, tuning=False, max_iter=2, random_state=0),
    "mc": MixtureOfTrees(2, l2=2.0, n_mixtures=1, max_iter=2, random_state=0),
    "ml-me": MixtureOfTreeExperts(2, l2=2.0, gate_l2=1.0, n_mixtures=1, max_iter=2, random_state=0),
}


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(600, 5))
    return X, (X[:, :4] + X[:, 1:] + rng.normal(size=(600, 4)) > 0).astype(np.int8)


@pytest.fixture
def at_round(monkeypatch):
    """Calls a function while the tasks of a given round run; returns a list that grows by one with each round."""
    submit = DaskBlocks._submit

    def plan(number, function):
        begun = []

        def submitted(self, *asked):
            futures = submit(self, *asked)
            begun.append(asked)
            if len(begun) == number:
                function()
            return futures

        monkeypatch.setattr(DaskBlocks, "_submit", submitted)
        return begun

    return plan


def fitted(client, estimator, table):
    rows, labels = (da.from_array(a, chunks=(100, a.shape[1])) for a in table)
    return DaskSetClassifier(estimator, client, sample_rows=200).fit(rows, labels).to_local()


def ends_equal(client, table, at_round, name, kill):
    """Kill a worker in a round of a fit; each kill of a family is in another place."""
    rounds = at_round(0, None)
    truth = fitted(client, FAMILIES[name], table).predict_proba(table[0])
    client.wait_for_workers(2, timeout=60)
    victim, struck = list(client.run(os.getpid).values())[kill % 2], []

    def strike():
        os.kill(victim, signal.SIGKILL)
        struck.append(victim)

    begun = at_round(1 + kill * len(rounds) // 10, strike)
    model = fitted(client, FAMILIES[name], table)
    assert struck
    assert len(begun) == len(rounds)
    assert np.array_equal(model.predict_proba(table[0]), truth)


def survives(table, at_round, name, kill):
    """A cluster for each kill, as Dask may not start a killed worker again on a busy machine."""
    options = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": None}
    with LocalCluster(host="127.0.0.1", **options) as cluster, Client(cluster) as client:
        ends_equal(client, table, at_round, name, kill)


@pytest.mark.parametrize(("name", "kill"), [("tree", 8), ("cbm", 9)])
def test_a_killed_worker_costs_no_fit(table, at_round, name, kill):
    """Red if a fit waits for a worker that is gone, or forgets its rows or their responsibilities."""
    survives(table, at_round, name, kill)


@pytest.mark.slow
@pytest.mark.parametrize("kill", range(10))
@pytest.mark.parametrize("name", FAMILIES)
def test_every_family_survives_ten_kills(table, at_round, name, kill):
    """Red as above, in any round of any family."""
    survives(table, at_round, name, kill)


def test_without_any_worker_a_checkpoint_continues(client, table, at_round, monkeypatch, tmp_path):
    """Red if a fit waits for workers that never come again, or if the next one repeats the iterations of EM."""
    monkeypatch.setattr("setwise.dask.rounds.PATIENCE", 1.0)
    monkeypatch.setattr("setwise.dask.rounds.LOOK", 0.2)
    rounds = at_round(0, None)
    truth = fitted(client, FAMILIES["cbm"], table)
    estimator = clone(FAMILIES["cbm"]).set_params(checkpoint=tmp_path)
    options = {"n_workers": 0, "host": "127.0.0.1", "dashboard_address": None}
    with LocalCluster(**options) as empty, Client(empty) as alone:
        command = [sys.executable, "-m", "distributed.cli.dask_worker", alone.scheduler.address]
        command += ["--no-nanny", "--nthreads", "1", "--no-dashboard", "--host", "127.0.0.1"]

        def with_worker(function):
            worker = subprocess.Popen(command, stderr=subprocess.DEVNULL)
            try:
                alone.wait_for_workers(1, timeout=60)
                return function(worker)
            finally:
                worker.kill()
                worker.wait()

        def dies(worker):
            at_round(len(rounds) - 2, worker.kill)
            with pytest.raises(
                ClusterError, match="has had no worker for 1 seconds; start workers and try again"
            ):
                fitted(alone, estimator, table)

        with_worker(dies)
        assert list(tmp_path.rglob("step-*.zip"))
        again = at_round(0, None)
        model = with_worker(lambda worker: fitted(alone, estimator, table))
    assert len(again) < len(rounds) - 5
    assert np.array_equal(model.predict_proba(table[0]), truth.predict_proba(table[0]))
    assert not list(tmp_path.iterdir())
