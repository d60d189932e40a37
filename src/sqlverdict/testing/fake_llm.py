"""A scripted server on loopback that speaks as much of the protocol as it is told to.

It answers every call by a function, counts the calls and keeps them, and can misbehave in the
ways real servers do: refuse, stall, drip, cut a reply short, send something else. It needs
nothing but the standard library.
"""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qsl, urlsplit


@dataclass(frozen=True)
class FakeCall:
    """One call that came in. ``number`` counts them from 1."""

    number: int
    method: str
    path: str
    query: Mapping[str, str]
    headers: Mapping[str, str]
    body: bytes

    @property
    def whole(self) -> bool:
        """Whether all of the announced body arrived: who is killed while sending sends less."""
        return len(self.body) == int(self.headers.get("content-length") or 0)

    def json(self) -> Any:
        """The body, decoded."""
        return json.loads(self.body)


@dataclass(frozen=True)
class FakeAnswer:
    """What to send back.

    Attributes:
        body: Bytes, or what is sent as JSON.
        status: The HTTP status.
        headers: More headers.
        delay: Seconds before anything is sent.
        cut: Send only so many bytes of the body, and hang up.
        drip: Seconds between single bytes of the body; 0: all at once.
        drip_head: The same for status line and headers.
        announced: Whether the body's length is announced.
    """

    body: Any = b""
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    delay: float = 0.0
    cut: int | None = None
    drip: float = 0.0
    drip_head: float = 0.0
    announced: bool = True

    def data(self) -> bytes:
        """The body as bytes."""
        return self.body if isinstance(self.body, bytes) else json.dumps(self.body).encode()


def completion(
    text: str | None,
    *,
    prompt_tokens: int = 10,
    completion_tokens: int = 5,
    finish: str = "stop",
    **more: Any,
) -> dict[str, Any]:
    """A chat completion, as a server would send it."""
    return {
        "id": "chatcmpl-fake",
        "object": "chat.completion",
        "model": "fake-1",
        "choices": [
            {
                "index": 0,
                "message": {"role": "assistant", "content": text},
                "finish_reason": finish,
            }
        ],
        "usage": {
            "prompt_tokens": prompt_tokens,
            "completion_tokens": completion_tokens,
            "total_tokens": prompt_tokens + completion_tokens,
        },
        **more,
    }


def echo(call: FakeCall) -> FakeAnswer:
    """Answers with the last message's own words."""
    return FakeAnswer(completion("you said: " + call.json()["messages"][-1]["content"]))


class FakeLlm:
    """The server; use it as a context manager.

    Args:
        answer: What to answer a call with; an echo where not given.

    ``calls`` holds every call so far, ``most_at_once`` how many there were at the same time.
    """

    def __init__(self, answer: Callable[[FakeCall], FakeAnswer] = echo) -> None:
        self.answer = answer
        self.calls: list[FakeCall] = []
        self.most_at_once = 0
        self.closed = threading.Event()
        self._now = 0
        self._lock = threading.Lock()
        self._server = _Server(("127.0.0.1", 0), _Handler)
        self._server.fake = self
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,))
        self._thread.daemon = True

    @property
    def base_url(self) -> str:
        """The address for clients."""
        return f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    def __enter__(self) -> FakeLlm:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.closed.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def arrive(self, **seen: Any) -> FakeCall:
        """Note a call that came in."""
        with self._lock:
            call = FakeCall(number=len(self.calls) + 1, **seen)
            self.calls.append(call)
            self._now += 1
            self.most_at_once = max(self.most_at_once, self._now)
        return call

    def leave(self) -> None:
        """Note that a call was answered."""
        with self._lock:
            self._now -= 1


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 256
    block_on_close = False
    fake: FakeLlm

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that hangs up, or is killed, is nothing to report."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Server

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the base's name
        """Say nothing."""

    def do_POST(self) -> None:
        self._serve()

    def do_GET(self) -> None:
        self._serve()

    def _serve(self) -> None:
        fake = self.server.fake
        parts = urlsplit(self.path)
        call = fake.arrive(
            method=self.command,
            path=parts.path,
            query=dict(parse_qsl(parts.query)),
            headers={name.lower(): value for name, value in self.headers.items()},
            body=self.rfile.read(int(self.headers.get("Content-Length") or 0)),
        )
        try:
            answer = fake.answer(call)
            self._wait(answer.delay)
        finally:
            fake.leave()
        self._send(answer)

    def _drip(self, data: bytes, seconds: float) -> None:
        step = 1 if seconds else max(1, len(data))
        for start in range(0, len(data), step):
            self.wfile.write(data[start : start + step])
            self._wait(seconds)

    def _wait(self, seconds: float) -> None:
        """Wait, but not for longer than the server lives: a thread left behind stops forks."""
        if seconds and self.server.fake.closed.wait(seconds):
            raise ConnectionAbortedError("the server is closed")

    def _send(self, answer: FakeAnswer) -> None:
        data = answer.data()
        head = [f"HTTP/1.1 {answer.status} Scripted"]
        headers = {"Content-Type": "application/json", **answer.headers}
        if answer.announced:
            headers["Content-Length"] = str(len(data))
        else:
            headers["Connection"] = "close"
        head += [f"{name}: {value}" for name, value in headers.items()]
        # Head and body in one piece: two would wait for the client's acknowledgement between.
        start = ("\r\n".join(head) + "\r\n\r\n").encode("latin-1")
        sent = data if answer.cut is None else data[: answer.cut]
        if answer.drip or answer.drip_head:
            self._drip(start, answer.drip_head)
            self._drip(sent, answer.drip)
        else:
            self.wfile.write(start + sent)
        if answer.cut is not None or not answer.announced:
            self.close_connection = True
            self.connection.shutdown(socket.SHUT_RDWR)
