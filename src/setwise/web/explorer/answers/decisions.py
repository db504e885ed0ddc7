"""Decisions: the answers for a loss, its expected and measured value, abstention, and the price of rules."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from setwise.contract import FREE, Array, Decided, Floats, Labels
from setwise.decisions import Abstain, Rule
from setwise.decisions.abstain import is_share
from setwise.decisions.named import resolve
from setwise.errors import InputError
from setwise.metrics import instance_scores
from setwise.web.api.decisions import PlainDecision, read_decision
from setwise.web.explorer.answers.plain import number, set_of
from setwise.web.explorer.answers.scores import interval
from setwise.web.explorer.answers.together import batch_interval, decide_together
from setwise.web.explorer.session import Session

MEASURED = 1000
"""Rows on which a decision is measured, spread over the data; the page says how many."""
POINTS = 60
"""Points of the curve of coverage."""
SHOWN = 200
"""Changed rows that are listed."""


def measure_decision(
    session: Session, decision: PlainDecision, *, plain: PlainDecision = "subset", model: int = 0
) -> dict[str, Any]:
    """Answers for a decision beside those for a ``plain`` one, on rows that the models have not seen."""
    rows, truth = measured_rows(session)
    rule, other = (read_rule(session, given) for given in (decision, plain))
    answers, losses = _decided(session, rows, rule, model)
    before, _ = _decided(session, rows, other, model)
    answered = (answers != FREE).all(axis=1)
    changed = np.flatnonzero((answers != before).any(axis=1))
    return {
        "rows": len(rows),
        "of": session.data.rows.n_rows,
        "together": rule.whole_batch,
        "expected": interval(losses[:1] if rule.whole_batch else losses),
        "measured": _measured(rule, truth, answers),
        "answered": float(answered.mean()),
        "sizes": float((answers[answered] == 1).sum(axis=1).mean()) if answered.any() else None,
        "scores": _scores(truth[answered], answers[answered]),
        "plain_scores": _scores(truth, before),
        "changed": len(changed),
        "price": _price(rule, truth, answers, before),
        "examples": [
            {
                "row": int(rows[place]),
                "given": set_of(truth[place]),
                "before": set_of(before[place]),
                "after": set_of(answers[place]) if answered[place] else None,
                "expected": number(losses[place]),
            }
            for place in changed[:SHOWN]
        ],
    }


def coverage_curve(session: Session, decision: PlainDecision = "subset", *, model: int = 0) -> dict[str, Any]:
    """How good the answers are if only the surest share of the rows is answered.

    A score is 1 minus the measured loss. Costs have no such scale: their score is the share of labels that are right.
    """
    rows, truth = measured_rows(session)
    rule = read_rule(session, decision)
    if rule.whole_batch:
        raise InputError("a loss of all rows together has no share for a single row, so none can be left out")
    answers, expected = _decided(session, rows, rule, model)
    share = is_share(rule)
    right = 1.0 - rule.loss(truth, answers) if share else (truth == answers).mean(axis=1)
    order = np.argsort(expected, kind="stable")
    score = np.cumsum(right[order]) / np.arange(1, len(rows) + 1)
    at = np.unique(np.linspace(0, len(rows) - 1, POINTS).astype(int))
    return {
        "rows": len(rows),
        "share": share,
        "curve": [
            {
                "coverage": (place + 1) / len(rows),
                "score": float(score[place]),
                "confidence": float(1.0 - expected[order][place]),
            }
            for place in at.tolist()
        ],
        "targets": [_target(score, 1.0 - expected[order], level) for level in (0.8, 0.9, 0.95, 0.99)],
    }


def _target(score: Floats, confidence: Floats, level: float) -> dict[str, Any]:
    """The largest share of rows that can be answered at a level, and the confidence to ask for."""
    fine = np.flatnonzero(score >= level)
    if not fine.size:
        return {"level": level, "coverage": 0.0, "confidence": None}
    last = int(fine[-1])
    return {"level": level, "coverage": (last + 1) / len(score), "confidence": float(confidence[last])}


def read_rule(session: Session, given: PlainDecision) -> Rule:
    """A rule of what the page sends; ``"among": "seen"`` stands for the sets of the data."""
    return resolve(read_decision(_with_seen(session, given)) or "subset")


def _with_seen(session: Session, given: Any) -> Any:
    if not isinstance(given, dict):
        return given
    filled = {name: _with_seen(session, value) for name, value in given.items()}
    if filled.get("among") == "seen":
        labels = session.data.given
        assert labels is not None
        filled["among"] = np.unique(labels[(labels != FREE).all(axis=1)], axis=0)
    return filled


def measured_rows(session: Session) -> tuple[Array, Labels]:
    """The rows on which decisions are measured, and their given labels."""
    given = session.data.given
    if given is None:
        raise InputError("the rows have no labels, so no loss can be measured")
    whole = np.flatnonzero((given != FREE).all(axis=1))
    if not whole.size:
        raise InputError("every row has an unknown label, so no loss can be measured")
    rows = whole[np.unique(np.linspace(0, len(whole) - 1, min(MEASURED, len(whole))).astype(int))]
    return rows, given[rows]


def _decided(session: Session, rows: Array, rule: Rule, model: int) -> tuple[Labels, Floats]:
    """Answers (n, L) and expected losses (n,)."""
    if rule.whole_batch:
        return decide_together(session, rows, rule, model)
    answers = np.empty((len(rows), len(session.data.label_names)), dtype=np.int8)
    expected = np.empty(len(rows))
    for places, found in _blocks(session, rows, rule, model):
        answers[places], expected[places] = found.labels, found.expected_loss
    return answers, expected


def _blocks(session: Session, rows: Array, rule: Rule, model: int) -> Iterator[tuple[Array, Decided]]:
    for places, joint in session.judged(model).models.joints(rows):
        yield places, joint.decide(rule)


def _scores(truth: Labels, answers: Labels) -> dict[str, float | None]:
    if not len(truth):
        return {"exact match": None, "F1": None, "label accuracy": None}
    return {
        "exact match": float((truth == answers).all(axis=1).mean()),
        "F1": float(instance_scores(truth, answers).f1.mean()),
        "label accuracy": float((truth == answers).mean()),
    }


def _measured(rule: Rule, truth: Labels, answers: Labels) -> dict[str, float | None]:
    return batch_interval(rule, truth, answers) if rule.whole_batch else interval(rule.loss(truth, answers))


def _price(rule: Rule, truth: Labels, answers: Labels, before: Labels) -> dict[str, float | None]:
    """What the rule costs beside the plain answers, in its own loss; negative if it saves."""
    if rule.whole_batch:
        return batch_interval(rule, truth, answers, before)
    if isinstance(rule, Abstain):
        before = np.where(before == FREE, 0, before)
    return interval(rule.loss(truth, answers) - rule.loss(truth, before))
