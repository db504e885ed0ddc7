"""``setwise serve``: answer applications over HTTP."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from setwise.errors import InputError

EXAMPLES = """\
examples:
  setwise serve songs.setwise
  setwise serve models/ --workers 4 --port 9000
  setwise serve songs.setwise --host 0.0.0.0 --token-file tokens.txt --allow-host songs.example.org
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of ``setwise serve``."""
    parser.add_argument(
        "models", nargs="+", metavar="MODEL", help="model files, and folders of .setwise files"
    )
    parser.add_argument(
        "--host", default="127.0.0.1", help="address to listen on (127.0.0.1: this machine only)"
    )
    parser.add_argument("--port", type=int, default=8000, help="0 chooses a free one (8000)")
    parser.add_argument("--workers", type=int, default=1, metavar="N", help="server processes (1)")
    parser.add_argument(
        "--token-file",
        metavar="FILE",
        help="a file with one token per line; clients send one. The variable SETWISE_TOKEN holds another",
    )
    parser.add_argument(
        "--no-token",
        action="store_true",
        help="let other machines ask without a token; use it behind a proxy only",
    )
    parser.add_argument(
        "--allow-host", nargs="+", default=[], metavar="NAME", help="further host names to answer to"
    )
    parser.add_argument(
        "--allow-origin",
        nargs="+",
        default=[],
        metavar="URL",
        help="sites whose pages may call, as https://example.org",
    )
    _add_limits(parser)


LIMITS: dict[str, tuple[str, type, str, str]] = {
    "--max-body": ("body_bytes", float, "MB", "size of a request (8)"),
    "--max-rows": ("rows", int, "N", "rows of a request (10000)"),
    "--max-seconds": ("seconds", float, "S", "time to compute an answer (60)"),
    "--max-body-seconds": (
        "body_seconds",
        float,
        "S",
        "time in which the body of a request must arrive (30)",
    ),
    "--max-header-seconds": ("header_seconds", float, "S", "time in which its headers must arrive (10)"),
    "--max-waiting": ("waiting", int, "N", "requests that wait for a thread, per worker (256)"),
    "--threads": ("threads", int, "N", "requests that are computed at a time, per worker (2)"),
}
"""Options for limits: the limit, its type, its unit and its meaning."""


def _add_limits(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("limits")
    for option, (name, kind, unit, meaning) in LIMITS.items():
        group.add_argument(option, dest=name, type=kind, metavar=unit, help=meaning)


def run(options: argparse.Namespace) -> int:
    """Serve until the process is stopped."""
    try:
        from setwise.web.app.limits import Limits
        from setwise.web.server import Settings, serve
    except ImportError as error:
        if error.name not in ("fastapi", "uvicorn", "starlette", "pydantic"):
            raise
        raise ImportError("the server needs FastAPI and uvicorn; pip install 'setwise[web]'") from None
    missing = [path for path in options.models if not Path(path).exists()]
    if missing:
        raise FileNotFoundError(f"{missing[0]}: no such model file or folder; `setwise fit` makes one")
    limits = _limits(options)
    _check(limits | {"workers": options.workers})
    serve(
        Settings(
            paths=tuple(options.models),
            host=options.host,
            port=options.port,
            workers=options.workers,
            token_file=options.token_file,
            no_token=options.no_token,
            hosts=tuple(options.allow_host),
            origins=tuple(origin.rstrip("/") for origin in options.allow_origin),
            limits=Limits(**limits),
        )
    )
    return 0


def _limits(options: argparse.Namespace) -> dict[str, Any]:
    """The limits that were given."""
    given = {name: getattr(options, name) for name, *_ in LIMITS.values()}
    chosen = {name: value for name, value in given.items() if value is not None}
    return chosen | ({"body_bytes": int(chosen["body_bytes"] * 2**20)} if "body_bytes" in chosen else {})


def _check(numbers: dict[str, Any]) -> None:
    for name, value in numbers.items():
        if not value > 0 and name != "waiting":
            raise InputError(f"{name} is {value:g}; expected a number above 0")
