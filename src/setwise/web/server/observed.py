"""Count and log every request, also those that a guard refuses."""

from __future__ import annotations

import logging
import time

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from setwise.web.server.metrics import Metrics

LOG = logging.getLogger("setwise.web")
METHODS = frozenset({"GET", "POST", "HEAD", "OPTIONS", "PUT", "DELETE", "PATCH"})


class Observed:
    """Middleware that sees the time and the status of every request.

    The route is logged as it is declared, ``/api/models/{name}``: what a client puts in its place is not.

    Parameters
    ----------
    app : ASGI application
    metrics : Metrics
    """

    def __init__(self, app: ASGIApp, metrics: Metrics) -> None:
        self.app, self.metrics = app, metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """See ASGI."""
        if scope["type"] != "http":
            return await self.app(scope, receive, send)
        started, status = time.perf_counter(), 500

        async def noting(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        try:
            await self.app(scope, receive, noting)
        finally:
            self._note(scope, status, time.perf_counter() - started)

    def _note(self, scope: Scope, status: int, seconds: float) -> None:
        route = getattr(scope.get("route"), "path", "none")
        method = scope["method"] if scope["method"] in METHODS else "other"
        self.metrics.add("setwise_requests_total", 1, route=route, method=method, status=str(status))
        self.metrics.observe("setwise_request_seconds", seconds, route=route)
        details = {"method": method, "route": route, "status": status, "seconds": round(seconds, 6)}
        LOG.info("request", extra=details | scope.get("answered", {}))
