"""The client against a scripted server: every way in which servers fail."""

from __future__ import annotations

import socket
import subprocess
import sys
import threading
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest
from judge_asking import (
    MODEL,
    SCHEMA,
    HandClock,
    ask_concurrently,
    client,
    endpoint,
    question,
    script,
)

from error_parts import needs_extra
from sqlverdict.errors import UsageError
from sqlverdict.llm.cache import ReplyCache
from sqlverdict.llm.client import Client
from sqlverdict.llm.http.endpoint import Endpoint
from sqlverdict.llm.request import NoReply, Reply
from sqlverdict.records import Reason
from sqlverdict.testing.fake_llm import FakeAnswer, FakeCall, FakeLlm, completion
from timeouts import HANG_SECONDS, wait_until

GOOD = FakeAnswer(completion("fine"))


BROKEN = {
    "status 500": FakeAnswer({"error": {"message": "boom"}}, status=500),
    "status 503 in HTML": FakeAnswer(b"<html>down</html>", status=503),
    "rate limit": FakeAnswer({"error": {"message": "slow down"}}, status=429),
    "retry-after in seconds": FakeAnswer(b"", status=429, headers={"Retry-After": "0.01"}),
    "retry-after in the past": FakeAnswer(
        b"", status=429, headers={"Retry-After": "Sun, 06 Nov 1994 08:49:37 GMT"}
    ),
    "cut off, length announced": FakeAnswer(completion("fine"), cut=20),
    "cut off, length not announced": FakeAnswer(completion("fine"), cut=20, announced=False),
    "nothing at all": FakeAnswer(b"", announced=False),
    "malformed JSON": FakeAnswer(b'{"choices": [{]'),
    "JSON of another kind": FakeAnswer(b'"hello"'),
    "another schema": FakeAnswer({"result": "fine"}),
    "an error under 200": FakeAnswer({"error": {"message": "boom"}}),
    "no choices": FakeAnswer(completion("x") | {"choices": []}),
    "no message": FakeAnswer(completion("x") | {"choices": [{}]}),
    "too slow": FakeAnswer(completion("late"), delay=600.0),
    "dripping": FakeAnswer(completion("late"), drip=0.2),
    # Each byte comes in time; all of them do not.
    "dripping its header": FakeAnswer(completion("late"), drip_head=0.2),
    "an HTTP status line of junk": FakeAnswer(b"", headers={"Content-Length": "junk"}),
}


SLOW = {name for name in BROKEN if name == "too slow" or name.startswith("dripping")}
"""Their fault is to be slow: the limit is short, and a busy machine may reach it once more."""


@pytest.mark.slow
@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_answer_is_asked_for_again(name: str, cache: ReplyCache) -> None:
    how = {"timeout": 2.0, "retries": 10} if name in SLOW else {}
    with FakeLlm(script(BROKEN[name], GOOD)) as server, client(server, cache, **how) as asker:
        reply = asker.ask(question())
        assert isinstance(reply, Reply)
        assert (reply.text, reply.cached) == ("fine", False)
        usage = asker.usage
        assert (usage.repeated, usage.replies) == (usage.calls - 1, 1)
        assert usage.calls >= 2 if name in SLOW else usage.calls == len(server.calls) == 2


@pytest.mark.slow
@pytest.mark.parametrize("name", BROKEN)
def test_a_server_that_stays_broken_is_given_up(name: str, cache: ReplyCache) -> None:
    how = {"timeout": 0.5} if name in SLOW else {}
    with FakeLlm(script(BROKEN[name])) as server, client(server, cache, **how) as asker:
        reply = asker.ask(question())
        assert isinstance(reply, NoReply)
        assert (reply.attempts, reply.reason) == (3, Reason.JUDGE_UNAVAILABLE)
        assert reply.message.startswith("no reply after 3 attempts: ")
        assert server.base_url in reply.message
        assert asker.usage.calls == 3
        # A server may note a call after its client has given it up.
        assert len(server.calls) <= 3 if name in SLOW else len(server.calls) == 3
        assert len(cache) == 0


@pytest.mark.parametrize("status", [400, 401, 403, 404, 413, 422, 301])
def test_what_will_be_refused_again_is_asked_once(status: int) -> None:
    answer = FakeAnswer(
        {"error": {"message": "no way"}}, status=status, headers={"Location": "http://x/"}
    )
    with FakeLlm(script(answer)) as server, client(server) as asker:
        reply = asker.ask(question())
        assert isinstance(reply, NoReply)
        assert reply.attempts == 1
        assert f"HTTP {status}" in reply.message
        assert "no way" in reply.message
        assert len(server.calls) == 1


