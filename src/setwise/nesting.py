"""What is inside a pipeline or a search: the estimator that answers, and the rows as it sees them."""

from __future__ import annotations

from typing import Any

from sklearn.pipeline import Pipeline
from sklearn.utils.validation import check_is_fitted


def last_step(estimator: Any) -> Any:
    """The fitted estimator inside pipelines and searches.

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
    """The fitted estimator inside, with what the steps before it make of ``X``."""
    check_is_fitted(estimator)
    if hasattr(estimator, "best_estimator_"):
        return opened(estimator.best_estimator_, X)
    if isinstance(estimator, Pipeline):
        return opened(estimator[-1], estimator[:-1].transform(X) if len(estimator) > 1 else X)
    return estimator, X
