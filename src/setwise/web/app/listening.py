"""A socket to listen on."""

from __future__ import annotations

import socket

from setwise.errors import InputError


def bound_socket(host: str, port: int) -> socket.socket:
    """A TCP socket that is bound to an address and not yet listening; port 0 takes a free one.

    The protocol is named, since asyncio sends small answers at once only if it is. Otherwise every answer, whose head
    and body are sent one after the other, waits 40 ms for the client to acknowledge the head.

    Parameters
    ----------
    host : str
    port : int

    Returns
    -------
    socket.socket

    Examples
    --------
    >>> with bound_socket("127.0.0.1", 0) as found:
    ...     found.proto == socket.IPPROTO_TCP
    True
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    found = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        found.bind((host, port))
    except (OSError, OverflowError) as error:
        found.close()
        reason = getattr(error, "strerror", None) or str(error)
        raise InputError(f"cannot listen on {host}:{port}: {reason}", hint="choose another --port") from None
    return found
