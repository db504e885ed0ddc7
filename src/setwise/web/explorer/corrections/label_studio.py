"""Corrections and suggestions as tasks of Label Studio."""

from __future__ import annotations

from typing import Any

from setwise.web.explorer.answers.suspects import suspicious
from setwise.web.explorer.corrections.journal import Correction, CorrectionJournal
from setwise.web.explorer.session import Session

CONTROL, OBJECT = "labels", "text"
"""Names of the choices and of what is labelled in the labelling interface."""


def label_studio_tasks(session: Session, journal: CorrectionJournal) -> list[dict[str, Any]]:
    """A task for every suspicious or reviewed row: the decision as an annotation, the suggestion as a prediction."""
    judgement = session.judged().judgement
    decided = {entry.row: entry for entry in journal.current() if entry.action != "skip"}
    rows = [int(row) for row in suspicious(judgement)]
    rows += [row for row in decided if row not in set(rows)]
    return [_task(session, row, decided.get(row)) for row in rows]


def _task(session: Session, row: int, decided: Correction | None) -> dict[str, Any]:
    judgement, names = session.judged().judgement, session.data.label_names
    given = session.given_set(row)
    assert given is not None
    cells = {cell.name: cell.value for cell in session.data.rows.cells(row)}
    suggested = [names[label] for label in judgement.suggested[row].nonzero()[0]]
    prediction = {
        "model_version": session.model(0).name,
        "score": float(judgement.confidence[row]),
        "result": [_choices(suggested)],
    }
    labels = [names[label] for label in (given == 1).nonzero()[0]]
    task: dict[str, Any] = {
        "data": cells | {"row": row, OBJECT: cells.get(OBJECT, session.data.rows.summary(row))}
    }
    task |= {"meta": {"given": labels}, "predictions": [prediction], "annotations": []}
    if decided is not None:
        chosen = labels if decided.action == "keep" else list(decided.labels)
        task["annotations"] = [{"result": [_choices(chosen)], "ground_truth": False}]
        task["meta"] |= {"action": decided.action, "note": decided.note}
    return task


def _choices(names: list[str]) -> dict[str, Any]:
    return {"from_name": CONTROL, "to_name": OBJECT, "type": "choices", "value": {"choices": names}}
