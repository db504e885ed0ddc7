"""The errors desk: rows whose given labels look wrong, what was decided about them, and when to stop."""

from __future__ import annotations

from typing import Any

import numpy as np

from setwise.contract import Array, Floats
from setwise.web.explorer.answers.plain import number, set_of
from setwise.web.explorer.corrections import CorrectionJournal
from setwise.web.explorer.held_out import Judgement
from setwise.web.explorer.session import Session

LOOK_AHEAD = 100
"""Rows that the stopping hint is about."""
PRIOR = 4.0
"""Reviews that the models' own probabilities are worth when they are compared with a person's decisions."""
MENTIONED = 0.02
"""Probability of being wrong from which a label is listed."""
CHANGES = ("accept", "edit")


def suspects(
    session: Session, journal: CorrectionJournal, *, start: int = 0, stop: int = 100, model: int = 0
) -> dict[str, Any]:
    """A page of the list of suspects, the most suspicious first, with the progress of the review."""
    judgement = session.judged(model).judgement
    order = suspicious(judgement)
    wrong = probably_wrong(judgement)
    journal.refresh()
    return {
        "total": len(order),
        "start": start,
        "rows": [_entry(session, judgement, journal, int(row), wrong[row]) for row in order[start:stop]],
        "progress": progress(judgement, order, wrong, journal),
    }


def suspicious(judgement: Judgement) -> Array:
    """Rows for which the held-out models suggest another set, the most suspicious first."""
    order = np.argsort(-judgement.score, kind="stable")
    return order[judgement.score[order] > 0]


def probably_wrong(judgement: Judgement) -> Floats:
    """Probability (n,) that some given label of each row is wrong if it is one of the model's kind of errors."""
    return np.asarray(judgement.wrong.max(axis=1), dtype=np.float64)


def progress(judgement: Judgement, order: Array, wrong: Floats, journal: CorrectionJournal) -> dict[str, Any]:
    """How many rows were reviewed and changed, and how many changes the next rows would bring.

    The expectation is the sum of the models' probabilities, scaled by how often the person agreed with them so far.
    """
    decided = {entry.row: entry for entry in journal.current() if entry.action != "skip"}
    reviewed = np.array([row for row in order if int(row) in decided], dtype=np.intp)
    changed = sum(entry.action in CHANGES for entry in decided.values())
    agreed = sum(decided[int(row)].action in CHANGES for row in reviewed)
    rate = (agreed + PRIOR) / (wrong[reviewed].sum() + PRIOR)
    following = [row for row in order if int(row) not in decided][:LOOK_AHEAD]
    expected = min(float(rate * wrong[following].sum()), float(len(following)))
    return {
        "reviewed": len(decided),
        "changed": changed,
        "skipped": sum(entry.action == "skip" for entry in journal.current()),
        "suspects": len(order),
        "next": len(following),
        "expected_changes": expected,
    }


def _entry(
    session: Session, judgement: Judgement, journal: CorrectionJournal, row: int, wrong: float
) -> dict[str, Any]:
    given = session.given_set(row)
    assert given is not None
    decided = journal.of(row)
    return {
        "row": row,
        "summary": session.data.rows.summary(row),
        "given": set_of(given),
        "suggested": set_of(judgement.suggested[row]),
        "score": number(judgement.score[row]),
        "wrong": number(wrong),
        "probability_given": number(np.exp(judgement.log_prob[row])),
        "probability_suggested": number(judgement.confidence[row]),
        "version": journal.version(row),
        "decided": None if decided is None else decided.plain(),
    }


def describe_suspect(
    session: Session, journal: CorrectionJournal, row: int, *, model: int = 0
) -> dict[str, Any]:
    """A row of the desk: the labels that are probably wrong, its place in the order, and what comes next."""
    session.check_row(row)
    judgement = session.judged(model).judgement
    journal.refresh()
    order, wrong = suspicious(judgement), probably_wrong(judgement)
    places = np.flatnonzero(order == row)
    place = int(places[0]) if places.size else None
    return _entry(session, judgement, journal, row, wrong[row]) | {
        "place": place,
        "next": following(order, journal, place),
        "previous": None if not place else int(order[place - 1]),
        "reasons": _reasons(session, judgement, row),
        "progress": progress(judgement, order, wrong, journal),
    }


def following(order: Array, journal: CorrectionJournal, place: int | None) -> int | None:
    """The next suspicious row without a decision; after the last one the search begins again at the first."""
    start = 0 if place is None else place + 1
    around = [*order[start:], *order[: max(start - 1, 0)]]
    return next((int(row) for row in around if journal.of(int(row)) is None), None)


def _reasons(session: Session, judgement: Judgement, row: int) -> list[dict[str, Any]]:
    """The labels that are most probably wrong, by a model that has not seen the row."""
    given = session.given_set(row)
    assert given is not None
    worst = np.argsort(-judgement.wrong[row], kind="stable")[:8]
    return [
        {
            "label": int(label),
            "given": int(given[label]),
            "wrong": number(judgement.wrong[row, label]),
            "marginal": number(judgement.marginals[row, label]),
        }
        for label in worst
        if judgement.wrong[row, label] > MENTIONED
    ]
