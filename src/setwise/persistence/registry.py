"""The closed list of classes in model files: nothing else is ever imported or built from a file.

Every exported estimator is on it. The classes in which estimators keep their parameters, and the scikit-learn classes
whose fitted state is arrays and plain values, have a line each. :mod:`setwise.persistence.schemas` declares what their
attributes may be.
"""

from __future__ import annotations

import importlib
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator

from setwise.persistence.errors import ModelFileError

PARTS = {
    "ClassifierLabels": "setwise.learning.labels.independent",
    "ClassifierScores": "setwise.learning.mixtures.classifier_experts",
    "ClassifierSets": "setwise.learning.labels.powerset",
    "ClassifierSteps": "setwise.learning.counting.cascade",
    "LinearLabels": "setwise.learning.labels.independent",
    "LinearSets": "setwise.learning.labels.powerset",
    "LabelClassifier": "setwise.learning.labels.classifiers",
    "LinearChain": "setwise.learning.labels.chain",
    "LinearScores": "setwise.learning.linear.scores",
    "TreeScores": "setwise.kernels.tree_scores",
    "TreeClassifier": "setwise.learning.trees.flat.tree_classifier",
    "SplitColumns": "setwise.learning.trees.flat.columns",
    "SetTrees": "setwise.kernels.set_trees",
    "DecisionTrees": "setwise.learning.trees.decision_forest",
    "Shares": "setwise.learning.trees.decision_forest",
    "NeighbourVotes": "setwise.learning.counting.neighbours",
    "LabelCounts": "setwise.learning.counting.labels",
    "FeatureCounts": "setwise.learning.counting.features",
    "GaussianCounts": "setwise.learning.counting.gaussian",
    "BernoulliCounts": "setwise.learning.counting.features",
    "MultinomialCounts": "setwise.learning.counting.features",
    "AllLabels": "setwise.learning.labels.marginal_models",
    "GivenScores": "setwise.learning.labels.marginal_models",
    "SetDependence": "setwise.learning.labels.set_dependence",
    "PoolGate": "setwise.learning.mixtures.pooling.pool_gate",
    "Stumps": "setwise.learning.trees.stumps",
    "Smoothing": "setwise.learning.counting.smoothing",
    "Targets": "setwise.estimators.base.checks.validation",
    "Leaderboard": "setwise.estimators.meta.leaderboard",
    "_LogisticMap": "setwise.estimators.meta.calibrated_sets",
    "_MonotoneMap": "setwise.estimators.meta.calibrated_sets",
    "Abstain": "setwise.decisions",
    "Constrained": "setwise.decisions",
    "Costs": "setwise.decisions",
    "FBeta": "setwise.decisions",
    "Hamming": "setwise.decisions",
    "Jaccard": "setwise.decisions",
    "MacroF": "setwise.decisions",
    "MicroF": "setwise.decisions",
    "PrecisionAtK": "setwise.decisions",
    "Sizes": "setwise.decisions",
    "Subset": "setwise.decisions",
    "Gibbs": "setwise.distributions.gibbs",
    "Greedy": "setwise.distributions.greedy",
    "Votes": "setwise.distributions.votes",
    "Boolean": "setwise.tables.columns",
    "Category": "setwise.tables.columns",
    "Date": "setwise.tables.columns",
    "LeftOut": "setwise.tables.columns",
    "Number": "setwise.tables.columns",
    "Tags": "setwise.tables.columns",
    "Text": "setwise.tables.columns",
    "Vector": "setwise.tables.columns",
}
"""The parts of fitted estimators: dataclasses, NamedTuples and plain classes of arrays."""