@pytest.mark.parametrize(("status", "calls"), [(401, 1), (404, 1), (400, 2)])
def test_a_failure_that_meets_every_call_is_met_once(status: int, calls: int) -> None:
    with FakeLlm(script(FakeAnswer(b"", status=status))) as server, client(server) as asker:
        first, second = asker.ask(question("a")), asker.ask(question("b"))
        assert isinstance(first, NoReply)
        assert isinstance(second, NoReply)
        assert len(server.calls) == calls
        if calls == 1:
            assert second.attempts == 0
            assert "not sent" in second.message
            assert f"HTTP {status}" in second.message


def test_one_unknown_model_does_not_silence_the_others() -> None:
    def answer(call: FakeCall) -> FakeAnswer:
        return GOOD if call.json()["model"] == MODEL else FakeAnswer(b"", status=404)

    with FakeLlm(answer) as server, client(server) as asker:
        assert isinstance(asker.ask(question("a", model="none")), NoReply)
        assert isinstance(asker.ask(question("b")), Reply)
        assert isinstance(asker.ask(question("c", model="none")), NoReply)
        assert len(server.calls) == 2


def test_a_server_that_never_answers_is_not_asked_for_ever() -> None:
    with (
        FakeLlm(script(FakeAnswer(b"", status=500))) as server,
        client(server, retries=0, concurrency=1) as asker,
    ):
        results = [asker.ask(question(str(number))) for number in range(40)]
        assert len(server.calls) == 16
        assert isinstance(results[-1], NoReply)
        assert "16 requests in a row" in results[-1].message


def test_nobody_listens() -> None:
    # A port that is bound is nobody else's; without a listener it refuses.
    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))
        address = f"http://127.0.0.1:{bound.getsockname()[1]}/v1"
        with Client(Endpoint(address, MODEL, retries=2, backoff=0.001)) as asker:
            reply = asker.ask(question())
    assert isinstance(reply, NoReply)
    assert reply.attempts == 3
    assert "cannot connect" in reply.message


def test_a_pause_is_kept_by_every_thread() -> None:
    clock = HandClock()
    starts: list[float] = []

    def answer(call: FakeCall) -> FakeAnswer:
        starts.append(clock.time)
        if call.number == 1:
            return FakeAnswer(b"", status=429, headers={"Retry-After": "0.6"})
        return GOOD

    with FakeLlm(answer) as server, client(server, concurrency=4, clock=clock) as asker:
        first = threading.Thread(target=asker.ask, args=(question("first"),))
        first.start()
        assert wait_until(lambda: asker.usage.repeated > 0)
        list(ask_concurrently(asker, [question(str(number)) for number in range(6)]))
        first.join()
    assert all(start >= starts[0] + 0.6 for start in starts[1:])
    assert len(starts) == 8


def test_retry_after_as_a_date_is_kept() -> None:
    clock = HandClock()
    start = clock.time
    until = datetime.now(UTC) + timedelta(seconds=110)
    pause = FakeAnswer(
        b"", status=503, headers={"Retry-After": format_datetime(until, usegmt=True)}
    )
    with FakeLlm(script(pause, GOOD)) as server, client(server, clock=clock) as asker:
        assert isinstance(asker.ask(question()), Reply)
    assert start < clock.time <= start + 110


def test_a_wait_beyond_reason_is_not_waited() -> None:
    pause = FakeAnswer(b"", status=429, headers={"Retry-After": "86400"})
    with FakeLlm(script(pause)) as server, client(server) as asker:
        reply = asker.ask(question())
    assert isinstance(reply, NoReply)
    assert "wait 86400 s" in reply.message


def test_a_message_without_content_is_a_reply_and_is_paid_once(cache: ReplyCache) -> None:
    with (
        FakeLlm(script(FakeAnswer(completion(None, finish="length")))) as server,
        client(server, cache) as asker,
    ):
        for cached in (False, True):
            reply = asker.ask(question())
            assert isinstance(reply, Reply)
            assert (reply.text, reply.finish, reply.cached) == ("", "length", cached)
        assert len(server.calls) == 1


def test_a_server_that_ignores_the_schema_is_found_out(cache: ReplyCache) -> None:
    def answer(call: FakeCall) -> FakeAnswer:
        wants_schema = "response_format" in call.json()
        return FakeAnswer(completion('{"correct": true}' if wants_schema else "yes, it is"))

    with FakeLlm(answer) as server, client(server, cache) as asker:
        assert asker.ask(question(schema=SCHEMA)).fits is True  # type: ignore[union-attr]
        assert asker.ask(question()).fits is None  # type: ignore[union-attr]
    with (
        FakeLlm(script(FakeAnswer(completion("Sure! {}")))) as server,
        client(server, cache) as asker,
    ):
        for text in ("other", "other"):
            assert asker.ask(question(text, schema=SCHEMA)).fits is False  # type: ignore[union-attr]
        assert len(server.calls) == 1


