"""One server process: its models, its routes, and what starts and ends with it."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

from fastapi import FastAPI
from starlette.middleware import Middleware
from threadpoolctl import threadpool_limits

from setwise.web.app import Threads, create_app
from setwise.web.app.guards.bodies import JSON
from setwise.web.server.inference.binary import BINARY
from setwise.web.server.logs import start_logging
from setwise.web.server.metrics import Metrics
from setwise.web.server.models import Models, Watcher
from setwise.web.server.notices import collect_warnings
from setwise.web.server.observed import Observed
from setwise.web.server.openapi import describe_bodies
from setwise.web.server.protocol import TimedProtocol
from setwise.web.server.routes import inference_v2, label_studio, plain
from setwise.web.server.routes.operations import operation_routes
from setwise.web.server.service import Service
from setwise.web.server.settings import VARIABLE, Settings

ABOUT = "Label sets with their probabilities, from models of setwise."


def application() -> FastAPI:
    """The application of a worker process, with the settings of its environment."""
    start_logging()
    collect_warnings()
    # One thread of BLAS for each answer: those of several requests would only fight for the cores.
    threadpool_limits(1)
    return make_application(Settings.from_json(os.environ[VARIABLE]))


def make_application(settings: Settings) -> FastAPI:
    """The application of a server with these settings."""
    limits = settings.limits
    TimedProtocol.header_seconds = limits.header_seconds
    metrics = Metrics(settings.metrics_folder)
    service = Service(Models(settings.paths, metrics.add), limits, Threads(limits), metrics)

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        leaving = asyncio.create_task(_leave_counts(service))
        with Watcher(service.models, settings.seconds_between_checks):
            yield
        leaving.cancel()
        with suppress(asyncio.CancelledError):
            await leaving
        metrics.leave()

    app = create_app(
        [
            plain.plain_routes(service),
            inference_v2.inference_routes(service),
            label_studio.label_studio_routes(service),
            operation_routes(service),
        ],
        limits=limits,
        hosts=settings.allowed_hosts(),
        addresses=not settings.is_loopback,
        origins=settings.origins,
        tokens=settings.tokens(),
        open_paths=(inference_v2.LIVE, inference_v2.READY),
        body_types=(JSON, BINARY),
        outermost=[Middleware(Observed, metrics=metrics)],
        lifespan=lifespan,
        description=ABOUT,
    )
    forms = [asked for asked, _ in plain.FORMS.values()]
    describe_bodies(
        app,
        [
            *dict.fromkeys(forms),
            inference_v2.InferRequest,
            label_studio.SetupRequest,
            label_studio.TasksRequest,
            label_studio.Event,
        ],
    )
    return app


async def _leave_counts(service: Service) -> None:
    """Leave the counts of this worker for the others once a second."""
    while True:
        await asyncio.sleep(1.0)
        await asyncio.to_thread(_leave, service)


def _leave(service: Service) -> None:
    with suppress(OSError):  # the disk may be full; counts are not worth an answer
        service.metrics.leave()
