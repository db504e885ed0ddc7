"""The methods of the study, each as a function from training rows to something that answers test rows."""

from __future__ import annotations

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
    "sklearn OneVsRest": of_marginals(lambda: OneVsRestClassifier(LogisticRegression(max_iter=1000))),
    "sklearn chain": of_marginals(lambda: ClassifierChain(LogisticRegression(max_iter=1000))),
}
"""The automatic choice has 60 s of one core. Scikit-learn's chain has no marginals: the probabilities that it gives,
each given the labels predicted before, are read as such."""
