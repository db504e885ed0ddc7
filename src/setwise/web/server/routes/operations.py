"""For those who run the server: metrics, and a page that describes the API."""

from __future__ import annotations

from importlib.metadata import version
from typing import Any

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, Response

from setwise.web.server import schemas
from setwise.web.server.openapi import page
from setwise.web.server.service import Service

PAGE_POLICY = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; base-uri 'none'"
TEXT_FORMAT = "text/plain; version=0.0.4; charset=utf-8"
"""The media type of Prometheus' text format."""


def operation_routes(service: Service) -> APIRouter:
    """The routes for those who run the server."""
    errors: dict[int | str, Any] = {
        status: schemas.PROBLEMS[status] for status in (400, 401, 403, 408, 413, 415, 421)
    }
    router = APIRouter(tags=["operations"], responses=errors)

    @router.get("/metrics", response_class=PlainTextResponse)
    def metrics() -> Response:
        """Counters for Prometheus."""
        infos = [
            {
                "model": found.model.name,
                "version": found.model.version,
                "estimator": found.model.parts.about.estimator,
            }
            for found in service.models
        ]
        text = service.metrics.text(
            {"setwise_model": infos, "setwise_server": [{"version": version("setwise")}]}
        )
        return PlainTextResponse(text, media_type=TEXT_FORMAT)

    @router.get("/docs", response_class=HTMLResponse)
    def docs(request: Request) -> Response:
        """This description as a page."""
        return HTMLResponse(page(request.app.openapi()), headers={"Content-Security-Policy": PAGE_POLICY})

    return router
