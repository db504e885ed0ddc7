"""HTTP/1.1 with a time limit for the headers of a request: a client that drips them holds no connection for long."""

from __future__ import annotations

import asyncio
from typing import Any

from uvicorn.protocols.http.h11_impl import H11Protocol


class TimedProtocol(H11Protocol):
    """Close a connection on which no request arrives in time."""

    header_seconds = 10.0
    """The same for all connections of a process, which sets it before it listens."""
    _timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: Any) -> None:
        """See asyncio.Protocol."""
        super().connection_made(transport)
        self._expect_request()

    def on_response_complete(self) -> None:
        """See H11Protocol."""
        super().on_response_complete()
        self._expect_request()

    def connection_lost(self, exc: Exception | None) -> None:
        """See asyncio.Protocol."""
        super().connection_lost(exc)
        if self._timer is not None:
            self._timer.cancel()

    def _expect_request(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._timer = self.loop.call_later(self.header_seconds, self._end_unless_newer, self.cycle)

    def _end_unless_newer(self, last: Any) -> None:
        """Every request has a cycle of its own: the last one still being there means that no new one came."""
        if self.cycle is last and not self.transport.is_closing():
            self.transport.close()
