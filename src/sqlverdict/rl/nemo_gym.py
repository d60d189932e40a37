"""NeMo Gym: ``POST /verify``, as an ASGI app and as a server of the standard library.

::

    from sqlverdict.rl import Rewarder
    from sqlverdict.rl.nemo_gym import VerifyApp, serve

    serve(Rewarder(databases="bird/databases"), port=8_000)   # or: uvicorn with VerifyApp(...)

A request holds the model's ``response``, the gold (``gt_sql``) and the database (``db_id`` or
``db``). The reply is the request with ``reward``, ``outcome``, ``reasons`` and ``extracted_sql``.
Unscored is NeMo Gym's ``mask_sample``, with the reason: its reward is no measurement.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from sqlverdict.errors import SqlverdictError
from sqlverdict.rl.options import MISSING, read_row
from sqlverdict.rl.rewarder import Rewarder, completion_text

LONGEST = 32 * 2**20
"""The longest request that is read, in bytes."""

Message = dict[str, Any]


def verify(rewarder: Rewarder, request: Mapping[str, Any]) -> dict[str, Any]:
    """The reply to one request."""
    arguments = read_row(request.get("gt_sql", request.get("sql", MISSING)), request)
    reward = rewarder.reward(prediction=output_text(request.get("response")), **arguments)
    reply = {
        **request,
        **reward.as_row(),
        "reward": 0.0 if reward.score is None else reward.score,
        "extracted_sql": reward.sql,
        "mask_sample": not reward.scored,
    }
    if not reward.scored:
        reply["failure_kind"] = "sqlverdict:unscored"
        reply["failure_reason"] = reward.message or ", ".join(reward.reasons)
    return reply


def output_text(response: Any) -> str:
    """The text of a response of the Responses API: all texts of the model's messages."""
    if isinstance(response, str):
        return response
    if not isinstance(response, Mapping):
        return ""
    text = response.get("output_text")
    if isinstance(text, str):
        return text
    output = response.get("output")
    items = [item for item in (output if isinstance(output, list) else []) if _is_reply(item)]
    # Messages stand apart: the last word of one and the first of the next are two words.
    return "\n".join(filter(None, map(completion_text, items)))


def _is_reply(item: Any) -> bool:
    """Whether an item of an output is the model's message, and no reasoning or call of a tool."""
    if not isinstance(item, Mapping) or item.get("type", "message") != "message":
        return False
    return bool(item.get("role", "assistant") == "assistant")


def _respond(rewarder: Rewarder, method: str, path: str, body: bytes) -> tuple[int, Any]:
    """The status and the JSON for a request."""
    if method != "POST" or path not in ("/verify", "/seed_session"):
        return 404, {"detail": "POST /verify"}
    if path == "/seed_session":
        return 200, {}
    try:
        request = json.loads(body)
    except ValueError:
        return 400, {"detail": "the request is not JSON"}
    if not isinstance(request, dict):
        return 422, {"detail": "the request is no JSON object"}
    try:
        return 200, verify(rewarder, request)
    except SqlverdictError as error:
        return 422, {"detail": str(error)}


class VerifyApp:
    """The ASGI app.

    Args:
        rewarder: What scores.
    """

    def __init__(self, rewarder: Rewarder) -> None:
        self.rewarder = rewarder

    async def __call__(
        self,
        scope: Mapping[str, Any],
        receive: Callable[[], Awaitable[Message]],
        send: Callable[[Message], Awaitable[None]],
    ) -> None:
        """Answer one request."""
        if scope["type"] == "lifespan":
            await _live(receive, send)
            return
        body = b""
        more = True
        while more and len(body) <= LONGEST:
            message = await receive()
            body += message.get("body", b"")
            more = message.get("more_body", False)
        status, reply = 413, {"detail": "the request is too long"}
        if len(body) <= LONGEST:
            status, reply = await asyncio.to_thread(
                _respond, self.rewarder, scope["method"], scope["path"], body
            )
        headers = [(b"content-type", b"application/json")]
        await send({"type": "http.response.start", "status": status, "headers": headers})
        await send({"type": "http.response.body", "body": json.dumps(reply).encode()})


async def _live(
    receive: Callable[[], Awaitable[Message]], send: Callable[[Message], Awaitable[None]]
) -> None:
    """Start and stop with the server."""
    while True:
        message = await receive()
        await send({"type": f"{message['type']}.complete"})
        if message["type"] == "lifespan.shutdown":
            return


def make_server(
    rewarder: Rewarder, host: str = "127.0.0.1", port: int = 8_000
) -> ThreadingHTTPServer:
    """A server of the standard library, not yet serving; a thread a request."""

    class VerifyHandler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            length = self.headers.get("Content-Length", "")
            status, reply = 411, {"detail": "the request has no length"}
            if length.isdecimal() and int(length) > LONGEST:
                status, reply = 413, {"detail": "the request is too long"}
                self.close_connection = True
            elif length.isdecimal():
                body = self.rfile.read(int(length))
                status, reply = _respond(rewarder, "POST", self.path, body)
            data = json.dumps(reply).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - as its base has it
            """Log nothing: a trainer sends thousands of requests."""

    return ThreadingHTTPServer((host, port), VerifyHandler)


def serve(rewarder: Rewarder, host: str = "127.0.0.1", port: int = 8_000) -> None:
    """Serve until the process is stopped."""
    with make_server(rewarder, host, port) as server:
        server.serve_forever()
