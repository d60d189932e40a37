"""A small reverse proxy in front of a label server: a path of its own, its own headers, bad manners.

It strips its path, changes the ``Host`` or keeps it, adds ``X-Forwarded-*``, reads whole messages
before it passes them on, sends every POST twice and returns the second reply, and stores every GET
whose headers allow it.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

from timeouts import HANG_SECONDS

_OWN = {"connection", "keep-alive", "transfer-encoding", "content-length", "date", "host"}


class ReverseProxy:
    """A running proxy.

    Attributes:
        prefix: The path under which it serves.
        upstream: The port of the server behind it; set it before the first request.
        keeps_host: Whether the server behind it sees the host that the browser asked for.
        stored: The replies that it keeps, by path.
        forwarded: How many requests went on to the server.
    """

    def __init__(self, prefix: str) -> None:
        self.prefix = prefix
        self.upstream = 0
        self.keeps_host = False
        self.stored: dict[str, tuple[int, list[tuple[str, str]], bytes]] = {}
        self.forwarded = 0
        proxy = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                self._answer()

            def do_POST(self) -> None:
                self._answer()

            def log_message(self, *_: object) -> None:
                """Silent."""

            def _answer(self) -> None:
                body = self.rfile.read(int(self.headers.get("content-length") or 0))
                status, headers, content = proxy.answer(
                    self.command, self.path, dict(self.headers.items()), body
                )
                self.send_response(status)
                for name, value in headers:
                    if name.lower() not in _OWN:
                        self.send_header(name, value)
                self.send_header("content-length", str(len(content)))
                self.end_headers()
                self.wfile.write(content)

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)

    @property
    def address(self) -> str:
        """What people type."""
        return f"http://127.0.0.1:{self.server.server_port}{self.prefix}"

    def answer(
        self, method: str, path: str, headers: dict[str, str], body: bytes
    ) -> tuple[int, list[tuple[str, str]], bytes]:
        """What the server behind it says, or what is stored."""
        if not path.startswith(f"{self.prefix}/"):
            return 404, [], b"not here\n"
        if method == "GET" and path in self.stored:
            return self.stored[path]
        reply = self._forward(method, path.removeprefix(self.prefix), headers, body)
        if method == "POST":
            reply = self._forward(method, path.removeprefix(self.prefix), headers, body)
        control = dict(reply[1]).get("cache-control", "")
        if method == "GET" and "no-store" not in control:
            self.stored[path] = reply
        return reply

    def _forward(
        self, method: str, path: str, headers: dict[str, str], body: bytes
    ) -> tuple[int, list[tuple[str, str]], bytes]:
        host = headers.get("Host", "") if self.keeps_host else f"127.0.0.1:{self.upstream}"
        sent = {name: text for name, text in headers.items() if name.lower() not in _OWN} | {
            "Host": host,
            "X-Forwarded-For": "203.0.113.9",
            "X-Forwarded-Host": "evil.example",
            "X-Forwarded-Proto": "https",
            "X-Forwarded-Prefix": self.prefix,
            "Forwarded": "for=203.0.113.9;host=evil.example;proto=https",
            "X-Original-URL": "/api/disputes",
        }
        connection = HTTPConnection("127.0.0.1", self.upstream, timeout=HANG_SECONDS)
        try:
            connection.request(method, path, body, sent)
            reply = connection.getresponse()
            self.forwarded += 1
            names = [(name.lower(), value) for name, value in reply.getheaders()]
            return reply.status, names, reply.read()
        finally:
            connection.close()


@contextmanager
def reverse_proxy(prefix: str = "/team/label") -> Iterator[ReverseProxy]:
    """A proxy that runs until the block ends."""
    proxy = ReverseProxy(prefix)
    # A browser may open a connection that it does not use: that ends with the browser.
    proxy.server.daemon_threads = True
    proxy.server.block_on_close = False
    thread = Thread(target=proxy.server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield proxy
    finally:
        proxy.server.shutdown()
        proxy.server.server_close()
        thread.join(HANG_SECONDS)
