"""The catalog of methods, made from the description of each estimator class."""

from __future__ import annotations

import functools
import importlib

import numpy as np

from setwise.estimators.base.about import About
from setwise.estimators.base.set_classifier import SetClassifier

Method = type[SetClassifier]


@functools.cache
def estimators() -> dict[str, Method]:
    """Find every exported estimator by its name.

    Examples
    --------
    >>> "AutoSetClassifier" in estimators()
    True
    """
    package = importlib.import_module("setwise")
    ours = [name for name, home in package._HOMES.items() if home.startswith("setwise.estimators.")]
    return {name: getattr(package, name) for name in ours if name != SetClassifier.__name__}


@functools.cache
def methods() -> dict[str, Method]:
    """Find the estimators with a description, by name, the cheapest to fit first.

    Examples
    --------
    >>> list(methods())[0]
    'NaiBX'
    """
    found = {name: cls for name, cls in estimators().items() if cls.about is not None}
    return dict(sorted(found.items(), key=lambda item: about(item[1]).cost))


def about(method: Method) -> About:
    """The description of a method."""
    assert method.about is not None
    return method.about


def candidates() -> list[SetClassifier]:
    """Find the estimators that the automatic choice tries, the cheapest first.

    Examples
    --------
    >>> candidates()[0]
    BinaryRelevance()
    """
    tried = [method(**trial.parameters) for method in methods().values() for trial in about(method).trials]
    return sorted(tried, key=lambda candidate: (expected_cost(candidate), type(candidate).__name__))


def expected_cost(estimator: SetClassifier) -> float:
    """Relative cost of a small fit (binary relevance is 1), from the trial that shares most parameters.

    Examples
    --------
    >>> from setwise import ConditionalBernoulliMixture
    >>> expected_cost(ConditionalBernoulliMixture(tuning=False, n_init=2))
    10
    """
    if estimator.about is None:
        return 1.0
    given = estimator.get_params(deep=False)
    same = [
        trial
        for trial in estimator.about.trials
        if all(np.array_equal(given[name], value) for name, value in trial.parameters.items())
    ]
    return max(same, key=lambda trial: len(trial.parameters)).cost if same else estimator.about.cost
