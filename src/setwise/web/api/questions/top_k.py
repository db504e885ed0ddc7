"""The most probable sets."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain

from setwise.distributions import LabelDistribution
from setwise.errors import InputError, Parameter
from setwise.web.api.evidence import PlainEvidence, read_evidence
from setwise.web.api.model import Model
from setwise.web.api.plain import Answers, numbers, sets
from setwise.web.api.rows import Row

MAX_K = 1000
"""Most sets of a row."""


def top_k(model: Model, rows: Sequence[Row], *, k: int = 5, evidence: PlainEvidence | None = None) -> Answers:
    """Answer the k most probable sets, best first.

    Parameters
    ----------
    model : Model
    rows : list of rows
    k : int, default=5
    evidence : mapping from labels to 0 or 1, or one per row, optional

    Returns
    -------
    list of dict
        ``sets``, each with its ``labels`` and ``log_probability``, and whether the list is ``certified``: no other
        set is more probable than one of it.

    Examples
    --------
    >>> from setwise.web.api.examples import beach
    >>> [best["labels"] for best in top_k(beach(), [[0.0]], k=2)[0]["sets"]]
    [['sand'], ['sand', 'sea']]
    """
    if not 1 <= k <= MAX_K:
        raise InputError(f"expected a number from 1 to {MAX_K}", parameter=Parameter("k", k))
    known = read_evidence(evidence, model.labels, len(rows))
    joints = model.joints(model.features(rows), known)
    return list(chain.from_iterable(_answers(joint, k, model.labels) for joint in joints))


def _answers(joint: LabelDistribution, k: int, names: Sequence[str]) -> Answers:
    best = joint.top_k(k)
    log_prob = numbers(best.log_prob, "log-probability")
    return [
        {
            "sets": [
                {"labels": labels, "log_probability": value}
                for labels, value in zip(sets(row, names), values)
                if labels is not None
            ],
            "certified": certified,
        }
        for row, values, certified in zip(best.labels, log_prob, best.certified.tolist())
    ]
