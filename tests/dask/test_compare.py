"""Evaluation on a cluster: the same scores as on this machine; killed workers cost repetitions, not the run."""

import os
import signal

import numpy as np
from sklearn.base import BaseEstimator

from setwise import BinaryRelevance, ConditionalTree
from setwise.cli import main
from setwise.datasets import Dataset, write_csv
from setwise.evaluation import Cell, Protocol, run_cells

rng = np.random.default_rng(0)
FEATURES = rng.normal(size=(120, 3))
DATA = Dataset(FEATURES, FEATURES[:, :2] + rng.normal(size=(120, 2)) > 0, name="toy")


class DiesOnce(BinaryRelevance):
    """Kills its worker, if nobody was at the place before."""

    def __init__(self, place="", *, l2=1.0):
        super().__init__(l2=l2)
        self.place = place

    def fit(self, X, y, sample_weight=None):
        try:
            os.close(os.open(self.place, os.O_CREAT | os.O_EXCL))
        except FileExistsError:
            return super().fit(X, y, sample_weight)
        os.kill(os.getpid(), signal.SIGKILL)


class Dies(BaseEstimator):
    def fit(self, X, y):
        os.kill(os.getpid(), signal.SIGKILL)


def cells(**methods):
    return [Cell("toy", name, DATA, method, Protocol("folds", 3)) for name, method in methods.items()]


def test_scores_are_those_of_this_machine(client, tmp_path):
    """Red if a killed worker loses a repetition or changes it, or if a finished one is repeated."""
    methods = {"tree": ConditionalTree(l2=1.0), "dies": DiesOnce(str(tmp_path / "here"))}
    there = run_cells(cells(**methods), journal=tmp_path / "run.jsonl", client=client)
    client.wait_for_workers(2, timeout=60)
    assert (tmp_path / "here").exists()
    here = run_cells(cells(**methods), n_jobs=1)
    for mine, theirs in zip(there, here, strict=True):
        assert mine["key"] == theirs["key"]
        timeless = [n for n in theirs["scores"] if "seconds" not in n]
        assert [mine["scores"][n] for n in timeless] == [theirs["scores"][n] for n in timeless]
    seen = []
    again = run_cells(
        cells(**methods), journal=tmp_path / "run.jsonl", client=client, watch=lambda *a: seen.append(a)
    )
    assert again == there
    assert not seen


def test_a_task_that_kills_every_worker_is_a_failure(client):
    """Red if such a task is tried for ever, or stops the others."""
    client.run_on_scheduler(lambda dask_scheduler: setattr(dask_scheduler, "allowed_failures", 0))
    try:
        records = run_cells(
            [*cells(dies=Dies())[:1], *cells(good=BinaryRelevance(l2=1.0))], client=client, seconds=300
        )
    finally:
        client.run_on_scheduler(lambda dask_scheduler: setattr(dask_scheduler, "allowed_failures", 3))
    client.wait_for_workers(2, timeout=60)
    errors = [record.get("error", "") for record in records if record["method"] == "dies"]
    assert errors
    assert all("the workers died" in error for error in errors)


def test_the_command(client, tmp_path, capsys, monkeypatch):
    """Red if the address is ignored, or if a file is expected on the workers."""
    monkeypatch.setattr("setwise.dask.rounds.CONNECT", 2.0)
    write_csv(DATA, tmp_path / "toy.csv")
    compare = ["compare", str(tmp_path / "toy.csv"), "--labels", "-2", "--folds", "2", "--methods", "br"]
    assert main([*compare, "--dask", client.scheduler.address]) == 0
    assert "BinaryRelevance" in capsys.readouterr().out
    assert main([*compare, "--dask", "tcp://127.0.0.1:1"]) == 1
    said = capsys.readouterr().err
    assert "no Dask scheduler answers at 'tcp://127.0.0.1:1'" in said
    assert "dask scheduler" in said
