"""Limits of requests, so that no client can fill the memory, hold a thread for minutes or starve the others."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Limits:
    """Limits of a server process.

    Parameters
    ----------
    body_bytes : int
        Size of a request's body, counted while it arrives.
    body_seconds : float
        Time in which a body must arrive.
    header_seconds : float
        Time in which the headers of a request must arrive.
    rows : int
        Rows of a request.
    seconds : float
        Time to compute an answer, waiting included.
    threads : int
        Requests that are computed at the same time.
    waiting : int
        Requests that may wait for a thread.

    Examples
    --------
    >>> Limits(rows=10).rows
    10
    """

    body_bytes: int = 8 * 2**20
    body_seconds: float = 30.0
    header_seconds: float = 10.0
    rows: int = 10_000
    seconds: float = 60.0
    threads: int = 2
    waiting: int = 256
