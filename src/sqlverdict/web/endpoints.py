"""Endpoints whose requests and replies are JSON."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TypeVar

import msgspec
from starlette.requests import Request
from starlette.responses import Response

from sqlverdict.errors import SqlverdictError, UsageError

T = TypeVar("T")


async def read_body(request: Request, kind: type[T]) -> T:
    """What a request says.

    Raises:
        UsageError: it is of another form.
    """
    try:
        return msgspec.json.decode(await request.body(), type=kind)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise UsageError(f"the request cannot be read: {error}") from error


def json_endpoint(
    endpoint: Callable[[Request], Awaitable[object]],
) -> Callable[[Request], Awaitable[Response]]:
    """An endpoint whose result is JSON, and whose errors are messages."""

    async def answer(request: Request) -> Response:
        status = 200
        try:
            content = await endpoint(request)
        except SqlverdictError as error:
            status, content = 400, {"error": str(error)}
        except OSError as error:
            status, content = 507, {"error": f"not saved: {error.strerror}. Check the disk."}
        return Response(msgspec.json.encode(content), status, media_type="application/json")

    return answer
