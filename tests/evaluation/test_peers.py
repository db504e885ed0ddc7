"""Peers in a process of their own. Tests with the interpreter at hand need no environment of the peers."""

import sys

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone

from setwise.errors import InputError
from setwise.evaluation.peers import environment, peer_classifier
from setwise.evaluation.peers.peer_classifier import PeerClassifier
from setwise.evaluation.peers.peer_program import EachLabel


@pytest.fixture
def here(monkeypatch):
    monkeypatch.setattr(peer_classifier, "peer_python", lambda: sys.executable)


@pytest.fixture
def rows():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(120, 4))
    return X, np.column_stack([X[:, 0] > 0, X[:, 0] + X[:, 1] > 0, np.zeros(120)]).astype(int)


@pytest.mark.parametrize("make", [np.asarray, sparse.csr_array], ids=["dense", "sparse"])
def test_a_peer_is_the_library_it_names(here, rows, make):
    """Red if labels, seeds or rows are mixed up on the way to the process and back."""
    from sklearn.ensemble import ExtraTreesClassifier

    X, Y = rows
    ours = PeerClassifier("ExtraTrees", 20, random_state=3).fit(make(X), Y).predict_proba(make(X[:9] + 0.1))
    single = ExtraTreesClassifier(20, random_state=3).fit(make(X.astype(np.float32)), Y[:, :2])
    theirs = [p[:, 1] for p in single.predict_proba(make((X[:9] + 0.1).astype(np.float32)))]
    least = 0.5 / 120
    assert np.allclose(ours, np.clip(np.column_stack([*theirs, np.zeros(9)]), least, 1 - least))


def test_log_prob_is_of_the_probabilities(here, rows):
    X, Y = rows
    peer = PeerClassifier("RandomForest", 5).fit(X, Y)
    p = peer.predict_proba(X)
    assert np.allclose(peer.log_prob(X, Y), np.log(np.where(Y, p, 1 - p)).sum(axis=1))
    assert np.array_equal(peer.predict(X), p > 0.5)
    assert peer.processor_seconds_ > 0


def test_a_chain_sees_the_labels_before():
    """Red if a chain is given other labels than those asked for: then the sum over all sets is not one."""
    from sklearn.linear_model import LogisticRegression

    rng = np.random.default_rng(1)
    Y = (rng.random((200, 3)) < 0.5).astype(int)
    Y[:, 2] = Y[:, 0] ^ (rng.random(200) < 0.1)
    X = rng.normal(size=(200, 2))
    chain = EachLabel(LogisticRegression(), chained=True).fit(X, Y)
    every = np.array(np.meshgrid(*[[0, 1]] * 3)).reshape(3, -1).T
    p = chain.probabilities(np.repeat(X[:1], 8, axis=0), every)
    assert np.isclose(np.where(every, p, 1 - p).prod(axis=1).sum(), 1.0)
    assert np.ptp(p[:, 2]) > 0.5


def test_errors_and_limits_are_told(here, rows):
    X, Y = rows
    with pytest.raises(ValueError, match="unknown peer 'Oracle'; known are BOOMER"):
        PeerClassifier("Oracle").fit(X, Y)
    with pytest.raises(RuntimeError, match="RandomForest"):
        PeerClassifier("RandomForest", 100, gigabytes=0.01).fit(X, Y)
    assert clone(PeerClassifier("XGBoost", 7)).size == 7


def test_an_environment_is_asked_for(monkeypatch, tmp_path):
    monkeypatch.setenv("SETWISE_PEERS", str(tmp_path / "none"))
    with pytest.raises(InputError, match="no environment of peers"):
        environment.peer_python()
    (tmp_path / "thesis.txt").write_text("mine")
    monkeypatch.setenv("SETWISE_PEERS", str(tmp_path))
    with pytest.raises(InputError, match="not empty and no environment"):
        environment.make_peer_environment()
    assert (tmp_path / "thesis.txt").read_text() == "mine"
