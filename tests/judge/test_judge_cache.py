"""The file of replies: what goes in comes out, whoever shares it and however they end."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
import threading
from collections import Counter
from contextlib import closing
from pathlib import Path
from random import Random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from judge_asking import ask_concurrently, client, question

from error_parts import refuses_data
from sqlverdict.errors import DataError
from sqlverdict.llm.cache import Claims, ReplyCache, reply_cache_path
from sqlverdict.llm.request import ReceivedReply, Reply, TokenChoice
from sqlverdict.testing.fake_llm import FakeAnswer, FakeCall, FakeLlm, completion
from timeouts import HANG_SECONDS, wait_until

ADDRESS = "a" * 64
ASKER = """
import sys
from pathlib import Path
sys.path.insert(0, sys.argv[1])
from judge_asking import ask_concurrently, question
from sqlverdict.llm.cache import ReplyCache
from sqlverdict.llm.client import Client
from sqlverdict.llm.http.endpoint import Endpoint

cache = ReplyCache(Path(sys.argv[2]))
there = Endpoint(sys.argv[3], "fake", concurrency=int(sys.argv[5]), retries=0, timeout=600)
count = int(sys.argv[4])
with Client(there, cache) as asker:
    replies = dict(ask_concurrently(asker, [question(f"item {n}") for n in range(count)]))
    assert all(reply.text == f"you said: item {n}" for n, reply in replies.items()), replies
    print(asker.usage.replies, asker.usage.cached)
