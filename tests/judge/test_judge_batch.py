"""Batches: sent once, collected whole, whatever happens in between."""

from __future__ import annotations

import json
import threading
from contextlib import closing
from typing import Any

import pytest
from judge_asking import MODEL, PRICES, client, endpoint, question
from judge_batches import BatchApi, good

from error_parts import asks_for
from sqlverdict.account import Account
from sqlverdict.errors import OptionName
from sqlverdict.llm.batch import batches
from sqlverdict.llm.batch.batches import collect, submit
from sqlverdict.llm.cache import ReplyCache
from sqlverdict.llm.collect import RequestCollector
from sqlverdict.llm.costs import most_tokens
from sqlverdict.llm.http.faults import CallFailed
from sqlverdict.llm.request import NoReply, Reply
from sqlverdict.testing.fake_llm import FakeAnswer, FakeCall, FakeLlm

REQUESTS = [question(str(number)) for number in range(5)]


def sent_lines(api: BatchApi) -> list[str]:
    """Every question in every batch that was started."""
    return [
        json.loads(line)["body"]["messages"][-1]["content"]
        for name in api.batches
        for line in api.inputs(name)
    ]


def test_there_and_back(cache: ReplyCache) -> None:
    api = BatchApi()
    with FakeLlm(api) as server:
        there = endpoint(server)
        sent = submit(there, cache, [*REQUESTS, REQUESTS[0]])
        assert (sent.sent, sent.cached, sent.waiting, len(sent.batches)) == (5, 0, 0, 1)
        assert sent.batches[0].state == "running"
        line = json.loads(api.files["file-0"].splitlines()[0])
        assert (line["method"], line["url"]) == ("POST", "/v1/chat/completions")
        assert line["custom_id"] == there.address(REQUESTS[0])
        assert line["body"]["messages"] == [{"role": "user", "content": "0"}]

        api.status = "in_progress"
        items = collect(there, cache)
        assert (items.replies, items.running) == (0, 1)
        api.status = "completed"
        items = collect(there, cache)
        assert (items.replies, items.unanswered, items.running) == (5, 0, 0)
        assert collect(there, cache).replies == 0

        calls = len(server.calls)
        with client(server, cache, prices=PRICES) as asker:
            replies = [asker.ask(request) for request in REQUESTS]
        assert [reply.text for reply in replies] == [f"you said: {n}" for n in range(5)]  # type: ignore[union-attr]
        # 10 tokens read, 5 written, at half the price.
        assert replies[0].cost == pytest.approx(0.5 * (10 * 1000 + 5 * 2000) / 1e6)  # type: ignore[union-attr]
        assert submit(there, cache, REQUESTS).cached == 5
        assert len(server.calls) == calls


def test_what_waits_in_a_batch_is_neither_sent_nor_asked_again(cache: ReplyCache) -> None:
    api = BatchApi()
    with FakeLlm(api) as server:
        there = endpoint(server)
        submit(there, cache, REQUESTS)
        again = submit(there, cache, [*REQUESTS, question("new")])
        assert (again.sent, again.waiting) == (1, 5)
        assert sorted(sent_lines(api)) == ["0", "1", "2", "3", "4", "new"]
        with client(server, cache) as asker:
            reply = asker.ask(REQUESTS[0])
        assert isinstance(reply, NoReply)
        assert reply.pending
        gatherer = RequestCollector(there, cache)
        assert gatherer.ask(REQUESTS[0]).pending  # type: ignore[union-attr]
        assert (gatherer.requests, gatherer.waiting) == ((), 1)


@pytest.mark.parametrize("step", ["/v1/files", "/v1/batches"])
@pytest.mark.parametrize("done", [False, True])
def test_interrupted_anywhere_it_goes_on(cache: ReplyCache, step: str, done: bool) -> None:
    """The call fails for good, before or after the server has done its part."""
    api = BatchApi()

    def refuse(call: FakeCall) -> FakeAnswer | None:
        if (call.method, call.path) == ("POST", step):
            return FakeAnswer({"error": {"message": "go away"}}, status=403)
        return None

    with FakeLlm(api) as server:
        there = endpoint(server)
        setattr(api, "after" if done else "fault", refuse)
        with pytest.raises(CallFailed, match="go away"):
            submit(there, cache, REQUESTS)
        assert len(api.batches) == (done and step == "/v1/batches")
        api.fault = api.after = lambda call: None
        assert submit(there, cache, REQUESTS).waiting == 5
        assert collect(there, cache).replies == 5
        assert sorted(sent_lines(api)) == ["0", "1", "2", "3", "4"]


