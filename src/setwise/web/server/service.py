"""What the routes share: models, limits, threads and counters; and how one request is answered."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar

from pydantic import BaseModel
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from setwise.errors import quote_some
from setwise.web.api import Model
from setwise.web.app.limits import Limits
from setwise.web.app.threads import Threads
from setwise.web.server.metrics import Metrics
from setwise.web.server.models import Models, UnknownModel
from setwise.web.server.notices import notices

MOST_LISTS = 2**18
"""Lists and objects in a body: an empty one takes two bytes of it, and a hundred times that in memory."""
Asked = TypeVar("Asked", bound=BaseModel)


class Answer(NamedTuple):
    """An answer, and what is counted of it.

    Attributes
    ----------
    body : dict or bytes
    n_rows : int
    certified : int or None
        Rows whose set is proved best; None if no set was decided.
    headers : dict
    """

    body: Any
    n_rows: int
    certified: int | None = None
    headers: dict[str, str] | None = None


class Service(NamedTuple):
    """The state of a server process."""

    models: Models
    limits: Limits
    threads: Threads
    metrics: Metrics

    def model(self, name: str, version: str | None = None) -> Model:
        """The model of a name, and of a version if one is asked for."""
        try:
            model = self.models[name]
        except UnknownModel:
            known = quote_some([loaded.model.name for loaded in self.models])
            raise HTTPException(404, f"there is no model of this name; there are {known}") from None
        if version not in (None, model.version):
            raise HTTPException(404, f"the model {name!r} has the version {model.version!r} now")
        return model

    def check_rows(self, n_rows: int) -> None:
        """Refuse more rows than a request may have."""
        if n_rows > self.limits.rows:
            message = f"the request has {n_rows} rows; at most {self.limits.rows} are answered at once"
            raise HTTPException(413, message)

    async def respond(
        self, request: Request, model: Model, read: Callable[[bytes], Asked], work: Callable[[Asked], Answer]
    ) -> Response:
        """Read a body and compute its answer, both in a thread; one model makes the whole answer."""
        body = await request.body()

        def answered() -> tuple[Answer, bytes]:
            with notices() as found:
                answer = work(read(body))
            if isinstance(answer.body, bytes):
                return answer, answer.body
            if found:
                answer.body["warnings"] = found
            return answer, json.dumps(answer.body, allow_nan=False, ensure_ascii=False).encode()

        answer, content = await self.threads.run(answered)
        self._count(request, model, answer)
        kind = "application/octet-stream" if isinstance(answer.body, bytes) else "application/json"
        return Response(content, media_type=kind, headers=answer.headers)

    def _count(self, request: Request, model: Model, answer: Answer) -> None:
        request.scope["answered"] = {"model": model.name, "version": model.version, "rows": answer.n_rows}
        self.metrics.add("setwise_rows_total", answer.n_rows, model=model.name)
        if answer.certified is not None:
            self.metrics.add("setwise_decided_rows_total", answer.n_rows, model=model.name)
            self.metrics.add("setwise_certified_rows_total", answer.certified, model=model.name)


def read_as(schema: type[Asked]) -> Callable[[bytes], Asked]:
    """A function that reads a JSON body of this form."""

    def read(body: bytes) -> Asked:
        if body.count(b"[") + body.count(b"{") > MOST_LISTS:
            raise HTTPException(
                413, f"the body has more than {MOST_LISTS} lists and objects; send fewer rows"
            )
        return schema.model_validate_json(body)

    return read
