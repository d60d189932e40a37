"""Requests to an application without a server: what a test of a web page asks, and what it gets."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import unquote

PORT = 8000
HOST = f"127.0.0.1:{PORT}"


@dataclass(frozen=True)
class Reply:
    """A status, headers in their order, and a body."""

    status: int
    headers: tuple[tuple[bytes, bytes], ...]
    body: bytes


async def request(
    app: Any,
    method: str,
    path: str,
    body: bytes = b"",
    headers: Mapping[str, str] | None = None,
) -> Reply:
    """One request, as the server's own page sends it but for these headers."""
    own = {"host": HOST, "origin": f"http://{HOST}", **(headers or {})}
    raw, _, query = path.partition("?")
    scope = {
        "type": "http",
        "http_version": "1.1",
        "scheme": "http",
        "method": method,
        "path": unquote(raw),
        "raw_path": raw.encode("utf-8", "surrogatepass"),
        "query_string": query.encode(),
        "root_path": "",
        "server": ("127.0.0.1", PORT),
        "client": ("127.0.0.1", 1),
        "headers": [(name.encode(), value.encode("utf-8")) for name, value in own.items()],
    }
    sent: list[Any] = []
    rest = [body]

    async def receive() -> Any:
        if rest:
            return {"type": "http.request", "body": rest.pop(), "more_body": False}
        return {"type": "http.disconnect"}

    async def send(message: Any) -> None:
        sent.append(message)

    await app(scope, receive, send)
    content = b"".join(each.get("body", b"") for each in sent[1:])
    return Reply(sent[0]["status"], tuple(sent[0]["headers"]), content)


def ask(app: Any, *arguments: Any) -> Reply:
    """One request, from outside any event loop."""
    return asyncio.run(request(app, *arguments))
