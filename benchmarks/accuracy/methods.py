"""The methods of the study, each as a function from training rows to something that answers test rows."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.special import logit
from sklearn.ensemble import ExtraTreesClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.multiclass import OneVsRestClassifier
from sklearn.multioutput import ClassifierChain

import setwise
from setwise.distributions import ForestMixture, LabelDistribution
from setwise.evaluation.peers.peer_classifier import PeerClassifier

N_TREES = 100
Answerer = Callable[[Any], LabelDistribution]


def of_setwise(make: Callable[[], Any]) -> Callable[[Any, Any], Answerer]:
    """A method of this package."""

    def fit(X: Any, Y: Any) -> Answerer:
        joint: Answerer = make().fit(X, Y).distribution
        return joint

    return fit


def of_marginals(make: Callable[[], Any]) -> Callable[[Any, Any], Answerer]:
    """A classifier of scikit-learn with probabilities of labels, read as independent labels.

    A probability is at least that of half a training row, so that one wrong certainty does not make the loss infinite.
    """

    def fit(X: Any, Y: Any) -> Answerer:
        model, least = make().fit(X, Y), 0.5 / len(Y)

        def answer(rows: Any) -> LabelDistribution:
            marginals = np.clip(_marginals(model, rows), least, 1 - least)
            return ForestMixture.independent(logit(marginals))

        return answer

    return fit


class Peer:
    """A method of another library in a process of its own, read as independent labels."""

    def __init__(self, name: str, X: Any, Y: Any) -> None:
        self.model = PeerClassifier(name, N_TREES, random_state=0).fit(X, Y)

    def __call__(self, rows: Any) -> LabelDistribution:
        return ForestMixture.independent(logit(self.model.predict_proba(rows)))

    @property
    def processor_seconds(self) -> float:
        """Those of the peer's process so far."""
        return self.model.processor_seconds_


def of_peer(name: str) -> Callable[[Any, Any], Answerer]:
    """A method of another library; its environment is made by ``setwise compare --peers``."""
    return functools.partial(Peer, name)


def _marginals(model: Any, X: Any) -> Any:
    """Probabilities (n, L): scikit-learn's forests have a list of them, with one column for a label never seen."""
    given = model.predict_proba(X)
    if not isinstance(given, list):
        return np.asarray(given)
    pairs = zip(given, model.classes_)
    return np.stack([(p * (classes == 1)).sum(axis=1) for p, classes in pairs], axis=1)


def _forest(cls: Any) -> Callable[[], Any]:
    return lambda: cls(N_TREES, random_state=0, n_jobs=1)


METHODS: dict[str, Callable[[Any, Any], Answerer]] = {
    "automatic choice": of_setwise(lambda: setwise.AutoSetClassifier(time_budget=60.0, random_state=0)),
    "BinaryRelevance": of_setwise(lambda: setwise.BinaryRelevance(random_state=0)),
    "ClassifierChain": of_setwise(lambda: setwise.ClassifierChain(random_state=0)),
    "DecisionForest": of_setwise(lambda: setwise.DecisionForest(random_state=0)),
    "ConditionalTree": of_setwise(lambda: setwise.ConditionalTree(random_state=0)),
    "StackedSets": of_setwise(lambda: setwise.StackedSets(random_state=0)),
    "RandomForest": of_marginals(_forest(RandomForestClassifier)),
    "ExtraTrees": of_marginals(_forest(ExtraTreesClassifier)),
    **{name: of_peer(name) for name in ("LightGBM", "LightGBM-chain", "XGBoost", "CatBoost")},
    **{name: of_peer(name) for name in ("BOOMER", "BOOMER-non-decomposable")},
    "sklearn OneVsRest": of_marginals(lambda: OneVsRestClassifier(LogisticRegression(max_iter=1000))),
    "sklearn chain": of_marginals(lambda: ClassifierChain(LogisticRegression(max_iter=1000))),
}
"""The automatic choice has 60 s of one core. Chains of peers have no marginals: the probabilities that they give, each
given the labels predicted before, are read as such."""