SCIKIT_LEARN = {
    "ColumnTransformer": "sklearn.compose",
    "FeatureUnion": "sklearn.pipeline",
    "FrozenEstimator": "sklearn.frozen",
    "Pipeline": "sklearn.pipeline",
    "PCA": "sklearn.decomposition",
    "TruncatedSVD": "sklearn.decomposition",
    "CountVectorizer": "sklearn.feature_extraction.text",
    "HashingVectorizer": "sklearn.feature_extraction.text",
    "TfidfTransformer": "sklearn.feature_extraction.text",
    "TfidfVectorizer": "sklearn.feature_extraction.text",
    "VarianceThreshold": "sklearn.feature_selection",
    "SimpleImputer": "sklearn.impute",
    "MissingIndicator": "sklearn.impute",
    "Binarizer": "sklearn.preprocessing",
    "FunctionTransformer": "sklearn.preprocessing",
    "MaxAbsScaler": "sklearn.preprocessing",
    "MinMaxScaler": "sklearn.preprocessing",
    "Normalizer": "sklearn.preprocessing",
    "OneHotEncoder": "sklearn.preprocessing",
    "OrdinalEncoder": "sklearn.preprocessing",
    "PolynomialFeatures": "sklearn.preprocessing",
    "PowerTransformer": "sklearn.preprocessing",
    "QuantileTransformer": "sklearn.preprocessing",
    "RobustScaler": "sklearn.preprocessing",
    "StandardScaler": "sklearn.preprocessing",
    "LabelBinarizer": "sklearn.preprocessing",
    "LinearDiscriminantAnalysis": "sklearn.discriminant_analysis",
    "QuadraticDiscriminantAnalysis": "sklearn.discriminant_analysis",
    "DummyClassifier": "sklearn.dummy",
    "LogisticRegression": "sklearn.linear_model",
    "RidgeClassifier": "sklearn.linear_model",
    "BernoulliNB": "sklearn.naive_bayes",
    "ComplementNB": "sklearn.naive_bayes",
    "GaussianNB": "sklearn.naive_bayes",
    "MultinomialNB": "sklearn.naive_bayes",
    "LinearSVC": "sklearn.svm",
    "DecisionTreeClassifier": "sklearn.tree",
    "ExtraTreeClassifier": "sklearn.tree",
    "ExtraTreesClassifier": "sklearn.ensemble",
    "GradientBoostingClassifier": "sklearn.ensemble",
    "HistGradientBoostingClassifier": "sklearn.ensemble",
    "RandomForestClassifier": "sklearn.ensemble",
}
"""Transformers and classifiers of scikit-learn, without kernel machines. Trees are stored unfitted, as a ``learner``:
fitted ones are kept as a TreeClassifier."""

LIGHTGBM = {"LGBMClassifier": "lightgbm"}
"""Classifiers of LightGBM, unfitted."""

CLASSIFIERS = frozenset(
    f"sklearn.{name}"
    for name in (
        "BernoulliNB",
        "ComplementNB",
        "DummyClassifier",
        "GaussianNB",
        "LinearDiscriminantAnalysis",
        "LinearSVC",
        "LogisticRegression",
        "MultinomialNB",
        "Pipeline",
        "QuadraticDiscriminantAnalysis",
        "RidgeClassifier",
    )
)
"""Allowed values of ``learner``; the last step of a pipeline is one of the others."""

TREES = frozenset(
    {
        "lightgbm.LGBMClassifier",
        "sklearn.DecisionTreeClassifier",
        "sklearn.ExtraTreeClassifier",
        "sklearn.ExtraTreesClassifier",
        "sklearn.GradientBoostingClassifier",
        "sklearn.HistGradientBoostingClassifier",
        "sklearn.RandomForestClassifier",
    }
)
"""Values of ``learner`` whose fitted models are kept as a TreeClassifier."""

SPARSE = {
    cls.__name__: cls for cls in (sparse.csr_array, sparse.csr_matrix, sparse.csc_array, sparse.csc_matrix)
}

FUNCTIONS = {name: getattr(np, name) for name in ("abs", "exp", "expm1", "log", "log1p", "sqrt", "square")}
"""Functions that a FunctionTransformer may apply."""

LEFT_OUT = frozenset({"checkpoint", "memory", "n_jobs"})
"""Parameters about the machine, not the model: where to keep files, how many processes to start.
They are not stored, and a loaded model has their defaults."""


def estimator_names() -> set[str]:
    """Names in files of everything that setwise exports; those that are not estimators have no schema."""
    return {f"setwise.{name}" for name in importlib.import_module("setwise").__all__}


def class_name(cls: type) -> str | None:
    """Find the name of a class in files; None if it has none."""
    for home in ("setwise", "part", "sklearn", "lightgbm"):
        name = f"{home}.{cls.__name__}"
        if _home(name) is not None and find_class(name) is cls:
            return name
    return None


def find_class(name: str) -> type:
    """Find the class of a name in a file, or raise a KeyError; nothing outside the list is imported."""
    home = _home(name)
    if home is None:
        raise KeyError(name)
    found = getattr(_module(home), name.partition(".")[2])
    if not isinstance(found, type) or (home == "setwise" and not issubclass(found, BaseEstimator)):
        raise KeyError(name)
    return found


def _module(home: str) -> Any:
    try:
        return importlib.import_module(home)
    except ModuleNotFoundError as error:
        raise ModelFileError(
            f"the model has a learner of {home}, which is not installed: pip install 'setwise[{home}]'"
        ) from error


def _home(name: str) -> str | None:
    """Find the module of a class name, if it is on the list."""
    kind, _, short = name.partition(".")
    if kind == "setwise":
        return "setwise" if short in importlib.import_module("setwise").__all__ else None
    tables: dict[str, dict[str, str]] = {"part": PARTS, "sklearn": SCIKIT_LEARN, "lightgbm": LIGHTGBM}
    return tables.get(kind, {}).get(short)


def function_name(function: Any) -> str | None:
    """Find the name of a listed function, or None."""
    return next((name for name, known in FUNCTIONS.items() if known is function), None)
