"""The probability of each label."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from setwise.arrays import Array
from setwise.distributions import LabelDistribution
from setwise.web.api.evidence import PlainEvidence, read_evidence
from setwise.web.api.model import Model
from setwise.web.api.plain import Answers, by_label
from setwise.web.api.rows import Row


def marginals(model: Model, rows: Sequence[Row], *, evidence: PlainEvidence | None = None) -> Answers:
    """Answer the probability that each label is on.

    Parameters
    ----------
    model : Model
    rows : list of rows
    evidence : mapping from labels to 0 or 1, or one per row, optional

    Returns
    -------
    list of dict
        ``probabilities`` by label name.

    Examples
    --------
    >>> from setwise.web.api.examples import beach
    >>> marginals(beach(), [[0.0]], evidence={"sea": 1})[0]["probabilities"]["sea"]
    1.0
    """
    X, known = model.features(rows), read_evidence(evidence, model.labels, len(rows))
    if known is None:
        probs = model.label_probs(X)
    else:
        probs = np.concatenate([given_probs(joint) for joint in model.joints(X, known)])
    return [{"probabilities": row} for row in by_label(probs, model.labels, "probability")]


def given_probs(joint: LabelDistribution) -> Array:
    """Probabilities (n, L) of a distribution given evidence; a sum may exceed 1 by rounding."""
    return np.clip(joint.marginals(), 0.0, 1.0)
