"""Whether an estimator can be fitted to some labels and judged by its joint log-probability."""

from __future__ import annotations

from setwise.contract import FREE, Labels
from setwise.estimators.base.set_classifier import SetClassifier


def why_unable(candidate: SetClassifier, Y: Labels) -> str | None:
    """Say why a candidate cannot be fitted to rows with labels ``Y`` (n, L), or not be judged; None if it can.

    Examples
    --------
    >>> import numpy as np
    >>> from setwise import LabelPowerset
    >>> why_unable(LabelPowerset(), np.array([[-1, 0]]))
    'some labels are missing'
    """
    if not candidate.takes_missing_labels and (Y == FREE).any():
        return "some labels are missing"
    limit = None if candidate.about is None else candidate.about.exact_labels
    if limit == 0:
        return "it defines no joint probability, only each label given the others"
    if limit is not None and Y.shape[1] > limit:
        return f"its joint probability is exact up to {limit} labels only"
    return None
