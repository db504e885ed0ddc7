"""The explorer as a web application: its page and its questions behind the shared guards."""

from __future__ import annotations

from pathlib import Path

from fastapi import APIRouter, FastAPI
from starlette.responses import FileResponse, RedirectResponse, Response
from starlette.staticfiles import StaticFiles

from setwise.web.app import create_app
from setwise.web.explorer.corrections import CorrectionJournal
from setwise.web.explorer.routes import explorer_routes
from setwise.web.explorer.session import Session

PAGE = Path(__file__).parent / "page"
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "form-action 'none'; base-uri 'none'; frame-ancestors 'none'"
)
"""Nothing from elsewhere, and no script or style inside the page."""


def explorer_app(session: Session, journal: CorrectionJournal | None) -> FastAPI:
    """The application of one session."""
    app = create_app(
        [explorer_routes(session, journal), _page_routes()],
        title="setwise explore",
        policy=POLICY,
        openapi_url=None,
    )
    app.mount("/page", StaticFiles(directory=PAGE), name="page")
    return app


def _page_routes() -> APIRouter:
    router = APIRouter()

    @router.get("/", include_in_schema=False)
    def index() -> Response:
        return FileResponse(PAGE / "index.html")

    @router.get("/favicon.ico", include_in_schema=False)
    def icon() -> Response:
        return RedirectResponse("/page/icon.svg")

    return router
