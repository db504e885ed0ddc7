"""Which names this server answers to, and whose pages may call it.

A page of a stranger can point its own host name at this machine (DNS rebinding) or send requests across sites. The
first has a wrong ``Host``, the second a wrong ``Origin`` or ``Sec-Fetch-Site``, and no page can change these headers.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Collection
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from setwise.web.app.guards.refusal import refusal

LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})
"""Names of this machine for itself."""


def host_name(host: str) -> str | None:
    """The name in a Host header without its port, in lower case; None if it is malformed.

    Examples
    --------
    >>> host_name("LocalHost:8000"), host_name("[::1]:8000"), host_name("evil.com/127.0.0.1")
    ('localhost', '::1', None)
    """
    if any(sign in host for sign in "/@?#\\, \t"):
        return None
    try:
        parts = urlsplit(f"//{host}")
        return parts.hostname if parts.port is None or parts.port else None
    except ValueError:
        return None


def is_address(name: str) -> bool:
    """Whether a host name is an address: nobody can point that elsewhere."""
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


class HostGuard:
    """Refuse requests for other hosts and from pages of other sites.

    Parameters
    ----------
    app : ASGI application
    hosts : collection of str or None
        Names that the server answers to. None allows all, which is safe only behind a token.
    addresses : bool
        Whether any address is a right name.
    origins : collection of str
        Origins of other sites whose pages may call, such as ``https://example.org``.
    """

    def __init__(
        self,
        app: ASGIApp,
        hosts: Collection[str] | None = LOOPBACK,
        *,
        addresses: bool = False,
        origins: Collection[str] = (),
    ) -> None:
        self.app, self.hosts, self.addresses, self.origins = app, hosts, addresses, frozenset(origins)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """See ASGI."""
        if scope["type"] == "lifespan":
            return await self.app(scope, receive, send)
        problem = self._problem(Headers(scope=scope))
        if problem is None:
            return await self.app(scope, receive, send)
        return await refusal(*problem)(scope, receive, send)

    def _problem(self, headers: Headers) -> tuple[int, str] | None:
        """The status and the message for a request that is refused."""
        given = headers.getlist("host")
        name = host_name(given[0]) if len(given) == 1 else None
        if name is None:
            return 400, "expected one Host header with a host name"
        if not self._is_here(name):
            return 421, "this server has another name; start it with --allow-host to add one"
        if not self._is_same_site(headers, given[0]):
            return (
                403,
                "pages of other sites may not call this server; start it with --allow-origin to add one",
            )
        return None

    def _is_here(self, name: str) -> bool:
        return self.hosts is None or name in self.hosts or (self.addresses and is_address(name))

    def _is_same_site(self, headers: Headers, host: str) -> bool:
        origin = headers.get("origin")
        if origin is not None:
            return origin in self.origins or urlsplit(origin).netloc.lower() == host.lower() != ""
        followed_link = (
            headers.get("sec-fetch-mode") == "navigate" and headers.get("sec-fetch-dest") == "document"
        )
        return followed_link or headers.get("sec-fetch-site") not in ("cross-site", "same-site")
