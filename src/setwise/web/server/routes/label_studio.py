"""A machine learning backend of Label Studio for every model: its address is /label_studio/MODEL."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter
from pydantic import BaseModel, ConfigDict, FailFast
from starlette.requests import Request
from starlette.responses import Response

from setwise.web.api import Model
from setwise.web.server import schemas
from setwise.web.server.labelling.config import find_choices, read_config
from setwise.web.server.labelling.predictions import predictions, task_row
from setwise.web.server.routes.plain import body_of
from setwise.web.server.service import Answer, Service, read_as


class SetupRequest(BaseModel):
    """What Label Studio sends when a backend is connected. Addresses and tokens in it are not used."""

    model_config = ConfigDict(extra="ignore")

    project: str | None = None


class TasksRequest(BaseModel):
    """Tasks to predict."""

    model_config = ConfigDict(extra="ignore")

    tasks: Annotated[list[dict[str, Any]], FailFast()]
    label_config: str


class Event(BaseModel):
    """Something that happened in Label Studio."""

    model_config = ConfigDict(extra="ignore")

    action: str | None = None


class Health(BaseModel):
    """The backend runs."""

    status: str
    model_class: str


class Version(BaseModel):
    """The version of the model."""

    model_version: str


class Versions(BaseModel):
    """All versions that the backend has."""

    versions: list[str]


class Predictions(BaseModel):
    """A prediction per task."""

    results: list[dict[str, Any]]
    model_version: str


class Heard(BaseModel):
    """An event was heard, and changed nothing."""

    status: str


def label_studio_routes(service: Service) -> APIRouter:
    """The routes of the backend."""
    router = APIRouter(prefix="/label_studio/{name}", tags=["Label Studio"], responses=schemas.PROBLEMS)

    @router.get("", response_model=Health)
    @router.get("/health", response_model=Health)
    async def health(name: str) -> dict[str, str]:
        """Whether the backend runs."""
        return {"status": "UP", "model_class": service.model(name).parts.about.estimator}

    @router.get("/versions", response_model=Versions)
    async def versions(name: str) -> dict[str, list[str]]:
        """The versions of the model: one."""
        return {"versions": [service.model(name).version]}

    _add(
        router,
        service,
        "setup",
        SetupRequest,
        Version,
        lambda model, _: Answer({"model_version": model.version}, 0),
    )
    _add(
        router,
        service,
        "predict",
        TasksRequest,
        Predictions,
        lambda model, body: _predict(service, model, body),
    )
    _add(router, service, "webhook", Event, Heard, lambda *_: Answer({"status": "ignored"}, 0))
    return router


def _add(router: APIRouter, service: Service, path: str, asked: Any, answered: Any, work: Any) -> None:
    read = read_as(asked)

    async def route(request: Request, name: str) -> Response:
        model = service.model(name)
        return await service.respond(request, model, read, lambda body: work(model, body))

    router.add_api_route(
        f"/{path}",
        route,
        methods=["POST"],
        name=f"label_studio_{path}",
        summary=asked.__doc__.splitlines()[0],
        response_model=answered,
        openapi_extra=body_of(asked),
    )


def _predict(service: Service, model: Model, body: TasksRequest) -> Answer:
    service.check_rows(len(body.tasks))
    interface = read_config(body.label_config)
    control = find_choices(interface, model.labels)
    rows = [task_row(model, task, control, interface, number) for number, task in enumerate(body.tasks)]
    results = predictions(model, rows, control) if rows else []
    return Answer({"results": results, "model_version": model.version}, len(rows))
