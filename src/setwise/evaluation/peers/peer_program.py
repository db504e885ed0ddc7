"""The program of the peers' environment: it fits one peer and answers with probabilities of labels.

:class:`~setwise.evaluation.peers.peer_classifier.PeerClassifier` runs it by its path, with the Python of that
environment, where this package need not exist. Requests and answers are pickles on standard input and output.
"""

from __future__ import annotations

import importlib
import os
import pickle
import sys
import time
import warnings
from collections.abc import Callable
from contextlib import suppress
from typing import IO, Any

import numpy as np
from scipy import sparse
from sklearn.base import clone
from sklearn.ensemble import ExtraTreesClassifier, RandomForestClassifier

RULES = 10
"""Rules of BOOMER in place of a tree: its own default is 1,000."""


class AllLabels:
    """A classifier that takes the label matrix."""

    def __init__(self, model: Any) -> None:
        self.model = model

    def fit(self, X: Any, Y: Any) -> AllLabels:
        """Fit the model."""
        self.model.fit(X, Y)
        return self

    def probabilities(self, X: Any, given: Any = None) -> Any:
        """Probabilities (n, L); scikit-learn's forests have a list of pairs of columns."""
        found = self.model.predict_proba(X)
        if not isinstance(found, list):
            return np.asarray(found).reshape(X.shape[0], -1)
        return np.stack([p[:, 1] for p in found], axis=1)


class EachLabel:
    """A clone of a classifier for each label; in a chain, the labels before are features of the next."""

    def __init__(self, model: Any, *, chained: bool = False) -> None:
        self.model, self.chained = model, chained

    def fit(self, X: Any, Y: Any) -> EachLabel:
        """Fit the models."""
        labels = range(Y.shape[1])
        self.models = [
            clone(self.model).fit(self._features(X, Y[:, :label]), Y[:, label]) for label in labels
        ]
        return self

    def probabilities(self, X: Any, given: Any = None) -> Any:
        """Probabilities (n, L); in a chain, given the labels before or, without them, those predicted."""
        found = np.empty((X.shape[0], len(self.models)))
        for label, model in enumerate(self.models):
            before = found[:, :label] > 0.5 if given is None else given[:, :label]
            found[:, label] = model.predict_proba(self._features(X, before))[:, 1]
        return found

    def _features(self, X: Any, before: Any) -> Any:
        if not self.chained or not before.shape[1]:
            return X
        own = before.astype(X.dtype)
        return sparse.hstack([X, own], format="csr") if sparse.issparse(X) else np.hstack([X, own])


class Varying:
    """Labels that are always on or always off in training keep the probability of half a row; others are learnt."""

    def __init__(self, peer: Any) -> None:
        self.peer = peer

    def fit(self, X: Any, Y: Any) -> Varying:
        """Fit the peer to the labels that vary."""
        self.means, self.least = Y.mean(axis=0), 0.5 / len(Y)
        self.learnt = np.flatnonzero((self.means > 0) & (self.means < 1))
        if self.learnt.size:
            self.peer.fit(X, Y[:, self.learnt])
        return self

    def probabilities(self, X: Any, given: Any = None) -> Any:
        """Probabilities (n, L), at least those of half a row: one wrong certainty must not make a loss infinite."""
        found = np.tile(self.means, (X.shape[0], 1))
        if self.learnt.size:
            own = None if given is None else given[:, self.learnt]
            found[:, self.learnt] = self.peer.probabilities(X, own)
        return np.clip(found, self.least, 1 - self.least)


def _boomer(loss: str) -> Callable[[int, int], Any]:
    def make(size: int, seed: int) -> Any:
        off = dict.fromkeys(
            ("parallel_rule_refinement", "parallel_statistic_update", "parallel_prediction"), "false"
        )
        cls = importlib.import_module("mlrl.boosting").BoomerClassifier
        return AllLabels(cls(random_state=seed + 1, max_rules=RULES * size, loss=loss, **off))

    return make


def _lightgbm(*, chained: bool) -> Callable[[int, int], Any]:
    def make(size: int, seed: int) -> Any:
        cls = importlib.import_module("lightgbm").LGBMClassifier
        return EachLabel(cls(n_estimators=size, random_state=seed, n_jobs=1, verbose=-1), chained=chained)

    return make


def _xgboost(size: int, seed: int) -> Any:
    cls = importlib.import_module("xgboost").XGBClassifier
    own = {"multi_strategy": "multi_output_tree", "tree_method": "hist", "n_jobs": 1}
    return AllLabels(cls(n_estimators=size, random_state=seed, **own))


def _catboost(size: int, seed: int) -> Any:
    cls = importlib.import_module("catboost").CatBoostClassifier
    own = {"loss_function": "MultiLogloss", "thread_count": 1, "verbose": False, "allow_writing_files": False}
    return AllLabels(cls(iterations=size, random_seed=seed, **own))


def _forest(cls: Any) -> Callable[[int, int], Any]:
    return lambda size, seed: AllLabels(cls(size, random_state=seed, n_jobs=1))


PEERS: dict[str, Callable[[int, int], Any]] = {
    "BOOMER": _boomer("logistic-decomposable"),
    "BOOMER-non-decomposable": _boomer("logistic-non-decomposable"),
    "RandomForest": _forest(RandomForestClassifier),
    "ExtraTrees": _forest(ExtraTreesClassifier),
    "LightGBM": _lightgbm(chained=False),
    "LightGBM-chain": _lightgbm(chained=True),
    "XGBoost": _xgboost,
    "CatBoost": _catboost,
}
"""Makers of peers, by a number of trees and a seed. CatBoost minimizes MultiLogloss, XGBoost has vector leaves."""


def _limit(seconds: float, gigabytes: float) -> None:
    """Limit processor time and memory, where the system can."""
    with suppress(ImportError):
        resource = importlib.import_module("resource")
        _lower(resource, resource.RLIMIT_CPU, int(seconds))
        _lower(resource, resource.RLIMIT_AS, int(gigabytes * 2**30))


def _lower(resource: Any, kind: int, limit: int) -> None:
    """Set a limit, unless there is a lower one already."""
    given = resource.getrlimit(kind)[1]
    limit = limit if given == resource.RLIM_INFINITY else min(limit, given)
    resource.setrlimit(kind, (limit, given))


def _answer(work: Callable[[], Any]) -> dict[str, Any]:
    """The result of some work and its processor seconds, or the error."""
    start = time.process_time()
    try:
        result = work()
    except Exception as error:
        return {"error": f"{type(error).__name__}: {error}"}
    return {"result": result, "seconds": time.process_time() - start}


def serve(requests: IO[bytes], answers: IO[bytes]) -> None:
    """Fit the peer of the first request, then answer with probabilities until the requests end."""
    name, size, seed, limits, X, Y = pickle.load(requests)
    _limit(*limits)
    peer = Varying(PEERS[name](size, seed))

    def fit() -> None:
        peer.fit(X, Y)

    def tell(answer: Any) -> None:
        pickle.dump(answer, answers)
        answers.flush()

    tell(_answer(fit))
    with suppress(EOFError):
        while True:
            rows, given = pickle.load(requests)
            tell(_answer(lambda rows=rows, given=given: peer.probabilities(rows, given)))  # type: ignore[misc]


def main() -> None:
    """Serve; what libraries print goes to standard error, separate from the answers."""
    warnings.simplefilter("ignore")
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    serve(sys.stdin.buffer, answers)


if __name__ == "__main__":
    main()
