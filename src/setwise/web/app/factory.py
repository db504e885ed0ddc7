"""Make an application: routes behind guards."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from importlib.metadata import version
from typing import Any

from fastapi import APIRouter, FastAPI
from starlette.middleware import Middleware
from starlette.middleware.cors import CORSMiddleware

from setwise.web.app.guards.bodies import JSON, BodyGuard
from setwise.web.app.guards.headers import NOTHING, HeaderGuard
from setwise.web.app.guards.hosts import LOOPBACK, HostGuard
from setwise.web.app.guards.tokens import TokenGuard
from setwise.web.app.limits import Limits
from setwise.web.app.problems import add_handlers


def create_app(
    routers: Sequence[APIRouter],
    *,
    title: str = "setwise",
    limits: Limits | None = None,
    hosts: Collection[str] | None = LOOPBACK,
    addresses: bool = False,
    origins: Collection[str] = (),
    tokens: Collection[str] = (),
    open_paths: Collection[str] = (),
    body_types: Collection[str] = (JSON,),
    policy: str = NOTHING,
    outermost: Sequence[Middleware] = (),
    **options: Any,
) -> FastAPI:
    """Make an application of routes behind all guards.

    Parameters
    ----------
    routers : sequence of APIRouter
    title : str
    limits : Limits, optional
    hosts : collection of str or None
        Names that the server answers to; None allows all.
    addresses : bool
        Whether it answers to any address.
    origins : collection of str
        Origins of other sites whose pages may call.
    tokens : collection of str
        Without any, no token is needed.
    open_paths : collection of str
        Paths that need no token.
    body_types : collection of str
        Media types of bodies.
    policy : str
        Content-Security-Policy of answers that have none.
    outermost : sequence of Middleware
        Sees every request, also those that a guard refuses.
    **options
        Passed on to FastAPI.

    Returns
    -------
    FastAPI

    Examples
    --------
    >>> create_app([], title="empty").title
    'empty'
    """
    guards = [Middleware(HeaderGuard, policy=policy, shared=bool(origins))]
    guards.append(Middleware(HostGuard, hosts=hosts, addresses=addresses, origins=origins))
    if origins:
        guards.append(
            Middleware(
                CORSMiddleware,
                allow_origins=list(origins),
                allow_methods=["GET", "POST"],
                allow_headers=["Authorization", "Content-Type"],
            )
        )
    if tokens:
        guards.append(Middleware(TokenGuard, tokens=tokens, open_paths=open_paths))
    guards.append(Middleware(BodyGuard, limits=limits or Limits(), types=body_types))
    app = FastAPI(
        title=title,
        version=version("setwise"),
        docs_url=None,
        redoc_url=None,
        middleware=[*outermost, *guards],
        **options,
    )
    for router in routers:
        app.include_router(router)
    add_handlers(app)
    return app
