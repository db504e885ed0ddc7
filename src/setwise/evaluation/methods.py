"""One table of methods: a name, and what it builds. A new estimator is in it by its description."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from sklearn.linear_model import LogisticRegression
from sklearn.multiclass import OneVsRestClassifier
from sklearn.multioutput import ClassifierChain
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from setwise.estimators.catalog import methods
from setwise.evaluation.true_sizes import OfTrueSizes


@dataclass(frozen=True)
class Recipe:
    """An estimator of this package by name, with its parameters.

    ``estimator`` need not exist yet: what is not built is listed as such instead of left out. ``true_sizes``
    tells it how many labels each test row has, as one study of the papers does.

    Examples
    --------
    >>> Recipe("BinaryRelevance", {"min_labels": 0}).build()
    BinaryRelevance(min_labels=0)
    >>> Recipe("OracleOfDelphi").is_built
    False
    """

    estimator: str
    parameters: Mapping[str, Any] = field(default_factory=dict)
    true_sizes: bool = False

    @property
    def is_built(self) -> bool:
        """Whether the estimator exists in this version."""
        return self.estimator in PEERS or self.estimator in importlib.import_module("setwise").__all__

    def build(self) -> Any:
        """A new, unfitted estimator."""
        if self.estimator in PEERS:
            return PEERS[self.estimator]()
        model = getattr(importlib.import_module("setwise"), self.estimator)(**self.parameters)
        return OfTrueSizes(model) if self.true_sizes else model


def _one_vs_rest() -> Any:
    return make_pipeline(
        StandardScaler(with_mean=False), OneVsRestClassifier(LogisticRegression(max_iter=1000))
    )


def _chain() -> Any:
    return make_pipeline(StandardScaler(with_mean=False), ClassifierChain(LogisticRegression(max_iter=1000)))


PEERS = {"sklearn-OneVsRest": _one_vs_rest, "sklearn-ClassifierChain": _chain}
"""scikit-learn's own, for comparison: logistic regressions with their default penalty."""

METHODS: dict[str, Recipe] = {name: Recipe(name) for name in (*PEERS, *methods())}
"""Methods by the name the command line knows them by."""


def built_methods() -> list[str]:
    """Names of the methods that exist in this version.

    Examples
    --------
    >>> built_methods()[:3]
    ['sklearn-OneVsRest', 'sklearn-ClassifierChain', 'NaiBX']
    """
    return [name for name, recipe in METHODS.items() if recipe.is_built]


def method(name: str) -> Recipe:
    """The recipe of that name, or a ValueError that lists the names."""
    if name not in METHODS:
        raise ValueError(f"unknown method {name!r}; known: {', '.join(METHODS)}")
    if not METHODS[name].is_built:
        raise ValueError(f"{name} is not built yet; built so far: {', '.join(built_methods())}")
    return METHODS[name]
