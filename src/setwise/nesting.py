"""Access to the estimator inside a pipeline or a search, to its input and to its joint distribution."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import check_is_fitted

from setwise.contract import Array, in_order
from setwise.distributions import LabelDistribution
from setwise.errors import InputError
from setwise.views.answer import row_names_of


def last_step(estimator: Any) -> Any:
    """Get the fitted estimator inside pipelines and searches.

    Examples
    --------
    >>> from sklearn.dummy import DummyClassifier
    >>> from sklearn.pipeline import make_pipeline
    >>> last_step(make_pipeline("passthrough", DummyClassifier()).fit([[0], [1]], [0, 1]))
    DummyClassifier()
    """
    check_is_fitted(estimator)
    if hasattr(estimator, "best_estimator_"):
        return last_step(estimator.best_estimator_)
    return last_step(estimator[-1]) if isinstance(estimator, Pipeline) else estimator


def opened(estimator: Any, X: Any) -> tuple[Any, Any]:
    """Get the fitted estimator inside, and ``X`` transformed by the steps before it."""
    check_is_fitted(estimator)
    if hasattr(estimator, "best_estimator_"):
        return opened(estimator.best_estimator_, X)
    if isinstance(estimator, Pipeline):
        return opened(estimator[-1], transformed(estimator[:-1], X) if len(estimator) > 1 else X)
    return estimator, X


def transformed(before: Pipeline, X: Any) -> Any:
    """Pass rows through the steps before an estimator; an InputError names a step that cannot take their types.

    Encoders that were fitted to text compare it with whatever they get, and fail deep in NumPy at a number.

    Examples
    --------
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import OrdinalEncoder
    >>> before = make_pipeline(OrdinalEncoder()).fit([["red"], ["blue"]])
    >>> transformed(before, [["red"]])
    array([[1.]])
    >>> transformed(before, [[2.0]])
    Traceback (most recent call last):
    ...
    setwise.errors.InputError: the rows hold other types than those that step 'ordinalencoder' (OrdinalEncoder) was ...
    """
    try:
        return before.transform(X)
    except TypeError as error:
        name, step = _failing_step(before, X)
        raise InputError(
            f"the rows hold other types than those that step {name!r} ({type(step).__name__}) was fitted to",
            hint="pass text where it was fitted to text, and numbers where it was fitted to numbers",
        ) from error


def _failing_step(before: Pipeline, X: Any) -> tuple[str, Any]:
    """Find the first step that cannot take what the steps before it made of the rows."""
    for i in range(1, len(before)):
        try:
            before[:i].transform(X)
        except TypeError:
            return before.steps[i - 1]
    return before.steps[-1]


def feature_origins(estimator: Any) -> tuple[Array, Array]:
    """Name the features of the estimator inside, and the columns of the table that they come from.

    Examples
    --------
    >>> from sklearn.dummy import DummyClassifier
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import PolynomialFeatures
    >>> model = make_pipeline(PolynomialFeatures(2, include_bias=False), DummyClassifier()).fit([[0.0], [1.0]], [0, 1])
    >>> feature_origins(model)[0].tolist()
    ['x0', 'x0^2']
    """
    if hasattr(estimator, "best_estimator_"):
        return feature_origins(estimator.best_estimator_)
    if not isinstance(estimator, Pipeline) or len(estimator) == 1:
        inner = last_step(estimator)
        names = getattr(inner, "feature_names_in_", None)
        names = numbered(inner.n_features_in_) if names is None else np.asarray(names, dtype=object)
        return names, names
    try:
        names = np.asarray(estimator[:-1].get_feature_names_out(), dtype=object)
    except (AttributeError, ValueError):  # a step that cannot name its features
        return feature_origins(estimator[-1])
    columns: dict[Any, Any] = {}
    for _, step in estimator.steps[:-1]:
        if hasattr(step, "get_feature_columns"):
            columns.update(zip(step.get_feature_names_out(), step.get_feature_columns()))
    return names, np.array([columns.get(name, name) for name in names], dtype=object)


def numbered(n_features: int) -> Array:
    """Name features that have no names, as scikit-learn does: "x0", "x1", ..."""
    return np.array([f"x{j}" for j in range(n_features)], dtype=object)


def in_label_order(estimator: Any, Y: Any, what: str = "Y") -> Any:
    """Put the columns of label sets in the order of a fitted estimator's labels, matched by name.

    If ``Y`` or the estimator has no label names, ``Y`` is returned unchanged.

    Parameters
    ----------
    estimator : fitted estimator, pipeline or search
    Y : array, DataFrame or CSR of shape (n, L)
    what : str
        Name of the label sets in error messages.

    Returns
    -------
    array of the frame's values, or ``Y`` itself

    Examples
    --------
    >>> import pandas as pd
    >>> from setwise import BinaryRelevance
    >>> Y = pd.DataFrame({"sea": [0, 0, 1, 1], "sand": [0, 1, 1, 1]})
    >>> model = BinaryRelevance(l2=1.0).fit([[0.0], [1.0], [2.0], [3.0]], Y)
    >>> in_label_order(model, Y[["sand", "sea"]])[1]
    array([0, 1])
    """
    return in_order(Y, getattr(last_step(estimator), "label_names_", None), what)


def distribution_of(estimator: Any, X: Any) -> LabelDistribution:
    """Predict P(y | x) with a fitted estimator, which may be inside a Pipeline or a search.

    Parameters
    ----------
    estimator : fitted estimator of setwise, or a Pipeline or search around one
    X : array, DataFrame or CSR of shape (n, d)

    Returns
    -------
    LabelDistribution

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import StandardScaler
    >>> from setwise import BinaryRelevance, distribution_of
    >>> X, Y = np.arange(6.0)[:, None], np.array([[0, 1], [0, 1], [0, 1], [1, 0], [1, 0], [1, 1]])
    >>> pipeline = make_pipeline(StandardScaler(), BinaryRelevance(l2=1.0)).fit(X, Y)
    >>> distribution_of(pipeline, X).mode().labels[0]
    array([0, 1], dtype=int8)
    """
    model, features = opened(estimator, X)
    if not hasattr(model, "distribution"):
        raise TypeError(
            f"{type(model).__name__} has no joint distribution; use an estimator of setwise, alone or as "
            "the last step of a Pipeline"
        )
    joint: LabelDistribution = model.distribution(features)
    joint.row_names = row_names_of(X)  # earlier steps may have turned the DataFrame into an array
    return joint
