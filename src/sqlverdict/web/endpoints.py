"""Endpoints whose requests and replies are JSON."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Mapping
from typing import TypeVar

import msgspec
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from sqlverdict.errors import SqlverdictError, UsageError
from sqlverdict.web.refusals import Refusal

REQUEST_HEADER = "x-sqlverdict-request"
"""Names one act of a user: a proxy may send its request again."""
_REMEMBERED = 256
_LONGEST_NAME = 100
_OUR_FAULT = 500

T = TypeVar("T")
Reply = tuple[int, bytes]
"""A status and a body."""


async def read_body(request: Request, kind: type[T]) -> T:
    """What a request says.

    Raises:
        UsageError: it is of another form.
    """
    try:
        return msgspec.json.decode(await request.body(), type=kind)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise UsageError(f"the request cannot be read: {error}") from error


class RepeatedRequests:
    """The replies to requests that named their act: the same one again is not worked on twice.

    A failure of ours is forgotten, so that it can be tried again.
    """

    def __init__(self) -> None:
        self._replies: OrderedDict[tuple[str, ...], asyncio.Future[Reply]] = OrderedDict()

    async def answer(self, request: Request, work: Callable[[], Awaitable[Reply]]) -> Reply:
        """The reply to a request, by work or by memory."""
        name = request.headers.get(REQUEST_HEADER, "")
        if not name or len(name) > _LONGEST_NAME:
            return await work()
        key = (request.scope["identity"], request.scope["path"], name)
        known = self._replies.get(key)
        if known is not None:
            return await asyncio.shield(known)
        task = asyncio.ensure_future(work())
        self._replies[key] = task
        while len(self._replies) > _REMEMBERED:
            self._replies.popitem(last=False)
        # The work goes on where the client is gone: the next one to ask gets its reply.
        status = _OUR_FAULT
        try:
            status, body = await asyncio.shield(task)
        finally:
            if status >= _OUR_FAULT and task.done():
                self._replies.pop(key, None)
        return status, body


def pages_with_api(
    endpoints: Mapping[str, Callable[[Request], Awaitable[object]]],
    page: Callable[[Request], Awaitable[Response]],
    repeated: RepeatedRequests | None = None,
) -> Starlette:
    """An application of pages, and of endpoints that they call.

    Args:
        endpoints: What answers ``/api/NAME``, by name; see :func:`json_endpoint`.
        page: What gives a file of the pages, by its name, and the first page without one.
        repeated: The memory of replies, where a request may be sent twice.
    """
    api = [
        Route(f"/api/{name}", json_endpoint(each, repeated), methods=["POST"])
        for name, each in endpoints.items()
    ]
    return Starlette(routes=[*api, Route("/{name}", page), Route("/", page)])


def json_endpoint(
    endpoint: Callable[[Request], Awaitable[object]], repeated: RepeatedRequests | None = None
) -> Callable[[Request], Awaitable[Response]]:
    """An endpoint whose result is JSON, and whose errors are messages.

    Args:
        endpoint: What answers.
        repeated: The memory of replies, where a request may be sent twice.
    """

    async def reply_to(request: Request) -> Reply:
        status = 200
        try:
            content = await endpoint(request)
        except Refusal as refusal:
            status, content = refusal.status, {"error": str(refusal), "code": refusal.code}
        except SqlverdictError as error:
            status, content = 400, {"error": str(error)}
        except OSError as error:
            status, content = 507, {"error": f"not saved: {error.strerror}. Check the disk."}
        return status, msgspec.json.encode(content)

    async def answer(request: Request) -> Response:
        if repeated is None:
            status, body = await reply_to(request)
        else:
            # A body that is read later may belong to a client that is gone.
            await request.body()
            status, body = await repeated.answer(request, lambda: reply_to(request))
        return Response(body, status, media_type="application/json")

    return answer
