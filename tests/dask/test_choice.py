"""The automatic choice on a cluster: the same as in one process, also if a worker is killed in the middle."""

import os
import signal

import numpy as np
import pytest
from sklearn.base import clone

from setwise import AutoSetClassifier, BinaryRelevance, ClassifierChain, ConditionalTree, LabelPowerset, NaiBX
from setwise.dask import DaskSetClassifier, choosing_on
from setwise.dask.trials import TrialsOnWorkers


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 4))
    first = X[:, 0] + rng.normal(size=400) > 0
    return X, np.column_stack([first, first ^ (rng.random(400) < 0.2), X[:, 1] > 0]).astype(np.int8)


@pytest.mark.parametrize("budget", [{"effort": 4.0}, {"time_budget": None}], ids=["effort", "all"])
def test_the_choice_is_that_of_one_process(client, table, monkeypatch, budget):
    """Red if a trial gets other rows, if an order of arrival decides, or if a killed worker costs a candidate."""
    given = [
        NaiBX(),
        BinaryRelevance(l2=1.0),
        ClassifierChain(l2=1.0),
        ConditionalTree(l2=1.0),
        LabelPowerset(),
    ]
    auto = AutoSetClassifier(given, random_state=0, **budget)
    here = clone(auto).fit(*table)
    asked, verdict = [], TrialsOnWorkers.verdict

    def watched(self, key, allowed):
        asked.append(key)
        if len(asked) == 4:
            os.kill(next(iter(client.run(os.getpid).values())), signal.SIGKILL)
        return verdict(self, key, allowed)

    monkeypatch.setattr(TrialsOnWorkers, "verdict", watched)
    with choosing_on(client):
        there = clone(auto).fit(*table)
    client.wait_for_workers(2, timeout=60)
    assert len(asked) > 4
    names = ("name", "log_loss", "rows", "status")
    ours, theirs = ([[row[name] for name in names] for row in m.leaderboard_] for m in (there, here))
    assert ours == theirs
    assert np.array_equal(there.predict_proba(table[0]), here.predict_proba(table[0]))


def test_a_candidate_that_cannot_be_fitted_is_left_out(client, table):
    """Red if an error of a trial ends the search."""
    X, Y = table
    auto = AutoSetClassifier([BinaryRelevance(l2=1.0), BinaryRelevance(l2=-1.0)], effort=4.0)
    with choosing_on(client):
        auto.fit(X, Y)
    assert any(row["status"].startswith("failed: l2 is -1") for row in auto.leaderboard_)


def test_a_client_survives_cloning(client):
    """Red if scikit-learn copies the connection."""
    assert clone(DaskSetClassifier(BinaryRelevance(), client)).client is client
