"""The plain JSON API: one route per question."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from setwise.web.api import QUESTIONS, Model, describe
from setwise.web.server import schemas
from setwise.web.server.service import Answer, Service, read_as

FORMS: dict[str, tuple[type[schemas.Rows], type[Any]]] = {
    "predict": (schemas.PredictRequest, schemas.PredictAnswer),
    "marginals": (schemas.Given, schemas.MarginalsAnswer),
    "top_k": (schemas.TopKRequest, schemas.TopKAnswer),
    "sizes": (schemas.Given, schemas.SizesAnswer),
    "next_question": (schemas.NextQuestionRequest, schemas.NextQuestionAnswer),
    "explain": (schemas.ExplainRequest, schemas.ExplainAnswer),
    "label_errors": (schemas.LabelErrorsRequest, schemas.LabelErrorsAnswer),
}
"""The form of the request and of an answer, for every question."""


def plain_routes(service: Service) -> APIRouter:
    """The routes of the plain API."""
    router = APIRouter(prefix="/api", tags=["questions"], responses=schemas.PROBLEMS)

    @router.get("/models", response_model=schemas.ModelList)
    async def list_models() -> dict[str, Any]:
        """The models of the server."""
        return {"models": [loaded.model.name for loaded in service.models], "refused": service.models.refused}

    @router.get("/models/{name}", response_model=schemas.ModelDescription)
    async def describe_model(name: str) -> dict[str, Any]:
        """What a model takes and answers."""
        model = service.model(name)
        errors = {loaded.model.name: loaded.error for loaded in service.models}
        return describe(model) | {"reload_error": errors.get(name)}

    for question in QUESTIONS:
        _add_question(router, service, question)
    return router


def _add_question(router: APIRouter, service: Service, question: str) -> None:
    ask, (asked, answered) = QUESTIONS[question], FORMS[question]
    read = read_as(asked)

    def answer(model: Model, body: schemas.Rows) -> Answer:
        rows = body.all_rows()
        service.check_rows(len(rows))
        answers = ask(model, rows, **body.options())
        certified = sum(row["certified"] for row in answers) if "certified" in answered.model_fields else None
        return Answer(
            {"model": model.name, "version": model.version, "answers": answers}, len(rows), certified
        )

    async def route(request: Request, name: str) -> Response:
        model = service.model(name)
        return await service.respond(request, model, read, lambda body: answer(model, body))

    router.add_api_route(
        f"/models/{{name}}/{question}",
        route,
        methods=["POST"],
        name=question,
        summary=(ask.__doc__ or "").splitlines()[0],
        response_model=schemas.Answers[answered],  # type: ignore[valid-type]
        openapi_extra=body_of(asked),
    )


def body_of(form: type[Any]) -> dict[str, Any]:
    """The OpenAPI description of a body that the route reads itself, in a thread."""
    schema = {"$ref": f"#/components/schemas/{form.__name__}"}
    return {"requestBody": {"required": True, "content": {"application/json": {"schema": schema}}}}
