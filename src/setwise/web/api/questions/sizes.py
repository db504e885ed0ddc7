"""The number of labels."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from setwise.web.api.evidence import PlainEvidence, read_evidence
from setwise.web.api.model import Model
from setwise.web.api.plain import Answers, numbers
from setwise.web.api.rows import Row


def sizes(model: Model, rows: Sequence[Row], *, evidence: PlainEvidence | None = None) -> Answers:
    """Answer the probability of each number of labels.

    Parameters
    ----------
    model : Model
    rows : list of rows
    evidence : mapping from labels to 0 or 1, or one per row, optional

    Returns
    -------
    list of dict
        ``sizes``: the probability of 0, 1, ... labels.

    Examples
    --------
    >>> from setwise.web.api.examples import beach
    >>> len(sizes(beach(), [[0.0]])[0]["sizes"])
    3
    """
    known = read_evidence(evidence, model.labels, len(rows))
    probs = np.concatenate([joint.size_probs() for joint in model.joints(model.features(rows), known)])
    return [{"sizes": row} for row in numbers(probs, "probability of sizes")]
