"""Warnings about an input, collected for the answer of the request that caused them."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from setwise.errors import InputWarning
from setwise.printable import printable

MOST = 10
"""Warnings in one answer."""
_notices: ContextVar[list[str] | None] = ContextVar("notices", default=None)


def collect_warnings() -> None:
    """Hand warnings about inputs to the request of their thread; others are about the server's own work.

    ``warnings.catch_warnings`` would change the settings of all threads.
    """

    def show(message: Warning | str, *_: Any, **__: Any) -> None:
        found = _notices.get()
        if found is not None and isinstance(message, InputWarning) and len(found) < MOST:
            found.append(printable(str(message)))

    warnings.resetwarnings()
    warnings.simplefilter("ignore")
    warnings.simplefilter("always", InputWarning)
    warnings.showwarning = show


@contextmanager
def notices() -> Iterator[list[str]]:
    """Yield the list that warnings of this thread go to.

    Examples
    --------
    >>> with notices() as found:
    ...     pass
    >>> found
    []
    """
    found: list[str] = []
    token = _notices.set(found)
    try:
        yield found
    finally:
        _notices.reset(token)