"""


def start_asker(path: Path, server: FakeLlm, count: int, concurrency: int) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", ASKER, str(Path(__file__).parent), str(path), server.base_url,
         str(count), str(concurrency)],
        stdout=subprocess.PIPE,
        text=True,
    )  # fmt: skip


def finish(process: subprocess.Popen[str]) -> list[int]:
    output, _ = process.communicate(timeout=HANG_SECONDS)
    assert process.returncode == 0
    return [int(number) for number in output.split()]


texts = st.text(max_size=50).filter(lambda text: text.isascii() or text.encode("utf-8", "ignore"))
numbers = st.integers(0, 10**9)
choices = st.builds(
    TokenChoice,
    texts.map(lambda text: text.encode("utf-8", "replace").decode()),
    st.floats(-100, 0),
    st.lists(st.tuples(st.just("t"), st.floats(-100, 0)), max_size=2).map(tuple),
)
received = st.builds(
    ReceivedReply,
    text=st.text(st.characters(codec="utf-8")),
    finish=st.text(st.characters(codec="utf-8"), max_size=5),
    prompt_tokens=numbers,
    completion_tokens=numbers,
    discounted_tokens=numbers,
    tokens_known=st.booleans(),
    seconds=st.floats(0, 1e4),
    logprobs=st.lists(choices, max_size=3).map(tuple),
    served=st.text(st.characters(codec="utf-8"), max_size=5),
    batch=st.booleans(),
)


@given(received)
@settings(max_examples=50, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_what_goes_in_comes_out(cache: ReplyCache, reply: ReceivedReply) -> None:
    with cache.transaction() as connection:
        connection.execute("DELETE FROM replies")
    cache.put(ADDRESS, "fake", "test@1", reply)
    assert cache.get(ADDRESS) == reply
    assert cache.problem is None
    cache.put(ADDRESS, "fake", "test@1", ReceivedReply("another", "stop"))
    assert cache.get(ADDRESS) == reply


def test_another_process_finds_it(tmp_path: Path) -> None:
    path = tmp_path / "folder" / "replies.sqlite"
    first, second = ReplyCache(path), ReplyCache(path)
    first.put(ADDRESS, "fake", "test@1", ReceivedReply("kept", "stop"))
    assert second.get(ADDRESS) == ReceivedReply("kept", "stop")
    assert second.get("b" * 64) is None
    assert (len(first), len(second)) == (1, 1)
    first.close()
    second.close()


def test_many_that_make_the_file_at_once_agree(tmp_path: Path) -> None:
    problems: list[DataError] = []

    def make(path: Path, gate: threading.Barrier) -> None:
        gate.wait()
        try:
            ReplyCache(path).close()
        except DataError as error:
            problems.append(error)

    for number in range(15):
        shared = (tmp_path / str(number), threading.Barrier(6))
        threads = [threading.Thread(target=make, args=shared) for _ in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert problems == []


def test_where_it_is(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("SQLVERDICT_CACHE", str(tmp_path / "answers.sqlite"))
    assert reply_cache_path() == tmp_path / "replies.sqlite"
    monkeypatch.setenv("SQLVERDICT_REPLIES", str(tmp_path / "mine"))
    assert reply_cache_path() == tmp_path / "mine"


def test_a_damaged_file_is_refused_and_kept(tmp_path: Path) -> None:
    path = tmp_path / "replies.sqlite"
    path.write_bytes(b"not a database, but somebody's money" * 100)
    with refuses_data(DataError, "unreadable", "replies.sqlite"):
        ReplyCache(path)
    assert path.read_bytes().startswith(b"not a database")


def test_another_programs_database_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "replies.sqlite"
    other = sqlite3.connect(path)
    other.execute("CREATE TABLE theirs (x)")
    other.close()
    with refuses_data(DataError, "wrong_kind", "another program's"):
        ReplyCache(path)


def test_another_version_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "replies.sqlite"
    ReplyCache(path).close()
    other = sqlite3.connect(path)
    other.execute("PRAGMA user_version=99")
    other.close()
    with refuses_data(DataError, "another_version", "version 99; expected 2"):
        ReplyCache(path)


def test_a_full_disk_does_not_lose_the_reply_at_hand(cache: ReplyCache) -> None:
    with cache.transaction() as connection:
        pages = connection.execute("PRAGMA page_count").fetchone()[0]
    cache._store._connection.execute(f"PRAGMA max_page_count={pages}")
    big = "x" * 100_000
    with (
        FakeLlm(lambda call: FakeAnswer(completion(big))) as server,
        client(server, cache) as asker,
    ):
        reply = asker.ask(question())
    assert isinstance(reply, Reply)
    assert reply.text == big
    assert cache.problem is not None
    assert "not stored" in cache.problem
    assert len(cache) == 0


@pytest.mark.slow
def test_processes_share_one_file_and_pay_each_question_once(tmp_path: Path) -> None:
    with FakeLlm(lambda call: FakeAnswer(echo_of(call), delay=0.02)) as server:
        processes = [start_asker(tmp_path / "r.sqlite", server, 40, 4) for _ in range(3)]
        used = [finish(process) for process in processes]
        counts = Counter(call.body for call in server.calls)
    assert len(counts) == 40
    assert set(counts.values()) == {1}
    assert sum(replies for replies, _ in used) == 40
    assert sum(cached for _, cached in used) == 80


def echo_of(call: FakeCall) -> dict[str, object]:
    return completion("you said: " + call.json()["messages"][-1]["content"])


@pytest.mark.slow
def test_killed_in_the_middle_and_resumed(tmp_path: Path) -> None:
    """The first 25 are answered, the others hang until the asker is killed; then it goes on."""
    path, count, before = tmp_path / "r.sqlite", 60, 25
    killed = threading.Event()
    answered: Counter[str] = Counter()

    def answer(call: FakeCall) -> FakeAnswer:
        if call.number > before and not killed.is_set():
            killed.wait(HANG_SECONDS)
            return FakeAnswer(b"", status=500)
        answered[call.json()["messages"][-1]["content"]] += 1
        return FakeAnswer(echo_of(call))

    with FakeLlm(answer) as server:
        process = start_asker(path, server, count, 8)
        watcher = ReplyCache(path)
        assert wait_until(lambda: len(watcher) >= before)
        os.kill(process.pid, signal.SIGKILL)
        process.communicate(timeout=HANG_SECONDS)
        assert process.returncode == -signal.SIGKILL
        assert len(watcher) == before == answered.total()
        killed.set()

        # A server may read calls of the killed asker after its end: those are not counted exactly.
        assert finish(start_asker(path, server, count, 8)) == [count - before, before]
        assert len(server.calls) <= count + 8
        assert len(answered) == count
        assert len(watcher) == count

        with client(server, watcher) as asker:
            list(ask_concurrently(asker, [question(f"item {n}") for n in range(count)]))
            assert (asker.usage.replies, asker.usage.cached) == (0, count)
        assert len(server.calls) <= count + 8
        watcher.close()


def test_a_claim_is_one_holders(tmp_path: Path) -> None:
    never = threading.Event()
    mine, theirs = Claims(tmp_path / "c"), Claims(None)
    assert mine.take(ADDRESS, 0.01, never)
    assert not mine.take(ADDRESS, 0.01, never)
    assert mine.take("b" * 64, 0.01, never)
    assert theirs.take(ADDRESS, 0.01, never)
    mine.release(ADDRESS)
    assert mine.take(ADDRESS, 0.01, never)
    mine.close()


@pytest.mark.skipif(sys.platform == "win32", reason="no such locks there")
def test_a_killed_process_lets_go_of_its_claims(tmp_path: Path) -> None:
    code = (
        "import sys, threading, time; from pathlib import Path\n"
        "from sqlverdict.llm.cache import Claims\n"
        "print(Claims(Path(sys.argv[1])).take('a' * 64, 0.1, threading.Event()), flush=True)\n"
        "time.sleep(3600)\n"
    )
    never = threading.Event()
    process = subprocess.Popen(
        [sys.executable, "-c", code, str(tmp_path / "c")], stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "True\n"
    claims = Claims(tmp_path / "c")
    assert not claims.take(ADDRESS, 0.01, never)
    assert claims.take("b" * 64, 0.01, never)
    process.kill()
    process.communicate()
    assert claims.take(ADDRESS, 0.01, never)
    claims.close()


def test_threads_share_one_connection(cache: ReplyCache) -> None:
    with FakeLlm() as server, client(server, cache, concurrency=8) as asker:
        requests = [question(str(number)) for number in range(60)]
        first = dict(ask_concurrently(asker, requests))
        second = dict(ask_concurrently(asker, requests))
    text = {number: reply.text for number, reply in first.items() if isinstance(reply, Reply)}
    assert text == {number: f"you said: {number}" for number in range(60)}
    for number, reply in second.items():
        assert isinstance(reply, Reply)
        assert (reply.cached, reply.text) == (True, text[number])


def replies_of(path: Path, count: int) -> dict[str, ReceivedReply]:
    result = {
        f"{number:064x}": ReceivedReply(
            f"reply {number}", "stop", number, 7, 0.5, tokens_known=True, served="fake"
        )
        for number in range(count)
    }
    cache = ReplyCache(path)
    for address, each in result.items():
        cache.put(address, "fake", "test@1", each)
    cache.close()
    return result


def test_a_flipped_bit_is_never_served(tmp_path: Path) -> None:
    path = tmp_path / "replies.sqlite"
    result = replies_of(path, 12)
    whole = path.read_bytes()
    rng = Random(5)
    for number in range(120):
        content = bytearray(whole)
        # Most bits of a small file are free space: half of the flips go where replies are.
        start = whole.find(b"reply 3") - 200 if number % 2 else 100
        end = start + 600 if number % 2 else len(content)
        for _ in range(rng.choice((1, 3, 12))):
            content[rng.randrange(start, end)] ^= 1 << rng.randrange(8)
        copy = tmp_path / f"{number}.sqlite"
        copy.write_bytes(content)
        try:
            cache = ReplyCache(copy)
        except DataError:
            continue
        for address, each in result.items():
            try:
                assert cache.get(address) in (None, each)
            except DataError as error:
                assert "cannot be read" in str(error)  # noqa: PT017
        cache.close()


def test_a_damaged_reply_is_asked_for_again_and_replaced(tmp_path: Path) -> None:
    path = tmp_path / "replies.sqlite"
    with FakeLlm() as server:
        cache = ReplyCache(path)
        with client(server, cache) as asker:
            first = asker.ask(question())
        with cache.transaction() as connection:
            connection.execute("UPDATE replies SET text = 'you said: something else'")
        with client(server, cache) as asker:
            again = asker.ask(question())
            third = asker.ask(question())
            assert (asker.usage.replies, asker.usage.cached) == (1, 1)
        assert cache.problem is not None
        assert "damaged" in cache.problem
        cache.close()
    assert isinstance(first, Reply)
    assert isinstance(again, Reply)
    assert isinstance(third, Reply)
    assert first.text == again.text == third.text


def test_a_reply_moved_to_another_address_is_not_served(tmp_path: Path) -> None:
    path = tmp_path / "replies.sqlite"
    replies_of(path, 1)
    cache = ReplyCache(path)
    with cache.transaction() as connection:
        connection.execute("UPDATE replies SET address = ?", (ADDRESS,))
    assert cache.get(ADDRESS) is None
    cache.close()


def test_a_mock_does_not_answer_for_the_model_it_is_named_like(tmp_path: Path) -> None:
    cache = ReplyCache(tmp_path / "replies.sqlite")
    with (
        FakeLlm(lambda call: FakeAnswer(completion("mock"))) as mock,
        FakeLlm(lambda call: FakeAnswer(completion("real"))) as real,
    ):
        for server, text in ((mock, "mock"), (real, "real"), (mock, "mock")):
            with client(server, cache) as asker:
                reply = asker.ask(question())
            assert isinstance(reply, Reply)
            assert reply.text == text
    cache.close()


def test_a_file_of_another_version_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "replies.sqlite"
    replies_of(path, 2)
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("PRAGMA user_version=1")
    with refuses_data(DataError, "another_version", path.name, "1", "2"):
        ReplyCache(path)
