"""Runs that are killed, tasks that fail, workers that die: nothing is lost and nothing is done twice."""

import json
import os
import random
import signal
import subprocess
import sys
import time

import numpy as np
import pytest
from sklearn.base import BaseEstimator
from sklearn.dummy import DummyClassifier

from setwise import BinaryRelevance
from setwise.datasets import Dataset
from setwise.evaluation import Cell, Comparison, Protocol, run_cells
from setwise.evaluation.journal import Journal

RUN = """
import sys
from tests.evaluation.test_runner import sixty_cells
from setwise.evaluation import run_cells
run_cells(sixty_cells(), journal=sys.argv[1], n_jobs=1)
"""


def toy(seed=0, rows=60):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rows, 3))
    return Dataset(X, X[:, :2] + rng.normal(size=(rows, 2)) > 0, name="toy")


class Slow(DummyClassifier):
    """Takes long enough to be killed in the middle."""

    def fit(self, X, y, sample_weight=None):
        time.sleep(0.05)
        return super().fit(X, y, sample_weight)


class Dies(BaseEstimator):
    def fit(self, X, y):
        os.kill(os.getpid(), signal.SIGKILL)


class Raises(BaseEstimator):
    def fit(self, X, y):
        raise ArithmeticError("the reason")


class Chatty(DummyClassifier):
    def fit(self, X, y, sample_weight=None):
        print("estimators may print", flush=True)
        return super().fit(X, y, sample_weight)


def sixty_cells():
    methods = {"slow": Slow(strategy="stratified"), "logistic": BinaryRelevance(l2=1.0), "slow2": Slow()}
    return [
        Cell(f"toy{seed}", name, toy(seed), estimator, Protocol("folds", 10))
        for seed in range(2)
        for name, estimator in methods.items()
    ]


def scores(path):
    records = [json.loads(line) for line in path.read_text().splitlines()]
    times = ("fit_seconds", "predict_seconds")
    return {
        record["key"]: {k: v for k, v in record["scores"].items() if k not in times} for record in records
    }, len(records)


def test_ten_kills_change_nothing(tmp_path):
    """Red if a finished task is lost or done twice, or when a half-written line breaks the next run."""
    undisturbed, killed = tmp_path / "undisturbed.jsonl", tmp_path / "killed.jsonl"
    run_cells(sixty_cells(), journal=undisturbed, n_jobs=2)
    rng = random.Random(0)
    command = [sys.executable, "-c", RUN, str(killed)]
    for _ in range(10):
        before = killed.stat().st_size if killed.exists() else 0
        process = subprocess.Popen(command)
        deadline = time.monotonic() + 60
        while process.poll() is None and time.monotonic() < deadline:
            if (killed.stat().st_size if killed.exists() else 0) > before:
                break
            time.sleep(0.01)
        time.sleep(rng.uniform(0.0, 0.1))
        process.kill()
        process.wait()
        with killed.open("ab") as file:  # what a kill in the middle of a write leaves behind
            file.write(b'{"key": "toy0/sl')
    subprocess.run(command, check=True)
    (expected, n_expected), (found, n_found) = scores(undisturbed), scores(killed)
    assert n_expected == n_found == 60
    assert found == expected


def test_failures_are_records_with_their_traceback():
    cells = [
        Cell("toy", name, toy(), estimator, Protocol("folds", 2))
        for name, estimator in {"raises": Raises(), "dies": Dies(), "good": BinaryRelevance(l2=1.0)}.items()
    ]
    result = Comparison(run_cells(cells, n_jobs=1))
    errors = {record["method"]: record for record in result.failures}
    assert len(result.failures) == 4
    assert errors["raises"]["error"] == "ArithmeticError: the reason"
    assert "test_runner.py" in errors["raises"]["traceback"]
    assert errors["dies"]["error"] == "the worker died (signal 9)"
    assert result.estimate("toy", "good", "exact_match").repeats == 2


def test_failures_are_kept_or_tried_again(tmp_path):
    cells = [Cell("toy", "raises", toy(), Raises(), Protocol("folds", 2))]
    seen = []
    for retry in (False, False, True):
        run_cells(
            cells, journal=tmp_path / "j", n_jobs=1, retry=retry, watch=lambda *event: seen.append(event[1:])
        )
    assert seen == [(1, 2), (2, 2), (1, 2), (2, 2)]


def test_what_cannot_be_sent_is_a_failure():
    """A function inside a function cannot be pickled."""

    def local():
        return toy()

    [record] = run_cells([Cell("toy", "m", local, DummyClassifier(), Protocol("folds", 2))], n_jobs=1)[:1]
    assert "cannot be sent to a worker" in record["error"]


def test_printing_estimators_do_not_disturb_the_answers():
    records = run_cells([Cell("toy", "chatty", toy(), Chatty(), Protocol("folds", 2))], n_jobs=1)
    assert not any("error" in record for record in records)


def test_records_keep_memory_time_and_warnings():
    [record, _] = run_cells(
        [Cell("toy", "m", toy(), BinaryRelevance(l2=1.0), Protocol("folds", 2))], n_jobs=1
    )
    assert record["seconds"] > 0
    assert record["warnings"] == []
    assert record["peak_megabytes"] is None or 10 < record["peak_megabytes"] < 2000


def test_other_settings_are_other_tasks():
    """Red if a journal would answer for an estimator or protocol that it did not see."""
    keys = {
        Cell("toy", "m", toy(), estimator, protocol).tasks()[0].key
        for estimator in (BinaryRelevance(l2=1.0), BinaryRelevance(l2=2.0))
        for protocol in (Protocol("folds", 2), Protocol("folds", 3), Protocol("folds", 2, seed=1))
    }
    assert len(keys) == 6


def test_two_runs_cannot_share_a_journal(tmp_path):
    with Journal(tmp_path / "j"), pytest.raises(RuntimeError, match="in use by another run"):
        Journal(tmp_path / "j").__enter__()


def test_a_file_that_is_no_journal_is_refused(tmp_path):
    path = tmp_path / "notes.txt"
    for notes in ("my notes\n", "my notes\nwithout a last line end", "one line", '{"a": 1}'):
        path.write_text(notes)
        with pytest.raises(ValueError, match=r"expected a JSON record|is not a journal"):
            Journal(path).__enter__()
        assert path.read_text() == notes
