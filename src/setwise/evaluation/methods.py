"""The table of methods: names and how to build them. Estimators with a description are added by themselves."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np
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

    Parameters
    ----------
    estimator : str or class
        Name of the estimator, or its class. A name that this version does not have is listed as not built.
    parameters : mapping, optional
        Constructor parameters.
    true_sizes : bool, default=False
        Whether to give the estimator the true number of labels of each test row, as one study of the papers does.
    as_published : bool, default=False
        Whether the parameters are changes of the paper's own form instead of changes of the defaults.

    Examples
    --------
    >>> Recipe("BinaryRelevance", {"min_labels": 0}).build()
    BinaryRelevance(min_labels=0)
    >>> Recipe("OracleOfDelphi").is_built
    False
    """

    estimator: str | type
    parameters: Mapping[str, Any] = field(default_factory=dict)
    true_sizes: bool = False
    as_published: bool = False

    @property
    def is_built(self) -> bool:
        """Whether the estimator exists in this version."""
        if isinstance(self.estimator, type):
            return True
        return self.estimator in PEERS or self.estimator in importlib.import_module("setwise").__all__

    def build(self) -> Any:
        """Make a new, unfitted estimator.

        Returns
        -------
        estimator

        Examples
        --------
        >>> Recipe("NaiBX").build()
        NaiBX()
        """
        if isinstance(self.estimator, str) and self.estimator in PEERS:
            return PEERS[self.estimator]()
        kind: Any = self.estimator
        if isinstance(kind, str):
            kind = getattr(importlib.import_module("setwise"), kind)
        model = (kind.as_published if self.as_published else kind)(**self.parameters)
        return OfTrueSizes(model) if self.true_sizes else model


class ManyLabels(OneVsRestClassifier):
    """One-vs-rest whose labels have 64 bits: scikit-learn 1.9 mixes up more than 128 labels of eight bits."""

    def fit(self, X: Any, y: Any, **parameters: Any) -> Self:
        """Fit one classifier a label."""
        return super().fit(X, y.astype(np.int64), **parameters)


def _one_vs_rest() -> Any:
    return make_pipeline(StandardScaler(with_mean=False), ManyLabels(LogisticRegression(max_iter=1000)))


def _chain() -> Any:
    return make_pipeline(StandardScaler(with_mean=False), ClassifierChain(LogisticRegression(max_iter=1000)))


PEERS = {"sklearn-OneVsRest": _one_vs_rest, "sklearn-ClassifierChain": _chain}
"""Methods of scikit-learn, for comparison: logistic regressions with their default penalty."""

METHODS: dict[str, Recipe] = {name: Recipe(name) for name in (*PEERS, *methods())}
"""Methods by their names on the command line."""


def built_methods() -> list[str]:
    """List the names of the methods that this version has.

    Returns
    -------
    list of str

    Examples
    --------
    >>> built_methods()[:3]
    ['sklearn-OneVsRest', 'sklearn-ClassifierChain', 'NaiBX']
    """
    return [name for name, recipe in METHODS.items() if recipe.is_built]


def method(name: str) -> Recipe:
    """Get a recipe by name; an error lists the names."""
    if name not in METHODS:
        raise ValueError(f"unknown method {name!r}; known: {', '.join(METHODS)}")
    if not METHODS[name].is_built:
        raise ValueError(f"{name} is not built yet; built so far: {', '.join(built_methods())}")
    return METHODS[name]
