"""Errors as answers: JSON with a message, and the row, column or label it is about."""

from __future__ import annotations

import logging
from typing import Any

from fastapi import FastAPI
from fastapi.exceptions import RequestValidationError
from pydantic import ValidationError
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse

from setwise.contract import NotTractable
from setwise.errors import InputProblem
from setwise.printable import printable

LOG = logging.getLogger("setwise.web")
WORDS = {
    "Not Found": "there is nothing at this address",
    "Method Not Allowed": "this address takes another method",
}
"""What is said in the place of the bare name of a status."""
SHOWN = 3
"""Errors of one body that a message lists."""


def add_handlers(app: FastAPI) -> None:
    """Answer every error of an application in the same form."""
    app.add_exception_handler(HTTPException, _http)
    app.add_exception_handler(ValidationError, _validation)
    app.add_exception_handler(RequestValidationError, _validation)
    app.add_exception_handler(ValueError, _wrong_input)
    app.add_exception_handler(NotTractable, _wrong_input)
    app.add_exception_handler(MemoryError, _memory)
    app.add_exception_handler(Exception, _unexpected)


def problem(error: Exception) -> dict[str, Any]:
    """The body of the answer to wrong input.

    Examples
    --------
    >>> from setwise.errors import InputError
    >>> problem(InputError("the model has no label 'see'", label="see"))
    {'error': "the model has no label 'see'", 'label': 'see'}
    """
    body = {"error": printable(str(error))}
    if isinstance(error, InputProblem):
        fields = {name: getattr(error, name) for name in ("row", "column", "label")}
        body |= {name: value for name, value in fields.items() if value is not None}
    return body


async def _http(_: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, HTTPException)
    said = WORDS.get(error.detail, error.detail)
    return JSONResponse({"error": said}, error.status_code, headers=dict(error.headers or {}))


async def _wrong_input(_: Request, error: Exception) -> JSONResponse:
    return JSONResponse(problem(error), 422)


async def _validation(_: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, (ValidationError, RequestValidationError))
    found = error.errors()
    if any(item["type"] == "json_invalid" for item in found):
        return JSONResponse({"error": f"the body is not JSON: {_detail(found[0])}"}, 400)
    return JSONResponse({"error": printable("; ".join(_said(list(found))))}, 422)


def _said(found: list[Any]) -> list[str]:
    """The deepest errors: a value that fits none of several types has one error for each type."""
    deepest = max(len(item["loc"]) for item in found)
    chosen = [item for item in found if len(item["loc"]) == deepest][:SHOWN]
    return [
        f"{'.'.join(str(part)[:60] for part in item['loc'])}: {item['msg']}".lstrip(": ") for item in chosen
    ]


def _detail(item: Any) -> str:
    return str(item.get("ctx", {}).get("error", item["msg"]))


async def _memory(_: Request, error: Exception) -> JSONResponse:
    return JSONResponse({"error": "not enough memory for this request; send fewer rows"}, 413)


async def _unexpected(request: Request, error: Exception) -> JSONResponse:
    """An error of the server itself; its text may quote the request, so it stays in the log."""
    LOG.error("unexpected", exc_info=error)
    return JSONResponse({"error": "the server failed on this request; its log says why"}, 500)
