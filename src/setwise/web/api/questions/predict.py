"""The best set of each row for a loss."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain

from setwise.arrays import FREE
from setwise.contract import Decided, NotTractable
from setwise.decisions import Decision
from setwise.distributions import LabelDistribution
from setwise.web.api.decisions import PlainDecision, read_decision
from setwise.web.api.evidence import PlainEvidence, read_evidence
from setwise.web.api.model import Model
from setwise.web.api.plain import Answers, numbers, sets
from setwise.web.api.rows import Row


def predict(
    model: Model,
    rows: Sequence[Row],
    *,
    evidence: PlainEvidence | None = None,
    decision: PlainDecision | None = None,
) -> Answers:
    """Answer the set with the smallest expected loss.

    Parameters
    ----------
    model : Model
    rows : list of rows
    evidence : mapping from labels to 0 or 1, or one per row, optional
    decision : str or dict, optional
        The name of a loss, or a rule with parameters; by default the model's.

    Returns
    -------
    list of dict
        ``labels``, None if the rule abstains; ``log_probability`` of the set, None if it is impossible or the family
        has no exact one; ``expected_loss`` and its ``standard_error``, None if unknown; whether the answer is
        ``certified`` as best.

    Examples
    --------
    >>> from setwise.web.api.examples import beach
    >>> predict(beach(), [[0.0]])[0]["labels"]
    ['sand']
    """
    rule = read_decision(decision)
    known = read_evidence(evidence, model.labels, len(rows))
    joints = model.joints(model.features(rows), known, rule)
    return list(chain.from_iterable(_answers(joint, rule, model.labels) for joint in joints))


def _answers(joint: LabelDistribution, rule: Decision | None, names: Sequence[str]) -> Answers:
    best = joint.decide(rule)
    keys = ("labels", "log_probability", "expected_loss", "standard_error", "certified")
    columns = (
        sets(best.labels, names),
        log_probs(joint, best),
        numbers(best.expected_loss, "expected loss", may_be_unknown=True),
        numbers(best.standard_error, "expected loss", may_be_unknown=True),
        best.certified.tolist(),
    )
    return [dict(zip(keys, row)) for row in zip(*columns)]


def log_probs(joint: LabelDistribution, best: Decided) -> list[float | None]:
    """Log-probability of the answer in each row; None if there is no answer, or no exact probability of sets."""
    try:
        values = numbers(joint.log_prob(best.labels), "log-probability")
    except NotTractable:
        return [None] * joint.n_rows
    abstained = (best.labels == FREE).any(axis=1)
    return [None if none else value for value, none in zip(values, abstained)]
