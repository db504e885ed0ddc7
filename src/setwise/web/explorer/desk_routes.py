"""The routes of the errors desk: suspects, decisions about them, exports, and fitting again."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

from fastapi import APIRouter
from starlette.responses import JSONResponse, Response

from setwise.errors import InputError
from setwise.persistence import save
from setwise.web.explorer import requests
from setwise.web.explorer.answers.suspects import describe_suspect, suspects
from setwise.web.explorer.corrections import Conflict, CorrectionJournal
from setwise.web.explorer.corrections.copies import PlainCopy
from setwise.web.explorer.corrections.label_studio import label_studio_tasks
from setwise.web.explorer.corrections.labels import corrected_labels
from setwise.web.explorer.corrections.patch import patch_csv
from setwise.web.explorer.corrections.refit import Refit, refit
from setwise.web.explorer.session import Session

LONGEST_PAGE = 500
REFIT = "fitting with the corrections"


def add_desk(router: APIRouter, session: Session, journal: CorrectionJournal) -> None:
    """Add the routes of the desk."""
    _add_review(router, session, journal)
    _add_exports(router, session, journal)
    _add_refit(router, session, journal)


def _add_review(router: APIRouter, session: Session, journal: CorrectionJournal) -> None:
    @router.get("/suspects")
    def get_suspects(start: int = 0, stop: int = 100) -> dict[str, Any]:
        return suspects(session, journal, start=start, stop=min(stop, start + LONGEST_PAGE))

    @router.get("/suspects/{row}")
    def get_suspect(row: int) -> dict[str, Any]:
        return describe_suspect(session, journal, row)

    @router.post("/corrections", response_model=None)
    def post_correction(asked: requests.CorrectionBody) -> dict[str, Any] | Response:
        session.check_row(asked.row)
        try:
            journal.add(asked.row, asked.action, asked.labels, note=asked.note, seen=asked.seen)
        except Conflict as conflict:
            return JSONResponse({"error": str(conflict)}, 409)
        return describe_suspect(session, journal, asked.row)

    @router.get("/corrections")
    def get_corrections() -> dict[str, Any]:
        journal.refresh()
        last = journal.last()
        entries = [entry.plain() for entry in journal.current()]
        return {"corrections": entries, "last": None if last is None else last.row}


def _add_exports(router: APIRouter, session: Session, journal: CorrectionJournal) -> None:
    data = session.data
    assert data.given is not None
    given = data.given

    @router.get("/export/patch.csv")
    def get_patch() -> Response:
        journal.refresh()
        return _file(patch_csv(given, data.label_names, journal), "text/csv", f"{data.name}-patch.csv")

    @router.get("/export/corrected.csv")
    def get_copy() -> Response:
        journal.refresh()
        copy = data.copy or PlainCopy(data.rows, data.label_names)
        text = copy(given, corrected_labels(given, data.label_names, journal))
        return _file(text, "text/csv", f"{data.name}-corrected.csv")

    @router.get("/export/label-studio.json")
    def get_tasks() -> Response:
        journal.refresh()
        return JSONResponse(
            label_studio_tasks(session, journal), headers=_attached(f"{data.name}-label-studio.json")
        )


def _add_refit(router: APIRouter, session: Session, journal: CorrectionJournal) -> None:
    @router.post("/refit")
    def post_refit() -> dict[str, Any]:
        session.judged()
        session.jobs.start(REFIT, lambda job: refit(session, journal, job.progress))
        return {"started": REFIT}

    @router.get("/refit")
    def get_refit() -> dict[str, Any]:
        job = session.jobs.get(REFIT)
        result: Refit | None = None if job is None else job.result
        return {
            "job": None if job is None else job.plain(),
            "report": None if result is None else result.report,
        }

    @router.get("/export/model.setwise")
    def get_model() -> Response:
        job = session.jobs.get(REFIT)
        if job is None or job.result is None:
            raise InputError("the model has not been fitted with the corrections yet")
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "model.setwise"
            save(session.model(0).whole(job.result.model), path)
            content = path.read_bytes()
        return _file(content, "application/octet-stream", f"{session.model(0).name}-corrected.setwise")


def _file(content: str | bytes, kind: str, name: str) -> Response:
    return Response(content, media_type=kind, headers=_attached(name))


def _attached(name: str) -> dict[str, str]:
    """The header that makes a browser save the answer; the name has no sign that could end it early."""
    safe = "".join(sign if sign.isascii() and (sign.isalnum() or sign in "._-") else "_" for sign in name)
    return {"Content-Disposition": f'attachment; filename="{safe}"'}
