"""Every method of the package, from what its class says about itself."""

from __future__ import annotations

import functools
import importlib

import numpy as np

from setwise.estimators.base.about import About
from setwise.estimators.base.set_classifier import SetClassifier

Method = type[SetClassifier]


@functools.cache
def estimators() -> dict[str, Method]:
    """Every exported estimator by its name.

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
    """Estimators that stand for a method by themselves, by name, the cheapest to fit first.

    Examples
    --------
    >>> list(methods())[0]
    'NaiBX'
    """
    found = {name: cls for name, cls in estimators().items() if cls.about is not None}
    return dict(sorted(found.items(), key=lambda item: about(item[1]).cost))


def about(method: Method) -> About:
    """What a method says about itself."""
    assert method.about is not None
    return method.about


def candidates() -> list[SetClassifier]:
    """Estimators that the automatic choice tries, the cheapest first.

    Examples
    --------
    >>> candidates()[0]
    BinaryRelevance()
    """
    tried = [method(**trial.parameters) for method in methods().values() for trial in about(method).trials]
    return sorted(tried, key=lambda candidate: (expected_cost(candidate), type(candidate).__name__))


def expected_cost(estimator: SetClassifier) -> float:
    """Time of a small fit in units of that of binary relevance: by the trial that shares the most parameters.

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
