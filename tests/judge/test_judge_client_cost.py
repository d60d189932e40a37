"""What the client's calls cost: counted, limited, unknown where there is no price."""

from __future__ import annotations

import pytest
from judge_asking import PRICES, ask_concurrently, client, endpoint, question, script

from error_parts import asks_for
from sqlverdict.errors import OptionName, UsageError
from sqlverdict.llm.cache import ReplyCache
from sqlverdict.llm.client import Client
from sqlverdict.llm.costs import Prices
from sqlverdict.llm.request import NoReply, Reply
from sqlverdict.testing.fake_llm import FakeAnswer, FakeLlm, completion

GOOD = FakeAnswer(completion("fine"))


def test_what_is_used_is_counted(cache: ReplyCache) -> None:
    body = completion("x", prompt_tokens=100, completion_tokens=20)
    with FakeLlm(script(FakeAnswer(body))) as server, client(server, cache, prices=PRICES) as asker:
        replies = [asker.ask(question(text)) for text in ("a", "b", "a")]
        usage = asker.usage
    assert [reply.cost for reply in replies] == [pytest.approx(0.14)] * 3  # type: ignore[union-attr]
    assert (usage.calls, usage.replies, usage.cached, usage.failed) == (2, 2, 1, 0)
    assert (usage.prompt_tokens, usage.completion_tokens) == (200, 40)
    assert usage.cost == pytest.approx(0.28)


def test_the_cost_of_a_model_without_a_price_is_not_zero_but_unknown() -> None:
    with FakeLlm() as server, client(server, prices=Prices()) as asker:
        reply = asker.ask(question())
        assert isinstance(reply, Reply)
        assert reply.cost is None
        assert asker.usage.cost is None


def test_a_cost_limit_needs_a_price() -> None:
    with FakeLlm() as server:
        with asks_for(OptionName("prices", "FILE")):
            Client(endpoint(server), max_cost=1.0)
        for odd in (-1.0, float("nan")):
            with pytest.raises(UsageError, match="cost limit is"):
                Client(endpoint(server), max_cost=odd, prices=PRICES)
        with client(server, max_cost=1.0, prices=PRICES) as asker:
            reply = asker.ask(question(model="another"))
        assert isinstance(reply, NoReply)
        assert "no price for the model 'another'" in reply.message
        assert server.calls == []


def test_the_cost_limit_stops_cleanly_and_the_run_resumes(cache: ReplyCache) -> None:
    # A call costs 0.04 + 0.1 dollars, at worst (1 + 16 + 64) / 1000 + 0.1: after six calls
    # 0.84 dollars are spent, and a seventh might bring them to 1.021.
    body = completion("x", prompt_tokens=40, completion_tokens=50)
    requests = [question(str(number)) for number in range(12)]
    with FakeLlm(lambda call: FakeAnswer(body, delay=0.02)) as server:
        with client(server, cache, max_cost=1.0, prices=PRICES, concurrency=8) as asker:
            results = dict(ask_concurrently(asker, requests))
            paid = [reply for reply in results.values() if isinstance(reply, Reply)]
            refusal = [reply for reply in results.values() if isinstance(reply, NoReply)]
            assert asker.usage.cost == pytest.approx(0.14 * len(paid))
            assert len(paid) == 6
            assert all(reply.budget and reply.attempts == 0 for reply in refusal)
            assert "the cost limit of $1 " in refusal[0].message
            assert len(server.calls) == len(paid)
        with client(server, cache, max_cost=5.0, prices=PRICES) as asker:
            assert all(isinstance(reply, Reply) for _, reply in ask_concurrently(asker, requests))
            assert asker.usage.cached == len(paid)
        assert len(server.calls) == len(requests)


def test_a_call_that_may_have_been_charged_counts_against_the_limit() -> None:
    broken = FakeAnswer(completion("x"), cut=10)
    with (
        FakeLlm(script(broken)) as server,
        client(server, max_cost=0.5, prices=PRICES, retries=5) as asker,
    ):
        reply = asker.ask(question())
        # Its worst case is 0.184 dollars: two tries fit into the limit, a third does not.
        assert isinstance(reply, NoReply)
        assert reply.budget
        assert len(server.calls) == 2
        assert asker.usage.unanswered == 2


def test_a_cached_reply_is_given_whatever_the_limit(cache: ReplyCache) -> None:
    with FakeLlm() as server:
        with client(server, cache, prices=PRICES) as asker:
            asker.ask(question())
        with client(server, cache, max_cost=0.0, prices=PRICES) as asker:
            assert isinstance(asker.ask(question()), Reply)
            reply = asker.ask(question("new"))
            assert isinstance(reply, NoReply)
            assert reply.budget
