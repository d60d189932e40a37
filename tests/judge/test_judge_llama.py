"""The client against llama.cpp itself, with a tiny random model: a real protocol."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from judge_asking import SCHEMA, ask_concurrently, question

import tiny_llm
from sqlverdict.errors import SqlverdictError
from sqlverdict.llm.cache import ReplyCache
from sqlverdict.llm.client import Client
from sqlverdict.llm.http.endpoint import Endpoint
from sqlverdict.llm.request import Message, NoReply, Reply, Request
from timeouts import HANG_SECONDS, wait_until
from tiny_llm import LlmServer, make_tiny_gguf, serve_gguf

pytestmark = pytest.mark.slow  # a server

TALK = (
    Message("system", "You compare SQL queries."),
    Message("user", "SELECT 'h\N{LATIN SMALL LETTER E WITH ACUTE}' \N{GRINNING FACE} --\n"),
)


def ask(server: LlmServer, request: Request, cache: ReplyCache | None = None) -> Reply:
    with Client(Endpoint(server.base_url, server.model, timeout=600.0), cache) as asker:
        reply = asker.ask(request)
    assert isinstance(reply, Reply), reply
    return reply


def test_a_chat(llm: LlmServer, cache: ReplyCache) -> None:
    request = Request(llm.model, TALK, "test@1", max_tokens=40)
    reply = ask(llm, request, cache)
    assert reply.text
    assert reply.finish in ("stop", "length")
    assert 0 < reply.completion_tokens <= 40
    # The model's tokens are characters and bytes: every one of the prompt is counted.
    assert reply.prompt_tokens >= sum(len(message.content) for message in TALK)
    assert (reply.served, reply.fits, reply.cost, reply.cached) == (llm.model, None, None, False)
    again = ask(llm, request, cache)
    assert again.cached
    assert (again.text, again.logprobs) == (reply.text, reply.logprobs)


def test_temperature_zero_repeats_itself_and_seeds_tell_samples_apart(llm: LlmServer) -> None:
    def texts(**more: object) -> list[str]:
        requests = [
            question("hello", model=llm.model, max_tokens=30, sample=sample, **more)
            for sample in (0, 0, 1, 2)
        ]
        return [ask(llm, request).text for request in requests]

    assert len(set(texts())) == 1
    one, same, other, third = texts(temperature=1.0, seed=11)
    assert one == same
    assert len({one, other, third}) > 1


def test_logprobs(llm: LlmServer, cache: ReplyCache) -> None:
    request = question("hello", model=llm.model, max_tokens=8, logprobs=3)
    reply = ask(llm, request, cache)
    assert 0 < len(reply.logprobs) <= 8
    for choice in reply.logprobs:
        assert choice.logprob <= 0
        assert len(choice.alternatives) == 3
        # At temperature 0 the token taken is the likeliest.
        assert max(logprob for _, logprob in choice.alternatives) == pytest.approx(choice.logprob)
    assert ask(llm, request, cache).logprobs == reply.logprobs


def test_a_schema_is_obeyed_and_checked(llm: LlmServer) -> None:
    reply = ask(llm, question("right?", model=llm.model, max_tokens=400, schema=SCHEMA))
    assert reply.finish == "stop"
    assert reply.fits is True
    assert isinstance(json.loads(reply.text)["correct"], bool)


def test_a_reply_cut_at_its_limit_does_not_fit(llm: LlmServer) -> None:
    reply = ask(llm, question("right?", model=llm.model, max_tokens=2, schema=SCHEMA))
    assert (reply.finish, reply.fits) == ("length", False)


def test_a_prompt_beyond_the_models_context_is_refused_clearly(llm: LlmServer) -> None:
    with Client(Endpoint(llm.base_url, llm.model, timeout=600.0)) as asker:
        reply = asker.ask(question("x" * 40_000, model=llm.model))
    assert isinstance(reply, NoReply)
    assert reply.attempts == 1
    assert "context" in reply.message


def test_many_at_once(llm: LlmServer, cache: ReplyCache) -> None:
    requests = [question(f"item {n}", model=llm.model, max_tokens=12) for n in range(40)]
    with Client(Endpoint(llm.base_url, llm.model, concurrency=6, timeout=600.0), cache) as asker:
        first = dict(ask_concurrently(asker, requests))
        second = dict(ask_concurrently(asker, requests))
        assert asker.usage.calls == 40
    assert all(isinstance(reply, Reply) for reply in first.values())
    assert {n: getattr(reply, "text", None) for n, reply in first.items()} == {
        n: getattr(reply, "text", None) for n, reply in second.items()
    }


def test_a_server_with_a_key(tiny_gguf: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TINY_KEY", "a-key-of-its-own")
    with serve_gguf(tiny_gguf, key="a-key-of-its-own") as server:
        endpoint = Endpoint(server.base_url, "tiny", key_variable="TINY_KEY")
        with Client(endpoint) as asker:
            assert isinstance(asker.ask(question(model="tiny")), Reply)
        with Client(Endpoint(server.base_url, "tiny")) as asker:
            reply = asker.ask(question(model="tiny"))
        assert isinstance(reply, NoReply)
        assert "HTTP 401" in reply.message


def test_the_model_is_the_same_every_time(tmp_path: Path, tiny_gguf: Path) -> None:
    assert make_tiny_gguf(tmp_path / "a.gguf").read_bytes() == tiny_gguf.read_bytes()
    assert make_tiny_gguf(tmp_path / "b.gguf", seed=1).read_bytes() != tiny_gguf.read_bytes()


def test_a_file_that_is_no_model_is_an_error_not_a_wait(tmp_path: Path) -> None:
    (tmp_path / "bad.gguf").write_bytes(b"no model")
    with (
        pytest.raises(SqlverdictError, match="before it listened"),
        serve_gguf(tmp_path / "bad.gguf"),
    ):
        pass


@pytest.mark.skipif(sys.platform == "win32", reason="signals differ there")
def test_a_killed_caller_leaves_no_server_behind(tiny_gguf: Path) -> None:
    code = (
        "import sys, time; from pathlib import Path\n"
        "from tiny_llm import serve_gguf\n"
        "with serve_gguf(Path(sys.argv[1])) as server:\n"
        "    print(server.pid, flush=True)\n"
        "    time.sleep(3600)\n"
    )
    caller = subprocess.Popen(
        [sys.executable, "-c", code, str(tiny_gguf)],
        stdout=subprocess.PIPE,
        text=True,
        cwd=Path(tiny_llm.__file__).parent,
    )
    assert caller.stdout is not None
    server = int(caller.stdout.readline())
    os.kill(server, 0)
    caller.send_signal(signal.SIGKILL)
    caller.communicate(timeout=HANG_SECONDS)
    assert wait_until(lambda: not is_running(server)), f"the server {server} outlived its caller"


def is_running(pid: int) -> bool:
    """Whether the process is there, and more than an entry that nobody has read yet."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    status = Path(f"/proc/{pid}/stat")
    return not status.exists() or ") Z " not in status.read_text("ascii", "replace")
