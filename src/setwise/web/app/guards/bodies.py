"""Bodies of requests: their type, their size while they arrive, and the time they take.

A ``Content-Length`` can lie and a chunked body has none, so bytes are counted as they come.
"""

from __future__ import annotations

import asyncio
from collections.abc import Collection

from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from setwise.web.app.guards.refusal import CLOSE, refusal
from setwise.web.app.limits import Limits

JSON = "application/json"
"""A type that a form of another site cannot send without asking first."""
WITH_BODY = frozenset({"POST", "PUT", "PATCH"})


class BodyGuard:
    """Refuse bodies of other types (415), of two lengths (400), that are too large (413) or too slow (408).

    Parameters
    ----------
    app : ASGI application
    limits : Limits
    types : collection of str
        Media types that are read.
    """

    def __init__(self, app: ASGIApp, limits: Limits, types: Collection[str] = (JSON,)) -> None:
        self.app, self.limits, self.types = app, limits, types

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """See ASGI."""
        if scope["type"] != "http":
            return await self.app(scope, receive, send)
        problem = self._problem(scope["method"], Headers(scope=scope))
        if problem is not None:
            return await refusal(*problem, CLOSE)(scope, receive, send)
        return await self.app(scope, _Counted(receive, self.limits).receive, send)

    def _problem(self, method: str, headers: Headers) -> tuple[int, str] | None:
        """The status and the message for a request whose headers are enough to refuse it."""
        kind = headers.get("content-type", "").partition(";")[0].strip().lower()
        if method in WITH_BODY and kind not in self.types and (kind or _is_browser(headers)):
            return 415, f"expected a body of Content-Type {' or '.join(self.types)}"
        if headers.get("content-encoding", "identity").lower() != "identity":
            return 415, "expected a body without Content-Encoding"
        length = headers.get("content-length", "")
        if length and "transfer-encoding" in headers:  # a proxy may read another end of the body: smuggling
            return 400, "expected either Content-Length or Transfer-Encoding"
        if length.isdecimal() and int(length[:20]) > self.limits.body_bytes:
            return 413, too_large(self.limits)
        return None


def _is_browser(headers: Headers) -> bool:
    """Whether a request comes from a page, which might leave out the type to avoid being asked about."""
    return "origin" in headers or "sec-fetch-site" in headers


class _Counted:
    """The stream of one body. What it raises becomes an answer where the application handles errors."""

    def __init__(self, receive: Receive, limits: Limits) -> None:
        self._receive, self._limits = receive, limits
        self._bytes, self._complete = 0, False
        self._deadline = asyncio.get_running_loop().time() + limits.body_seconds

    async def receive(self) -> Message:
        if self._complete:
            return await self._receive()
        try:
            async with asyncio.timeout_at(self._deadline):
                message = await self._receive()
        except TimeoutError:
            text = f"the body took longer than {self._limits.body_seconds:g} seconds"
            raise HTTPException(408, text, CLOSE) from None
        self._bytes += len(message.get("body", b""))
        self._complete = not message.get("more_body", False)
        if self._bytes > self._limits.body_bytes:
            raise HTTPException(413, too_large(self._limits), CLOSE)
        return message


def too_large(limits: Limits) -> str:
    """What to do about a body that is too large."""
    return f"the body has more than {limits.body_bytes} bytes; send fewer rows in a request"
