"""Which rows a plot looks at, and what the last step of a pipeline sees of them."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.pipeline import Pipeline
from sklearn.utils import _safe_indexing
from sklearn.utils.validation import _num_samples, check_is_fitted

from setwise.contract import LabelDistribution
from setwise.plotting.names import check_names


def spread_rows(X: Any, limit: int) -> Any:
    """At most ``limit`` rows of ``X``, evenly spread over it.

    Examples
    --------
    >>> import numpy as np
    >>> spread_rows(np.arange(10)[:, None], 3)[:, 0]
    array([0, 4, 9])
    """
    n_rows = _num_samples(X)
    if n_rows <= limit:
        return X
    return _safe_indexing(X, np.linspace(0, n_rows - 1, limit).astype(np.intp))


def one_row(X: Any, row: int) -> Any:
    """Row number ``row`` of ``X`` as a table of one row; an IndexError where there is none."""
    n_rows = _num_samples(X)
    if not -n_rows <= row < n_rows:
        raise IndexError(f"row {row} of {n_rows} rows")
    return _safe_indexing(X, [row % n_rows])


def last_step(estimator: Any) -> Any:
    """The estimator itself, or the last step of a pipeline."""
    check_is_fitted(estimator)
    return last_step(estimator[-1]) if isinstance(estimator, Pipeline) else estimator


def opened(estimator: Any, X: Any) -> tuple[Any, Any]:
    """The last step of an estimator, with what the other steps make of ``X``."""
    check_is_fitted(estimator)
    if isinstance(estimator, Pipeline):
        return opened(estimator[-1], estimator[:-1].transform(X) if len(estimator) > 1 else X)
    return estimator, X


def distribution_of(estimator: Any, X: Any) -> tuple[LabelDistribution, list[str]]:
    """P(y | x) of each row of ``X`` under an estimator or pipeline, and the names of the labels."""
    model, features = opened(estimator, X)
    joint: LabelDistribution = model.distribution(features)
    return joint, check_names(getattr(model, "label_names_", None), joint.n_labels)
