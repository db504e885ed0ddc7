"""The label that is most informative to ask about."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain

from setwise.arrays import FREE, Labels
from setwise.distributions import LabelDistribution
from setwise.web.api.evidence import PlainEvidence, check_labels, read_evidence
from setwise.web.api.model import Model
from setwise.web.api.plain import Answers, by_label
from setwise.web.api.rows import Row


def next_question(
    model: Model,
    rows: Sequence[Row],
    *,
    evidence: PlainEvidence | None = None,
    about: Sequence[str] | None = None,
) -> Answers:
    """Answer which label to ask a person about next.

    Parameters
    ----------
    model : Model
    rows : list of rows
    evidence : mapping from labels to 0 or 1, or one per row, optional
        What is known already.
    about : list of labels, optional
        The labels of interest, which are never asked about themselves; by default the whole set.

    Returns
    -------
    list of dict
        ``label`` with the largest expected gain of information, None if all labels are known, its ``gain``, and the
        ``gains`` of all labels, in nats; None for labels of interest.

    Examples
    --------
    >>> from setwise.web.api.examples import beach
    >>> next_question(beach(), [[0.0]], evidence={"sand": 1})[0]["label"]
    'sea'
    """
    check_labels(about or [], model.labels)
    known = read_evidence(evidence, model.labels, len(rows))
    joints = model.joints(model.features(rows), known)
    return list(chain.from_iterable(_answers(joint, about or None, model.labels) for joint in joints))


def _answers(joint: LabelDistribution, about: Sequence[str] | None, names: Sequence[str]) -> Answers:
    question = joint.next_question(about)
    gains = by_label(question.gain, names, "gain")
    open_rows = _are_open(joint.known, joint.n_rows)
    return [
        {"label": names[label] if is_open else None, "gain": gain[names[label]] or 0.0, "gains": gain}
        for label, gain, is_open in zip(question.label.tolist(), gains, open_rows)
    ]


def _are_open(known: Labels | None, n_rows: int) -> list[bool]:
    """Whether something is left to ask in each row."""
    return [True] * n_rows if known is None else (known == FREE).any(axis=1).tolist()
