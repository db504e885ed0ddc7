"""The routes of the explorer: the questions that its page asks."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter

from setwise.web.explorer import requests
from setwise.web.explorer.answers.comparison import compare_models
from setwise.web.explorer.answers.decisions import coverage_curve, measure_decision
from setwise.web.explorer.answers.explanation import explain_row
from setwise.web.explorer.answers.labels import label_figures
from setwise.web.explorer.answers.overview import overview
from setwise.web.explorer.answers.reliability import reliability
from setwise.web.explorer.answers.row import answer_row, describe_row
from setwise.web.explorer.answers.scores import slice_scores
from setwise.web.explorer.answers.slices import list_rows, select
from setwise.web.explorer.corrections import CorrectionJournal
from setwise.web.explorer.desk_routes import add_desk
from setwise.web.explorer.session import Session

LONGEST_PAGE = 500
"""Rows of a list that are sent at once."""


def explorer_routes(session: Session, journal: CorrectionJournal | None) -> APIRouter:
    """Questions about a session as routes below ``/api``."""
    router = APIRouter(prefix="/api")

    @router.get("/session")
    def get_session() -> dict[str, Any]:
        return overview(session, journal)

    @router.get("/jobs")
    def get_jobs() -> list[dict[str, Any]]:
        return session.jobs.plain()

    _add_rows(router, session)
    _add_slices(router, session)
    _add_decisions(router, session)
    if journal is not None:
        add_desk(router, session, journal)
    return router


def _add_rows(router: APIRouter, session: Session) -> None:
    @router.get("/row/{row}")
    def get_row(row: int) -> dict[str, Any]:
        return describe_row(session, row)

    @router.post("/row")
    def post_row(asked: requests.RowQuestion) -> dict[str, Any]:
        return answer_row(
            session,
            asked.row,
            model=asked.model,
            evidence=asked.evidence,
            changes=asked.changes,
            n_sets=asked.n_sets,
            held_out=asked.held_out,
            parts=tuple(asked.parts),
        )

    @router.post("/why")
    def post_why(asked: requests.Why) -> dict[str, Any]:
        return explain_row(
            session,
            asked.row,
            label=asked.label,
            labels=asked.labels,
            model=asked.model,
            evidence=asked.evidence,
            changes=asked.changes,
        )


def _add_slices(router: APIRouter, session: Session) -> None:
    @router.post("/rows")
    def post_rows(asked: requests.ListQuestion) -> dict[str, Any]:
        stop = min(asked.stop, asked.start + LONGEST_PAGE)
        return list_rows(session, asked.conditions(), asked.start, stop)

    @router.post("/labels")
    def post_labels(asked: requests.SliceBody) -> dict[str, Any]:
        return label_figures(session, select(session, asked.conditions()), asked.model)

    @router.post("/scores")
    def post_scores(asked: requests.SliceBody) -> dict[str, Any]:
        return slice_scores(session, select(session, asked.conditions()), asked.model)

    @router.post("/reliability")
    def post_reliability(asked: requests.SliceBody) -> dict[str, Any]:
        return reliability(session, select(session, asked.conditions()), asked.model)


def _add_decisions(router: APIRouter, session: Session) -> None:
    @router.post("/decisions")
    def post_decisions(asked: requests.DecisionBody) -> dict[str, Any]:
        return measure_decision(session, asked.decision, plain=asked.plain, model=asked.model)

    @router.post("/coverage")
    def post_coverage(asked: requests.DecisionBody) -> dict[str, Any]:
        return coverage_curve(session, asked.decision, model=asked.model)

    @router.get("/comparison")
    def get_comparison(start: int = 0, stop: int = 100, right: str = "") -> dict[str, Any]:
        return compare_models(session, start=start, stop=min(stop, start + LONGEST_PAGE), right=right)