def test_a_creation_whose_answer_is_lost_is_found_again(cache: ReplyCache) -> None:
    api = BatchApi()
    api.after = lambda call: (
        FakeAnswer(b"{", cut=0) if call.method == "POST" and "batches" in call.path else None
    )
    with FakeLlm(api) as server:
        submit(endpoint(server), cache, REQUESTS)
        assert len(api.batches) == 1
        assert collect(endpoint(server), cache).replies == 5


def test_collecting_goes_on_where_it_was_interrupted(
    cache: ReplyCache, monkeypatch: pytest.MonkeyPatch
) -> None:
    api = BatchApi()
    with FakeLlm(api) as server:
        there = endpoint(server)
        submit(there, cache, REQUESTS)
        stored = ReplyCache.put

        def interrupted(self: ReplyCache, address: str, *more: Any) -> None:
            stored(self, address, *more)
            if len(self) == 3:
                raise KeyboardInterrupt

        with monkeypatch.context() as patch:
            patch.setattr(ReplyCache, "put", interrupted)
            with pytest.raises(KeyboardInterrupt):
                collect(there, cache)
        assert len(cache) == 3
        collect(there, cache)
        assert len(cache) == 5
        assert collect(there, cache).replies == 0


def test_what_a_batch_does_not_answer_may_be_asked_again(cache: ReplyCache) -> None:
    def outcome(line: dict[str, Any]) -> dict[str, Any] | None:
        text = line["body"]["messages"][-1]["content"]
        if text == "1":
            return None
        if text == "2":
            rejection = {"status_code": 400, "body": {"error": {"message": "too long"}}}
            return {"custom_id": line["custom_id"], "response": rejection}
        if text == "3":
            return {"custom_id": line["custom_id"], "response": {"status_code": 200, "body": {}}}
        if text == "4":
            return {"custom_id": "nobody's", "response": None}
        return good(line)

    api = BatchApi()
    api.outcome = outcome
    api.status = "expired"
    with FakeLlm(api) as server:
        there = endpoint(server)
        submit(there, cache, REQUESTS)
        items = collect(there, cache)
        assert (items.replies, items.unanswered, items.running) == (1, 4, 0)
        assert any("too long" in message for message in items.messages)
        assert any("'expired'" in message for message in items.messages)
        api.outcome, api.status = good, "completed"
        assert submit(there, cache, REQUESTS).sent == 4
        assert collect(there, cache).replies == 4


@pytest.mark.parametrize("by_collector", [True, False])
def test_only_a_batch_that_is_known_to_have_ended_without_a_reply_is_free(
    cache: ReplyCache, by_collector: bool
) -> None:
    """That other batches of a cache ended says nothing of one that another cache has."""
    *mine, elsewhere = REQUESTS[:4]

    def outcome(line: dict[str, Any]) -> dict[str, Any] | None:
        text = line["body"]["messages"][-1]["content"]
        broken = {"custom_id": line["custom_id"], "response": {"status_code": 200, "body": {}}}
        # The first gets something unusable, the second nothing, the third a reply.
        return {"0": broken, "1": None}.get(text, good(line))

    api = BatchApi()
    api.outcome = outcome
    with FakeLlm(api) as server, closing(Account()) as account:
        there = endpoint(server)
        accounts = {there.address(request): account for request in REQUESTS}
        submit(there, cache, mine, prices=PRICES, accounts=accounts)
        account.start(there.address(elsewhere), 1.0, batch=True)
        collect(there, cache)
        # The limit leaves no room for a call.
        with client(server, cache, prices=PRICES, max_cost=0.0) as asker:
            collector = RequestCollector(there, cache, PRICES)
            for request in (*mine, elsewhere):
                (collector if by_collector else asker).ask(request, account)
        (worst,) = {
            PRICES.cost(each.model, most_tokens(each), each.max_tokens, batch=True) for each in mine
        }
        assert worst is not None
        assert account.spending.maybe == pytest.approx(1.0 + worst), "elsewhere, and unusable"
        assert account.spending.calls == 1


