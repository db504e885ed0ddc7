"""Tokens: who may ask."""

from __future__ import annotations

import base64
import binascii
import hmac
from collections.abc import Collection
from hashlib import sha256

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from setwise.web.app.guards.refusal import refusal


class TokenGuard:
    """Refuse requests without one of the tokens.

    The token is sent as ``Authorization: Bearer TOKEN``, or as the password of ``Basic`` authentication, which is what
    Label Studio sends.

    Parameters
    ----------
    app : ASGI application
    tokens : collection of str
    open_paths : collection of str
        Paths that need no token, such as health checks.
    """

    def __init__(self, app: ASGIApp, tokens: Collection[str], open_paths: Collection[str] = ()) -> None:
        self.app, self.open_paths = app, frozenset(open_paths)
        self._digests = [sha256(token.encode()).digest() for token in tokens]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """See ASGI."""
        if scope["type"] == "lifespan" or scope["path"] in self.open_paths or self._knows(scope):
            return await self.app(scope, receive, send)
        message = "a token is needed: send the header Authorization: Bearer TOKEN"
        response = refusal(
            401, message, {"WWW-Authenticate": 'Bearer realm="setwise"', "Connection": "close"}
        )
        return await response(scope, receive, send)

    def _knows(self, scope: Scope) -> bool:
        """Whether the request has a token. Every token is compared, each in constant time."""
        given = sha256(sent_token(Headers(scope=scope).get("authorization", ""))).digest()
        return any([hmac.compare_digest(given, digest) for digest in self._digests])


def sent_token(authorization: str) -> bytes:
    """The token in an Authorization header, empty if there is none.

    Examples
    --------
    >>> sent_token("Bearer abc"), sent_token("Basic dXNlcjphYmM="), sent_token("abc")
    (b'abc', b'abc', b'')
    """
    scheme, _, value = authorization.partition(" ")
    if scheme.lower() == "bearer":
        return value.strip().encode("latin-1", "replace")
    if scheme.lower() != "basic":
        return b""
    try:
        return base64.b64decode(value, validate=True).partition(b":")[2]
    except binascii.Error:
        return b""
