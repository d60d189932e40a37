"""The key: on the wire, and nowhere else."""

from __future__ import annotations

import logging
import pickle
import traceback
from pathlib import Path

import pytest
from judge_asking import endpoint, question

from sqlverdict.llm.batch.batches import submit
from sqlverdict.llm.cache import ReplyCache
from sqlverdict.llm.client import Client
from sqlverdict.llm.http.faults import CallFailed
from sqlverdict.llm.request import NoReply, Reply
from sqlverdict.testing.fake_llm import FakeAnswer, FakeCall, FakeLlm, completion

KEY = "sk-do-not-show-7d1f"


@pytest.fixture(autouse=True)
def _key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TEST_KEY", KEY)


def blabbing(call: FakeCall) -> FakeAnswer:
    """A server that repeats the key wherever it can."""
    header = call.headers.get("authorization", "")
    assert header == f"Bearer {KEY}"
    texts = {
        1: FakeAnswer({"error": {"message": f"bad key {header}", "param": header}}, status=400),
        2: FakeAnswer(f"key was {header}".encode(), status=500),
        3: FakeAnswer({"error": header}),
        4: FakeAnswer(header.encode()),
        5: FakeAnswer(b"", headers={"X-Key": header, "Location": header}, status=302),
    }
    good = completion(f"your key is {header}", finish=header) | {"model": header}
    return texts.get(call.number, FakeAnswer(good))


def files_below(folder: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_the_key_shows_up_nowhere(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    caplog.set_level(logging.DEBUG)
    cache = ReplyCache(tmp_path / "replies.sqlite")
    texts: list[str] = []
    with FakeLlm(blabbing) as server:
        there = endpoint(server, key_variable="TEST_KEY", retries=0)
        texts += [repr(there), str(there), str(pickle.dumps(there)), there.about_the_key()]
        for number in range(7):
            # A client of its own each time: one remembers failures that last.
            with Client(there, cache) as asker:
                reply = asker.ask(question(str(number)))
                assert isinstance(reply, NoReply if number < 5 else Reply)
                texts += [repr(reply), repr(asker), repr(asker.usage), repr(asker._transport)]
    cache.close()
    texts += [*caplog.messages, *(str(vars(record)) for record in caplog.records)]
    texts += list(capfd.readouterr())
    assert "[key]" in "".join(texts)
    assert not [text for text in texts if KEY in text]
    files = files_below(tmp_path)
    assert len(files) >= 1
    assert any(b"your key is Bearer [key]" in data for data in files.values())
    assert not [name for name, data in files.items() if KEY.encode() in data]


def test_a_batch_keeps_the_key_out_of_files_and_errors(tmp_path: Path) -> None:
    cache = ReplyCache(tmp_path / "replies.sqlite")
    with FakeLlm(blabbing) as server:
        there = endpoint(server, key_variable="TEST_KEY", retries=0)
        with pytest.raises(CallFailed) as result:
            submit(there, cache, [question()])
        trace = "".join(traceback.format_exception(result.value))
    cache.close()
    assert "[key]" in trace
    assert KEY not in trace
    files = files_below(tmp_path)
    assert any(name.endswith(".jsonl") for name in files)
    assert not [name for name, data in files.items() if KEY.encode() in data]


def test_a_short_word_is_not_taken_for_a_key(monkeypatch: pytest.MonkeyPatch) -> None:
    # Local servers accept any key, and people set it to "x".
    monkeypatch.setenv("TEST_KEY", "x")
    with (
        FakeLlm(lambda call: FakeAnswer(completion("xylophone"))) as server,
        Client(endpoint(server, key_variable="TEST_KEY")) as asker,
    ):
        reply = asker.ask(question())
    assert isinstance(reply, Reply)
    assert reply.text == "xylophone"
