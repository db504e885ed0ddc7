"""Start an explorer: a server on this machine, in a thread, and a browser window."""

from __future__ import annotations

import threading
import time
import webbrowser
from typing import Any

import uvicorn

from setwise.views.text import escape_html
from setwise.web.app.listening import bound_socket
from setwise.web.explorer.application import explorer_app
from setwise.web.explorer.corrections import CorrectionJournal
from setwise.web.explorer.session import Session

HOST = "127.0.0.1"


class Explorer:
    """An explorer that is open: its address, and how to close it.

    Attributes
    ----------
    url : str
    journal : Path or None
        The file of the corrections.
    """

    def __init__(self, session: Session, journal: CorrectionJournal | None, port: int = 0) -> None:
        self.session = session
        self.journal = None if journal is None else journal.path
        self._socket = bound_socket(HOST, port)
        self.url = f"http://{HOST}:{self._socket.getsockname()[1]}/"
        settings = uvicorn.Config(explorer_app(session, journal), log_level="warning", access_log=False)
        self._server = uvicorn.Server(settings)
        self._thread = threading.Thread(
            target=self._server.run, kwargs={"sockets": [self._socket]}, name="setwise explore", daemon=True
        )
        self._thread.start()
        while not self._server.started and self._thread.is_alive():
            time.sleep(0.01)

    def open(self) -> None:
        """Open the page in a browser window."""
        webbrowser.open(self.url)

    def wait(self) -> None:
        """Wait until the explorer is closed."""
        while self._thread.is_alive():
            self._thread.join(0.2)

    def close(self) -> None:
        """Stop the server and the work in progress."""
        self.session.jobs.stop()
        self._server.should_exit = True
        self._thread.join(5)
        self._socket.close()

    def __enter__(self) -> Explorer:
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"Explorer({self.url!r})"

    def _repr_html_(self) -> str:
        """A link to the page, for a notebook."""
        address = escape_html(self.url)
        return f'<a href="{address}" target="_blank" rel="noopener">Open the explorer: {address}</a>'