def test_a_batch_that_failed_says_why(cache: ReplyCache) -> None:
    api = BatchApi()
    api.status = "failed"
    with FakeLlm(api) as server:
        submit(endpoint(server), cache, REQUESTS)
        items = collect(endpoint(server), cache)
    assert (items.replies, items.unanswered) == (0, 5)
    assert "'failed'" in items.messages[0]


def test_files_hold_one_model_and_no_more_than_allowed(
    cache: ReplyCache, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(batches, "MOST_REQUESTS", 3)
    api = BatchApi()
    requests = [question(str(n), model=model) for n in range(4) for model in (MODEL, "other")]
    with FakeLlm(api) as server:
        sent = submit(endpoint(server), cache, requests)
        assert sorted(batch.model for batch in sent.batches) == [MODEL, MODEL, "other", "other"]
        for name in api.batches:
            lines = [json.loads(line) for line in api.inputs(name)]
            assert len({line["body"]["model"] for line in lines}) == 1
            assert len(lines) <= 3
        assert collect(endpoint(server), cache).replies == 8
    monkeypatch.setattr(batches, "MOST_BYTES", 1)
    api = BatchApi()
    with FakeLlm(api) as server:
        assert len(submit(endpoint(server), cache, [question("x"), question("y")]).batches) == 2


def test_the_cost_limit_counts_the_worst_case_at_the_batch_price(cache: ReplyCache) -> None:
    api = BatchApi()
    with FakeLlm(api) as server:
        # Each is at most (81 + 50 * 2) / 1000 dollars, halved: two fit into 0.2.
        sent = submit(endpoint(server), cache, REQUESTS, max_cost=0.2, prices=PRICES)
        assert (sent.sent, sent.left_out) == (2, 3)
        with asks_for(OptionName("prices", "FILE")):
            submit(endpoint(server), cache, [question(model="x")], max_cost=1.0, prices=PRICES)


def test_a_batch_whose_file_is_gone_was_never_sent(cache: ReplyCache) -> None:
    api = BatchApi()
    api.fault = lambda call: FakeAnswer(b"", status=403)
    with FakeLlm(api) as server:
        with pytest.raises(CallFailed):
            submit(endpoint(server), cache, REQUESTS)
        for file in cache.path.parent.rglob("*.jsonl"):
            file.unlink()
        api.fault = lambda call: None
        items = collect(endpoint(server), cache)
        assert "is gone" in items.messages[0]
        assert submit(endpoint(server), cache, REQUESTS).sent == 5


def test_two_at_once_start_each_batch_once(cache: ReplyCache) -> None:
    api = BatchApi()
    with FakeLlm(api) as server:
        there = endpoint(server)
        threads = [threading.Thread(target=submit, args=(there, cache, REQUESTS)) for _ in range(3)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert sorted(sent_lines(api)) == ["0", "1", "2", "3", "4"]


def test_a_server_without_batches_says_so(cache: ReplyCache) -> None:
    with (
        FakeLlm(lambda call: FakeAnswer({"error": {"message": "not here"}}, status=404)) as server,
        pytest.raises(CallFailed, match="not here"),
    ):
        submit(endpoint(server), cache, REQUESTS)


def test_a_gatherer_notes_each_request_once(cache: ReplyCache) -> None:
    with FakeLlm() as server:
        with client(server, cache) as asker:
            asker.ask(REQUESTS[0])
        gatherer = RequestCollector(endpoint(server), cache)
        results = [gatherer.ask(request) for request in [*REQUESTS, *REQUESTS]]
        assert sum(isinstance(reply, Reply) for reply in results) == 2
        assert all(reply.pending for reply in results if isinstance(reply, NoReply))
        assert gatherer.requests == tuple(REQUESTS[1:])
        assert gatherer.cached == 2
        assert len(server.calls) == 1
