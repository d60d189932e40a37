"""Who may ask a local server, and what its pages may do.

* A request under ``/api/`` needs a token that only the printed address holds. It stands behind
  ``#``, so that no browser sends it in an address or a referrer; the page sends it in a header,
  which another site cannot do.
* The ``Host`` must be an IP address, ``localhost``, the name that the server was given, or that of
  the address that people use if there is a proxy in between: another name that was made to point
  here (DNS rebinding) is refused.
* A request that writes needs the ``Origin`` of this server or of that address, and one that a
  browser calls cross-site is refused.
* What a proxy adds (``X-Forwarded-For`` ...) says nothing here: anybody can send it.
* Pages load nothing from elsewhere and run no script but their own files (CSP).
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from hmac import compare_digest
from ipaddress import ip_address
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

TOKEN_HEADER = "x-sqlverdict-token"  # noqa: S105 - the header's name, no secret
LARGEST_BODY = 1_000_000
_READS = ("GET", "HEAD")

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
"""The content security policy of every reply."""

HEADERS: Mapping[str, str] = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-store",
}
"""The headers of every reply."""


_BEHIND_PROXY = "if there is a proxy in between, start the server with the setting address=URL"


def new_token() -> str:
    """A token that cannot be guessed."""
    return secrets.token_urlsafe(24)


class RequestGuard:
    """Refuses what does not come from the server's own pages.

    Args:
        app: What answers the rest. It finds who asks in the scope, as ``identity``.
        tokens: Who may ask, by token.
        host: The name or address that the server was given.
        port: Its port.
        address: The address that people use, if there is a proxy in between; empty: none does.
    """

    def __init__(
        self, app: ASGIApp, tokens: Mapping[str, str], host: str, port: int, address: str = ""
    ) -> None:
        self.app = app
        self._tokens = dict(tokens)
        self._host = host
        self._port = port
        parts = urlsplit(address)
        self._front_host = parts.netloc.lower()
        self._front_origin = f"{parts.scheme}://{parts.netloc}".lower() if address else ""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer or refuse one request."""
        if scope["type"] != "http":
            return
        headers = {name.decode("latin-1"): value for name, value in scope["headers"]}
        identity, refusal = self._decide(scope, headers)
        if refusal:
            await _refuse(refusal, send)
            return
        await self.app({**scope, "identity": identity}, _bounded(receive), _with_headers(send))

    def _decide(self, scope: Scope, headers: Mapping[str, bytes]) -> tuple[str, str]:
        """Who asks, or why that is refused."""
        host = headers.get("host", b"").decode("latin-1")
        in_front = bool(self._front_host) and host.lower() == self._front_host
        if not in_front and not self._is_own_host(host):
            return "", f"the host {host!r} is not this server's; {_BEHIND_PROXY}"
        if headers.get("sec-fetch-site", b"same-origin") == b"cross-site":
            return "", "the request comes from another site"
        if scope["method"] not in _READS:
            origin = headers.get("origin", b"").decode("latin-1")
            own = {self._front_origin} if in_front else {self._front_origin, f"http://{host}"}
            if not origin or origin not in own:
                return "", f"the origin {origin!r} may not write here; {_BEHIND_PROXY}"
        if not scope["path"].startswith("/api/"):
            return "", "" if scope["method"] in _READS else "only pages are here"
        token = headers.get(TOKEN_HEADER, b"")
        for known, identity in self._tokens.items():
            if compare_digest(known.encode(), token):
                return identity, ""
        return "", "the token is missing or old: open the address that the server printed"

    def _is_own_host(self, host: str) -> bool:
        name, _, port = host.rpartition(":")
        if port != str(self._port):
            # The usual port of HTTP is left out.
            name, port = (host, "80") if self._port == 80 else ("", "")
        name = name.removeprefix("[").removesuffix("]").lower()
        if name in ("localhost", self._host.lower()):
            return True
        try:
            ip_address(name)
        except ValueError:
            return False
        return True


def _bounded(receive: Receive) -> Receive:
    """The request, cut off where it is too long: what is left is no JSON."""
    total = 0

    async def receive_some() -> Message:
        nonlocal total
        message = await receive()
        total += len(message.get("body", b""))
        if total > LARGEST_BODY:
            return {"type": "http.request", "body": b"", "more_body": False}
        return message

    return receive_some


def _with_headers(send: Send) -> Send:
    extra = [(name.encode(), value.encode()) for name, value in HEADERS.items()]

    async def send_more(message: Message) -> None:
        if message["type"] == "http.response.start":
            message = {**message, "headers": [*message["headers"], *extra]}
        await send(message)

    return send_more


async def _refuse(reason: str, send: Send) -> None:
    body = f"refused: {reason}\n".encode()
    start = {
        "type": "http.response.start",
        "status": 403,
        "headers": [(b"content-type", b"text/plain; charset=utf-8")],
    }
    await _with_headers(send)(start)
    await send({"type": "http.response.body", "body": body})
