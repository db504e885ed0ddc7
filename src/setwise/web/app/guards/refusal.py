"""The answer of a guard that refuses a request."""

from __future__ import annotations

from collections.abc import Mapping

from starlette.responses import JSONResponse

CLOSE = {"Connection": "close"}
"""Ends the connection after the answer, so that the rest of a refused body is not read."""


def refusal(status: int, message: str, headers: Mapping[str, str] | None = None) -> JSONResponse:
    """An error as every client gets it: JSON with a message.

    Examples
    --------
    >>> refusal(413, "too large").body
    b'{"error":"too large"}'
    """
    return JSONResponse({"error": message}, status, headers=dict(headers or {}))
