"""Whether an estimator can be fitted to some rows and judged by its joint log-probability."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils import get_tags

from setwise.contract import FREE, Labels, Matrix
from setwise.estimators.base.set_classifier import SetClassifier
from setwise.kernels.matrices import stored_values


def why_unable(candidate: SetClassifier, X: Matrix, Y: Labels) -> str | None:
    """Say why a candidate cannot be fitted to these rows, or not be judged; None if it can.

    Examples
    --------
    >>> import numpy as np
    >>> from setwise import LabelPowerset
    >>> why_unable(LabelPowerset(), np.zeros((1, 1)), np.array([[-1, 0]]))
    'some labels are missing'
    """
    if not allows_nan(candidate) and np.isnan(stored_values(X)).any():
        return "some features are missing (NaN)"
    if not candidate.takes_missing_labels and (Y == FREE).any():
        return "some labels are missing"
    limit = None if candidate.about is None else candidate.about.exact_labels
    if limit == 0:
        return "it defines no joint probability, only each label given the others"
    if limit is not None and Y.shape[1] > limit:
        return f"its joint probability is exact up to {limit} labels only"
    return None


def allows_nan(candidate: Any) -> bool:
    """Whether an estimator takes missing features."""
    return isinstance(candidate, SetClassifier) and bool(get_tags(candidate).input_tags.allow_nan)
