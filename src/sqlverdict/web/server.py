"""A local server: a socket first, so that its address is known; then requests until Ctrl-C."""

from __future__ import annotations

import socket
from collections.abc import Mapping
from contextlib import ExitStack
from ipaddress import ip_address
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from sqlverdict.errors import MissingExtra, OptionName, Part, UsageError
from sqlverdict.web.security import RequestGuard

if TYPE_CHECKING:
    from starlette.types import ASGIApp

LOCAL = "127.0.0.1"
"""The usual address: nobody else on the network reaches it."""


def open_socket(host: str, port: int) -> socket.socket:
    """A socket that listens there; port 0 takes a free one.

    Raises:
        UsageError: the address cannot be had.
    """
    try:
        with ExitStack() as on_error:
            family, kind, protocol, _, address = socket.getaddrinfo(
                host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
            )[0]
            listener = on_error.enter_context(socket.socket(family, kind, protocol))
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listener.bind(address)
            listener.listen(64)
            on_error.pop_all()
    except OSError as error:
        raise UsageError(
            f"no server can listen on {host}, port {port}: {error.strerror}. Give another ",
            *_other_address(port),
        ) from error
    return listener


def _other_address(port: int) -> tuple[Part, ...]:
    """What to give instead; a free port is never the fault."""
    if not port:
        return OptionName("host"), ", an address of this machine."
    return OptionName("port"), ", or none for a free one, or another ", OptionName("host"), "."


def is_local(host: str) -> bool:
    """Whether only this machine reaches an address."""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def address_of(host: str, listener: socket.socket) -> str:
    """The address of the server in a browser."""
    port = listener.getsockname()[1]
    name = socket.gethostname() if host in ("", "0.0.0.0", "::") else host  # noqa: S104
    return f"http://[{name}]:{port}" if ":" in name else f"http://{name}:{port}"


def front_address(text: str) -> str:
    """The address that people use, where a proxy stands between, without a last slash.

    Raises:
        UsageError: it is no address of a page.
    """
    try:
        parts = urlsplit(text)
        known = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        known = False
    if not known or parts.query or parts.fragment or parts.username is not None:
        raise UsageError(
            OptionName("address"),
            f" is {text!r}. Expected what an annotator sees in the browser, such as "
            f"https://label.example.org or https://example.org/label/",
        )
    return text.rstrip("/")


def serve_app(
    app: ASGIApp, tokens: Mapping[str, str], listener: socket.socket, own: str, front: str
) -> None:
    """Answer requests until Ctrl-C or SIGTERM, then end quietly.

    Args:
        app: What answers.
        tokens: Who may ask, by token.
        listener: The socket.
        own: The address of the server.
        front: The address that people use, if there is a proxy in between; empty: none does.

    Raises:
        MissingExtra: the extra ``web`` is not installed.
    """
    try:
        import uvicorn
    except ImportError as error:
        raise MissingExtra("a local server", "web") from error
    name, port = urlsplit(own).hostname or "", listener.getsockname()[1]
    config = uvicorn.Config(
        RequestGuard(app, tokens, name, port, front),
        access_log=False,
        log_level="error",
        lifespan="off",
        ws="none",
        server_header=False,
        proxy_headers=False,
        timeout_graceful_shutdown=2,
    )
    try:
        uvicorn.Server(config).run(sockets=[listener])
    except KeyboardInterrupt:
        # The user's way to end it; every vote is saved when it is made.
        pass
    finally:
        listener.close()
