"""The Open Inference Protocol V2, which KServe, Triton, MLServer and their clients speak."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from importlib.metadata import version
from typing import Annotated, Any

from fastapi import APIRouter
from pydantic import BaseModel, ConfigDict, FailFast, Field
from starlette.requests import Request
from starlette.responses import Response

from setwise.errors import InputError, Parameter
from setwise.web.api import Model
from setwise.web.api.decisions import read_decision
from setwise.web.api.questions.top_k import MAX_K
from setwise.web.server import schemas
from setwise.web.server.inference.binary import BINARY, LENGTH, attach, split_body, with_bytes
from setwise.web.server.inference.inputs import input_tensors, read_inputs
from setwise.web.server.inference.outputs import check_outputs, compute, output_tensors
from setwise.web.server.inference.tensors import Parameters, Tensor, write
from setwise.web.server.routes.plain import body_of
from setwise.web.server.service import Answer, Service, read_as

LIVE, READY = "/v2/health/live", "/v2/health/ready"
"""Paths of health checks, which need no token."""


class RequestedOutput(BaseModel):
    """An output that is asked for."""

    model_config = ConfigDict(extra="ignore")

    name: str
    parameters: Parameters | None = None


class InferRequest(BaseModel):
    """Tensors of features, perhaps one of evidence; the parameters `decision` and `k`."""

    model_config = ConfigDict(extra="ignore")

    id: str | None = None
    parameters: Parameters | None = None
    inputs: Annotated[list[Tensor], FailFast(), Field(min_length=1, max_length=4096)]
    outputs: Annotated[list[RequestedOutput], Field(max_length=64)] | None = None


class OutputTensor(BaseModel):
    """A named array of an answer."""

    name: str
    datatype: str
    shape: list[int]
    data: list[Any]


class InferAnswer(BaseModel):
    """Tensors, one entry per row."""

    model_name: str
    model_version: str
    id: str | None = None
    parameters: dict[str, Any] = {}
    outputs: list[OutputTensor]


class DeclaredTensor(BaseModel):
    """A tensor that a model takes or answers; -1 is any size."""

    name: str
    datatype: str
    shape: list[int]
    parameters: dict[str, Any] = {}


class ModelMetadata(BaseModel):
    """What a model takes and answers."""

    name: str
    versions: list[str]
    platform: str
    inputs: list[DeclaredTensor]
    outputs: list[DeclaredTensor]
    parameters: dict[str, Any] = {}


class ServerMetadata(BaseModel):
    """The server."""

    name: str
    version: str
    extensions: list[str]


class Live(BaseModel):
    """The server runs."""

    live: bool


class Ready(BaseModel):
    """The server, or a model, answers."""

    ready: bool


def inference_routes(service: Service) -> APIRouter:
    """The routes of the protocol."""
    router = APIRouter(prefix="/v2", tags=["Open Inference Protocol V2"], responses=schemas.PROBLEMS)

    @router.get("", response_model=ServerMetadata)
    async def server() -> dict[str, Any]:
        """Name and version of the server."""
        return {"name": "setwise", "version": version("setwise"), "extensions": ["binary_tensor_data"]}

    @router.get("/health/live", response_model=Live)
    async def live() -> dict[str, bool]:
        """Whether the server runs."""
        return {"live": True}

    @router.get("/health/ready", response_model=Ready)
    async def ready() -> dict[str, bool]:
        """Whether the server answers: its models are loaded before it listens."""
        return {"ready": True}

    @router.get("/models/{name}", response_model=ModelMetadata)
    @router.get("/models/{name}/versions/{version}", response_model=ModelMetadata)
    async def metadata(name: str, version: str | None = None) -> dict[str, Any]:
        """What a model takes and answers."""
        return _metadata(service.model(name, version))

    @router.get("/models/{name}/ready", response_model=Ready)
    @router.get("/models/{name}/versions/{version}/ready", response_model=Ready)
    async def model_ready(name: str, version: str | None = None) -> dict[str, bool]:
        """Whether a model answers."""
        service.model(name, version)
        return {"ready": True}

    described: dict[str, Any] = {
        "response_model": InferAnswer,
        "openapi_extra": body_of(InferRequest),
        "responses": {200: {"content": {BINARY: {}}}},
    }

    @router.post("/models/{name}/infer", **described)
    @router.post("/models/{name}/versions/{version}/infer", **described)
    async def infer(request: Request, name: str, version: str | None = None) -> Response:
        """Sets, probabilities, log-probabilities and certificates of rows."""
        model = service.model(name, version)
        read = _reader(request.headers.get(LENGTH))
        return await service.respond(request, model, read, lambda body: _answer(service, model, body))

    return router


def _reader(length: str | None) -> Callable[[bytes], InferRequest]:
    """A function that reads a body: JSON, perhaps with the bytes of tensors behind it."""
    read_json = read_as(InferRequest)

    def read(body: bytes) -> InferRequest:
        head, content = split_body(body, length)
        asked = read_json(head)
        attach(asked.inputs, content)
        return asked

    return read


def _metadata(model: Model) -> dict[str, Any]:
    return {
        "name": model.name,
        "versions": [model.version],
        "platform": f"setwise_{model.parts.about.estimator}",
        "inputs": input_tensors(model),
        "outputs": output_tensors(model),
        "parameters": {"labels": model.labels},
    }


def _answer(service: Service, model: Model, body: InferRequest) -> Answer:
    names = [output.name for output in body.outputs or []]
    check_outputs(names)
    X, known, n_rows = read_inputs(model, body.inputs, service.limits.rows)
    decision, k = _parameters(body.parameters or {})
    found = compute(model, X, known, names, decision, k)
    answer = {
        "model_name": model.name,
        "model_version": model.version,
        **({} if body.id is None else {"id": body.id}),
        "parameters": {"labels": model.labels},
        "outputs": [write(name, values) for name, values in found.items()],
    }
    certified = int(found["certified"].sum()) if "certified" in found else None
    binary = _binary_outputs(body, found)
    if not binary:
        return Answer(answer, n_rows, certified)
    content, length = with_bytes(answer, found, binary)
    return Answer(content, n_rows, certified, {LENGTH: length})


def _binary_outputs(body: InferRequest, found: Iterable[str]) -> set[str]:
    """The outputs that are to be bytes: those that say so, and all others if the request says so."""
    always = (body.parameters or {}).get("binary_data_output") is True
    own = {output.name: (output.parameters or {}).get("binary_data") for output in body.outputs or []}
    return {name for name in found if (always if own.get(name) is None else own[name] is True)}


def _parameters(given: Parameters) -> tuple[Any, int]:
    """The decision, whose rule is JSON text since parameters are single values, and k."""
    decision, k = given.get("decision"), given.get("k", 5)
    if decision is not None and not isinstance(decision, str):
        raise InputError("expected the name of a loss, or a rule as JSON text", parameter="decision")
    if isinstance(k, bool) or not isinstance(k, int) or not 1 <= k <= MAX_K:
        raise InputError(f"expected a number from 1 to {MAX_K}", parameter=Parameter("k", k))
    return read_decision(_rule(decision)), k


def _rule(decision: str | None) -> Any:
    if decision is None or not decision.lstrip().startswith("{"):
        return decision
    try:
        return json.loads(decision)
    except (ValueError, RecursionError):
        raise InputError("the rule is not JSON", parameter="decision") from None
