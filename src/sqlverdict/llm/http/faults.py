"""What can go wrong with a call, named once: what to say, and whether to try again.

Tried again: time-outs, broken connections, replies that are cut off or are not what the
protocol says, and the statuses 408, 409, 425, 429 and 5xx (but 501 and 505). Not tried again:
every other status, since the same request would be refused in the same way.
"""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING

from sqlverdict.errors import SqlverdictError

if TYPE_CHECKING:
    from sqlverdict.llm.http.endpoint import Endpoint

_AGAIN = {408, 409, 425, 429}
_NEVER = {501, 505}
_GATEWAY = {504, 524}
"""A gateway gave up on a server that had got the request, and may have done the work."""
_QUOTA = ("insufficient_quota", "billing_hard_limit", "exceeded your current quota")
_LONGEST = 300
_RESUME = "Replies already paid for are kept; run the same command again afterwards"


class CallFailed(SqlverdictError):
    """A call got no usable reply.

    Attributes:
        again: Whether another try may go better.
        wait: Seconds the server asks to wait first.
        billed: Whether the server may have done the work, and charged for it.
        lasting: Whether every further call would fail in the same way.
        field: The body's field that the server refuses, where it says so.
        attempts: How many calls were made in all, once no more are.
    """

    attempts = 0

    def __init__(
        self,
        message: str,
        *,
        again: bool,
        wait: float | None = None,
        billed: bool = False,
        lasting: bool = False,
        field: str = "",
    ) -> None:
        super().__init__(message)
        self.again = again
        self.wait = wait
        self.billed = billed
        self.lasting = lasting
        self.field = field


class Stopped(SqlverdictError):
    """The user stopped the run before this was sent."""


class CostLimitReached(SqlverdictError):
    """The cost limit leaves no room for the next call."""


def malformed(endpoint: Endpoint, what: str) -> CallFailed:
    """The server said 200, and then something that is no chat completion."""
    return CallFailed(
        f"the server at {endpoint.base_url} sent {endpoint.scrub(what)}; expected a chat "
        "completion. Check that the base URL is an OpenAI-compatible one",
        again=True,
        billed=True,
    )


def from_status(
    endpoint: Endpoint, status: int, headers: Mapping[str, str], body: bytes
) -> CallFailed:
    """What a status other than 2xx means."""
    message, code, field = _error_in(body)
    message = endpoint.scrub(message)
    answer = f"HTTP {status} from {endpoint.base_url}" + (
        f", saying {message!r}" if message else ""
    )
    if status == 429 and any(sign in f"{code} {message}" for sign in _QUOTA):
        return CallFailed(
            f"{answer}: the account has no credit left. Add some. {_RESUME}",
            again=False,
            lasting=True,
        )
    if status in _AGAIN or (status >= 500 and status not in _NEVER):
        return _try_again(endpoint, answer, headers, billed=status in _GATEWAY)
    if status in (401, 403):
        return CallFailed(
            f"{answer}: the key was refused or is missing; {endpoint.about_the_key()}. "
            f"Set a valid one. {_RESUME}",
            again=False,
            lasting=status == 401,
        )
    if status == 404:
        return CallFailed(
            f"{answer}: there is no such path or model. Check the base URL and the model's name",
            again=False,
            lasting=True,
        )
    if 300 <= status < 400:
        return CallFailed(
            f"{answer}: the server sends us elsewhere, which is not followed with a key. "
            "Use the address it moved to as the base URL",
            again=False,
            lasting=True,
        )
    return CallFailed(
        f"{answer}: the server refuses this request. If it does not know a field of it, name the "
        "field in `omit`; if the prompt is too long for the model, take a larger one",
        again=False,
        field=field,
    )


def retry_after(headers: Mapping[str, str], now: float | None = None) -> float | None:
    """The seconds a server asks to wait: as seconds, milliseconds or an HTTP date.

    Args:
        headers: The reply's headers, their names in lower case.
        now: The time, in seconds since 1970; by the clock where not given.
    """
    for name, unit in (("retry-after-ms", 1e-3), ("retry-after", 1.0)):
        value = headers.get(name, "").strip()
        try:
            seconds = float(value) * unit
        except ValueError:
            continue
        if 0 <= seconds < float("inf"):
            return seconds
    try:
        then = parsedate_to_datetime(headers.get("retry-after", "")).timestamp()
    except (ValueError, TypeError, IndexError, OverflowError, OSError):
        return None
    return max(0.0, then - (time.time() if now is None else now))


def _try_again(
    endpoint: Endpoint, answer: str, headers: Mapping[str, str], *, billed: bool
) -> CallFailed:
    wait = retry_after(headers)
    if wait is not None and wait > endpoint.longest_wait:
        return CallFailed(
            f"{answer}: it asks to wait {wait:.0f} s, and at most {endpoint.longest_wait:.0f} s "
            f"are waited. Come back later or allow a longer wait. {_RESUME}",
            again=False,
            wait=wait,
            billed=billed,
        )
    return CallFailed(f"{answer}: it is busy or broken", again=True, wait=wait, billed=billed)


def _error_in(body: bytes) -> tuple[str, str, str]:
    """The server's own words, its error code and the field it complains about."""
    text = body[:20_000].decode("utf-8", "replace")
    code = field = ""
    try:
        error = json.loads(text, parse_int=str)
    except (ValueError, RecursionError):
        error = None
    if isinstance(error, list) and error:
        error = error[0]
    if isinstance(error, dict):
        inner = error.get("error", error)
        if isinstance(inner, dict):
            code = f"{inner.get('code') or ''} {inner.get('type') or ''}"
            field = str(inner.get("param") or "")
            inner = inner.get("message") or inner.get("detail") or ""
        text = str(inner) or text
    plain = " ".join("".join(c if c.isprintable() else " " for c in text).split())
    return (
        (plain[:_LONGEST] + "..." if len(plain) > _LONGEST else plain),
        code,
        field,
    )
