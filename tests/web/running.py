"""A server in a process of its own on a free port, and a client of it."""

from __future__ import annotations

import asyncio
import http.client
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

JSON = {"Content-Type": "application/json"}


def run_async(coroutine: Coroutine[Any, Any, Any]) -> Any:
    """The result of a coroutine, in a thread: the browser of other tests keeps a loop in this one."""
    with ThreadPoolExecutor(1) as threads:
        return threads.submit(asyncio.run, coroutine).result()


class Reply(NamedTuple):
    """What the server answered."""

    status: int
    headers: dict[str, str]
    content: bytes

    @property
    def data(self) -> Any:
        return json.loads(self.content)


class Running:
    """``setwise serve`` as a process; a context that stops it.

    Parameters
    ----------
    *arguments : str
        Of the command.
    log : path
        File for its standard error.
    environment : dict
        Further environment variables.
    """

    def __init__(self, *arguments: str, log: Path, environment: dict[str, str] | None = None) -> None:
        self.log = log
        command = [sys.executable, "-m", "setwise", "serve", *arguments, "--port", "0"]
        with log.open("wb") as errors:
            self.process = subprocess.Popen(
                command,
                stdout=subprocess.PIPE,
                stderr=errors,
                env=os.environ | {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"} | (environment or {}),
            )
        assert self.process.stdout is not None
        line = self.process.stdout.readline().decode()
        assert line.startswith("Serving at http://"), self.logged()
        self.host, _, port = line.split()[2].removeprefix("http://").rpartition(":")
        self.port = int(port)

    def __enter__(self) -> Running:
        self.wait_until_ready()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def wait_until_ready(self, seconds: float = 120) -> None:
        """Wait for the first answer."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            assert self.process.poll() is None, self.logged()
            try:
                if self.get("/v2/health/ready").status == 200:
                    return
            except OSError:
                time.sleep(0.05)
        raise TimeoutError(self.logged())

    def stop(self) -> int:
        """Ask the server to stop, and wait for it."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        code = self.process.wait(timeout=90)
        assert self.process.stdout is not None
        self.process.stdout.close()
        return code

    def logged(self) -> str:
        """What it logged."""
        return self.log.read_text(errors="replace")

    def wait_for_line(self, wanted: Callable[[dict[str, Any]], bool], seconds: float = 30) -> dict[str, Any]:
        """The last line of the log that is wanted, once it is there."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            lines = (json.loads(line) for line in self.logged().splitlines() if line.startswith("{"))
            if found := [line for line in lines if wanted(line)]:
                return found[-1]
            time.sleep(0.02)
        raise TimeoutError(self.logged())

    def connect(self, timeout: float = 60) -> http.client.HTTPConnection:
        """A connection that stays open."""
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=timeout)

    def get(self, path: str, **headers: str) -> Reply:
        """GET a path."""
        return exchange(self.connect(), "GET", path, None, headers)

    def post(self, path: str, body: Any, **headers: str) -> Reply:
        """POST a body as JSON; bytes and iterators are sent as they are."""
        content = body if isinstance(body, bytes) or hasattr(body, "__next__") else json.dumps(body).encode()
        return exchange(self.connect(), "POST", path, content, JSON | headers)

    def ask(self, model: str, question: str, **body: Any) -> list[dict[str, Any]]:
        """The answers to a question of the plain API."""
        reply = self.post(f"/api/models/{model}/{question}", body)
        assert reply.status == 200, reply.content
        return reply.data["answers"]


def exchange(
    connection: http.client.HTTPConnection, method: str, path: str, body: Any, headers: dict[str, str]
) -> Reply:
    """One request and its answer; underscores in the names of headers are dashes."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    connection.request(method, path, body, named)
    response = connection.getresponse()
    reply = Reply(
        response.status, {name.lower(): value for name, value in response.getheaders()}, response.read()
    )
    if not connection.auto_open or response.will_close:
        connection.close()
    return reply
