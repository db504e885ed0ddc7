"""The rows that a plot uses, and their joint distribution."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils import _safe_indexing
from sklearn.utils.validation import _num_samples

from setwise.distributions import LabelDistribution
from setwise.nesting import distribution_of, last_step
from setwise.views.text import check_names


def spread_rows(X: Any, limit: int) -> Any:
    """Select at most ``limit`` rows of ``X``, evenly spread.

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
    """Select row number ``row`` of ``X`` as a table of one row; an IndexError if it does not exist."""
    n_rows = _num_samples(X)
    if not -n_rows <= row < n_rows:
        raise IndexError(f"row is {row}; X has {n_rows} rows")
    return _safe_indexing(X, [row % n_rows])


def joint_and_names(estimator: Any, X: Any) -> tuple[LabelDistribution, list[str]]:
    """P(y | x) of each row of ``X`` under an estimator, pipeline or search, and the names of the labels."""
    joint = distribution_of(estimator, X)
    return joint, check_names(getattr(last_step(estimator), "label_names_", None), joint.n_labels)
