"""Logs as one JSON object per line: what happened, never what was asked.

Neither bodies nor query strings nor tokens are logged, and of an error only its type and the places in the code: its
message may quote a request.
"""

from __future__ import annotations

import json
import logging
import os
import sys
import traceback
from datetime import UTC, datetime
from typing import Any

from setwise.printable import printable

_PLAIN = set(vars(logging.makeLogRecord({}))) | {"message", "color_message", "taskName"}
"""Attributes that every record has."""


class JsonLines(logging.Formatter):
    """One JSON object per record."""

    def format(self, record: logging.LogRecord) -> str:
        """See logging.Formatter.

        Examples
        --------
        >>> record = logging.makeLogRecord({"msg": "reloaded", "levelname": "INFO", "model": "beach"})
        >>> json.loads(JsonLines().format(record))["model"]
        'beach'
        """
        entry: dict[str, Any] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "event": printable(record.getMessage()),
            "process": os.getpid(),
        }
        entry |= {name: value for name, value in vars(record).items() if name not in _PLAIN}
        if record.exc_info and record.exc_info[0] is not None:
            frames = traceback.extract_tb(record.exc_info[2])
            entry["error"] = record.exc_info[0].__name__
            entry["where"] = [f"{frame.filename}:{frame.lineno} {frame.name}" for frame in frames]
        return json.dumps(entry, default=str)


def start_logging(level: int = logging.INFO) -> None:
    """Send the logs of the server and of uvicorn to standard error."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonLines())
    for name in ("setwise.web", "uvicorn"):
        logger = logging.getLogger(name)
        logger.handlers, logger.propagate = [handler], False
        logger.setLevel(level if name == "setwise.web" else max(level, logging.WARNING))