def test_a_schema_beyond_our_check_is_refused_before_it_is_sent() -> None:
    with FakeLlm() as server, client(server) as asker:
        with pytest.raises(UsageError, match="pattern"):
            asker.ask(question(schema={"type": "string", "pattern": "x"}))
        assert server.calls == []


def test_a_model_that_wants_the_limit_under_its_newer_name_gets_it() -> None:
    refusal = {"error": {"message": "Unsupported parameter", "param": "max_tokens"}}

    def answer(call: FakeCall) -> FakeAnswer:
        return FakeAnswer(refusal, status=400) if "max_tokens" in call.json() else GOOD

    with FakeLlm(answer) as server, client(server) as asker:
        assert isinstance(asker.ask(question("a")), Reply)
        assert isinstance(asker.ask(question("b")), Reply)
        assert len(server.calls) == 3
        assert server.calls[-1].json()["max_completion_tokens"] == 50


def test_no_more_calls_at_once_than_allowed() -> None:
    three = threading.Barrier(3)

    def answer(call: FakeCall) -> FakeAnswer:
        del call
        three.wait(HANG_SECONDS)
        return FakeAnswer(completion("x"))

    with (
        FakeLlm(answer) as server,
        client(server, concurrency=3) as asker,
    ):
        requests = [question(str(number)) for number in range(18)]
        replies = dict(ask_concurrently(asker, requests, concurrency=9))
        assert all(isinstance(reply, Reply) for reply in replies.values())
        assert server.most_at_once == 3


def test_the_same_question_at_the_same_time_is_asked_once(cache: ReplyCache) -> None:
    with (
        FakeLlm(lambda call: FakeAnswer(completion("x"), delay=0.2)) as server,
        client(server, cache, concurrency=8) as asker,
    ):
        replies = [reply for _, reply in ask_concurrently(asker, [question()] * 8)]
        assert len(server.calls) == 1
        assert sorted(reply.cached for reply in replies) == [False] + [True] * 7  # type: ignore[union-attr]


def test_samples_are_asked_apart(cache: ReplyCache) -> None:
    with FakeLlm() as server, client(server, cache) as asker:
        for sample in (0, 1, 0):
            asker.ask(question(seed=5, sample=sample))
        assert [call.json()["seed"] for call in server.calls] == [5, 6]


def test_azure_gets_its_version_and_its_header(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AZURE_TEST", "a-key-of-mine")
    with FakeLlm() as server:
        there = endpoint(
            server,
            key_variable="AZURE_TEST",
            key_header="api-key",
            query={"api-version": "2024-10-21"},
        )
        with Client(there) as asker:
            asker.ask(question())
        (call,) = server.calls
    assert call.query == {"api-version": "2024-10-21"}
    assert call.headers["api-key"] == "a-key-of-mine"
    assert "authorization" not in call.headers
    assert call.headers["user-agent"].startswith("sqlverdict/")


def test_after_a_stop_nothing_is_sent(cache: ReplyCache) -> None:
    with FakeLlm() as server, client(server, cache) as asker:
        asker.ask(question("kept"))
        asker.stop()
        reply = asker.ask(question("new"))
        assert isinstance(reply, NoReply)
        assert "stopped" in reply.message
        assert isinstance(asker.ask(question("kept")), Reply)
        assert len(server.calls) == 1


def test_without_the_packages_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("httpx", "stamina"):
        with monkeypatch.context() as patch, FakeLlm() as server:
            patch.setitem(sys.modules, name, None)
            with needs_extra("judge"):
                Client(endpoint(server))


@pytest.mark.slow
def test_the_packages_are_loaded_only_when_a_client_is_made() -> None:
    code = (
        "import sys, pkgutil, importlib\n"
        "for name in 'client cache threads batch.batches collect'.split():\n"
        "    importlib.import_module('sqlverdict.llm.' + name)\n"
        "print(sorted({'httpx', 'stamina', 'sqlglot', 'rich'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_a_model_name_is_what_the_request_says() -> None:
    with FakeLlm() as server, client(server) as asker:
        asker.ask(question(model="panel-member"))
        assert server.calls[0].json()["model"] == "panel-member"
        assert asker.endpoint.model == MODEL


@pytest.mark.parametrize(
    ("served", "has_note"),
    [
        ("mock", True),
        (MODEL, False),
        (f"{MODEL}-2024-08-06", False),
        (f"/m/{MODEL}.gguf", False),
        ("", False),
    ],
)
def test_a_mock_that_answers_for_a_model_is_noted(
    served: str, has_note: bool, cache: ReplyCache
) -> None:
    good = FakeAnswer(completion("fine") | {"model": served})
    with FakeLlm(script(good)) as server:
        for _ in range(2):
            # From the server, then from the cache.
            with client(server, cache) as asker:
                asker.ask(question())
                assert len(asker.notes) == int(has_note)
                assert all(f"{MODEL!r} was asked" in note for note in asker.notes)
