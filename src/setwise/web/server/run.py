"""Start a server and its worker processes."""

from __future__ import annotations

import os
import signal
import socket
import sys
from dataclasses import replace
from tempfile import TemporaryDirectory

import uvicorn
from uvicorn.supervisors import Multiprocess

from setwise.web.app.listening import bound_socket
from setwise.web.server.models import Models
from setwise.web.server.protocol import TimedProtocol
from setwise.web.server.settings import VARIABLE, Settings

STOP_SECONDS = 60
"""How long a stop waits for requests that have begun."""
KEEP_ALIVE_SECONDS = 30
"""How long an idle connection stays open."""
HEALTH_SECONDS = 120
"""How long a worker may stay silent before another takes its place; starting takes long on a busy machine."""
THREAD_VARIABLES = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")


def serve(settings: Settings) -> None:
    """Serve models until the process is stopped.

    Parameters
    ----------
    settings : Settings

    Examples
    --------
    >>> serve(Settings(("beach.setwise",), host="0.0.0.0"))
    Traceback (most recent call last):
    setwise.errors.InputError: --host 0.0.0.0 lets other machines connect, and there is no token; ...
    """
    settings.check()
    Models(settings.paths)  # a wrong file is an error here, not in a worker
    os.environ.update(dict.fromkeys(THREAD_VARIABLES, "1"))
    # uvicorn ends by raising the signal again: as an exception it lets the folder below be removed.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    with TemporaryDirectory(prefix="setwise-metrics-") as folder:
        os.environ[VARIABLE] = replace(settings, metrics_folder=folder).to_json()
        with _listening(settings) as listener:
            _announce(settings, listener)
            _run(settings, listener)


def _run(settings: Settings, listener: socket.socket) -> None:
    config = uvicorn.Config(
        "setwise.web.server.process:application",
        factory=True,
        workers=settings.workers,
        http=TimedProtocol,
        ws="none",
        access_log=False,
        log_config=None,
        server_header=False,
        proxy_headers=False,
        timeout_keep_alive=KEEP_ALIVE_SECONDS,
        timeout_graceful_shutdown=STOP_SECONDS,
        timeout_worker_healthcheck=HEALTH_SECONDS,
        backlog=2048,
    )
    if settings.workers == 1:
        uvicorn.Server(config).run(sockets=[listener])
    else:
        Multiprocess(config, sockets=[listener]).run()


def _listening(settings: Settings) -> socket.socket:
    listener = bound_socket(settings.host, settings.port)
    listener.listen(2048)
    listener.set_inheritable(True)
    return listener


def _announce(settings: Settings, listener: socket.socket) -> None:
    host, port = listener.getsockname()[:2]
    shown = f"[{host}]" if ":" in host else host
    print(f"Serving at http://{shown}:{port} (API: /docs, stop: Ctrl-C)", flush=True, file=sys.stdout)
