"""What a failure is called, and whether it is tried again."""

from __future__ import annotations

from datetime import UTC, datetime
from email.utils import format_datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sqlverdict.llm.http.endpoint import Endpoint
from sqlverdict.llm.http.faults import from_status, retry_after

HERE = Endpoint("https://api.example/v1", "m", longest_wait=60.0)


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"retry-after": "7"}, 7.0),
        ({"retry-after": " 0.5 "}, 0.5),
        ({"retry-after": "0"}, 0.0),
        ({"retry-after-ms": "250"}, 0.25),
        ({"retry-after-ms": "250", "retry-after": "7"}, 0.25),
        ({"retry-after-ms": "soon", "retry-after": "7"}, 7.0),
        ({"retry-after": "-3"}, None),
        ({"retry-after": "nan"}, None),
        ({"retry-after": "inf"}, None),
        ({"retry-after": "soon"}, None),
        ({"retry-after": ""}, None),
        ({"retry-after": "Sun, 06 Nov 1994 08:49:37 GMT"}, 37.0),
        ({"retry-after": "Sun, 06 Nov 1994 08:48:00 GMT"}, 0.0),
    ],
)
def test_retry_after(headers: dict[str, str], seconds: float | None) -> None:
    now = datetime(1994, 11, 6, 8, 49, 0, tzinfo=UTC).timestamp()
    assert retry_after(headers, now) == seconds


@given(st.integers(0, 4 * 10**9), st.integers(-(10**6), 10**6))
def test_any_http_date_is_waited_for(now: int, ahead: int) -> None:
    moment = datetime.fromtimestamp(max(0, now + ahead), UTC)
    headers = {"retry-after": format_datetime(moment, usegmt=True)}
    assert retry_after(headers, now) == max(0, moment.timestamp() - now)


@given(st.text(max_size=40))
def test_no_retry_after_is_an_exception(value: str) -> None:
    wait = retry_after({"retry-after": value})
    assert wait is None or wait >= 0


@pytest.mark.parametrize("status", [408, 409, 425, 429, 500, 502, 503, 504, 520, 529])
def test_tried_again(status: int) -> None:
    assert from_status(HERE, status, {}, b"").again


@pytest.mark.parametrize("status", [301, 307, 400, 401, 402, 403, 404, 405, 413, 422, 501, 505])
def test_not_tried_again(status: int) -> None:
    assert not from_status(HERE, status, {}, b"").again


def test_a_wait_beyond_reason_is_not_waited() -> None:
    error = from_status(HERE, 429, {"retry-after": "3600"}, b"")
    assert not error.again
    assert "wait 3600 s" in str(error)
    assert from_status(HERE, 429, {"retry-after": "59"}, b"").wait == 59.0


def test_no_money_left_is_not_a_rate_limit() -> None:
    body = (
        b'{"error": {"message": "You exceeded your current quota", "code": "insufficient_quota"}}'
    )
    error = from_status(HERE, 429, {}, body)
    assert (error.again, error.lasting) == (False, True)


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (b'{"error": {"message": "model overloaded"}}', "model overloaded"),
        (b'{"error": "model overloaded"}', "model overloaded"),
        (b'{"detail": "model overloaded"}', "model overloaded"),
        (b'[{"error": {"message": "model overloaded"}}]', "model overloaded"),
        (b"model\noverloaded\x00", "model overloaded"),
        (b"<html>" + b"x" * 5000, "xxx..."),
        (b"\xff\xfe", "HTTP 503"),
        (b"", "HTTP 503"),
        (b"[]", "HTTP 503"),
        (b"[" * 30_000, "HTTP 503"),
        (b'{"error": {"message": null, "code": 3}}', "HTTP 503"),
    ],
)
def test_the_servers_own_words_are_quoted_briefly(body: bytes, words: str) -> None:
    message = str(from_status(HERE, 503, {}, body))
    assert words in message
    assert "https://api.example/v1" in message
    assert len(message) < 600
    assert message.isprintable()


def test_a_refused_key_says_where_keys_come_from(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    error = from_status(HERE, 401, {}, b"")
    assert "OPENAI_API_KEY, which is not set" in str(error)
    assert error.lasting


def test_a_refused_field_is_named() -> None:
    body = b'{"error": {"message": "Unsupported parameter", "param": "max_tokens"}}'
    error = from_status(HERE, 400, {}, body)
    assert error.field == "max_tokens"
    assert "omit" in str(error)
