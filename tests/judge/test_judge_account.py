"""The account of a run folder: what was spent, maybe spent and saved, over all commands."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from judge_asking import PRICES, client, question, script

from error_parts import refuses_data
from sqlverdict.account import Account, Spending, merge_accounts, read_spending
from sqlverdict.errors import DataError
from sqlverdict.llm.cache import ReplyCache
from sqlverdict.llm.request import NoReply, Reply
from sqlverdict.testing.fake_llm import FakeAnswer, FakeLlm, completion

Open = Callable[..., Account]

GOOD = FakeAnswer(completion("x", prompt_tokens=40, completion_tokens=50))
"""It costs 0.14 dollars; at worst it could have been 0.181."""
WORST = 0.181


@pytest.fixture
def open_account() -> Iterator[Open]:
    """Opens accounts, and closes them after the test."""
    with ExitStack() as stack:

        def open_one(path: Path | None = None) -> Account:
            account = Account(path)
            stack.callback(account.close)
            return account

        yield open_one


@pytest.mark.parametrize(
    "usage",
    [
        {"prompt_tokens": 20_000.0, "completion_tokens": 50},
        {"prompt_tokens": "20000", "completion_tokens": 50},
        {"prompt_tokens": 1e30, "completion_tokens": 50},
        {"prompt_tokens": float("nan"), "completion_tokens": 50},
        {"prompt_tokens": 10**30, "completion_tokens": 50},
        {"prompt_tokens": True, "completion_tokens": 50},
        {"prompt_tokens": -1, "completion_tokens": 50},
        {"prompt_tokens": 0, "completion_tokens": 0},
        {"prompt_tokens": 40},
        {"completion_tokens": 50},
        {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 1},
        {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": "2"},
        {
            "prompt_tokens": 1,
            "completion_tokens": 1,
            "prompt_tokens_details": {"cached_tokens": 2},
        },
        {
            "prompt_tokens": 1,
            "completion_tokens": 1,
            "prompt_tokens_details": {"cached_tokens": "1"},
        },
        {},
        [],
        None,
        "many",
    ],
)
def test_a_count_of_tokens_that_is_none_costs_the_worst(usage: Any, open_account: Open) -> None:
    body = completion("x") | {"usage": usage}
    with FakeLlm(script(FakeAnswer(body))) as server:
        account = open_account()
        with client(server, max_cost=2 * WORST, prices=PRICES) as asker:
            mine = asker.for_account(account)
            replies = [mine.ask(question(str(number))) for number in range(4)]
        assert len(server.calls) == 2
    assert [isinstance(reply, Reply) for reply in replies] == [True, True, False, False]
    assert account.spending == Spending(maybe=pytest.approx(2 * WORST), maybe_calls=2)


def test_hidden_tokens_of_the_total_are_paid_for_as_written_ones() -> None:
    body = completion("x", prompt_tokens=10, completion_tokens=5)
    body["usage"]["total_tokens"] = 115
    with FakeLlm(script(FakeAnswer(body))) as server, client(server, prices=PRICES) as asker:
        reply = asker.ask(question())
    assert isinstance(reply, Reply)
    assert (reply.completion_tokens, reply.cost) == (105, pytest.approx(0.22))


def test_the_limit_holds_over_all_commands_of_a_folder(
    cache: ReplyCache, tmp_path: Path, open_account: Open
) -> None:
    path = tmp_path / "spending.jsonl"
    number = 0
    with FakeLlm(script(GOOD)) as server:
        for _ in range(4):
            with client(server, cache, max_cost=0.5, prices=PRICES) as asker:
                mine = asker.for_account(open_account(path))
                for _ in range(3):
                    number += 1
                    last = mine.ask(question(str(number)))
        assert len(server.calls) == 3
    assert isinstance(last, NoReply)
    assert last.budget
    assert "$0.42 are spent" in last.message
    assert read_spending(path) == Spending(spent=pytest.approx(0.42), calls=3)


def test_what_is_cached_is_saved_unless_this_account_paid_for_it(
    cache: ReplyCache, tmp_path: Path, open_account: Open
) -> None:
    first, second = tmp_path / "first.jsonl", tmp_path / "second.jsonl"
    with FakeLlm(script(GOOD)) as server, client(server, cache, prices=PRICES) as asker:
        for path in (first, second, second, first):
            asker.for_account(open_account(path)).ask(question())
    assert read_spending(first) == Spending(spent=pytest.approx(0.14), calls=1)
    assert read_spending(second) == Spending(saved=pytest.approx(0.14), cached=1)


def test_a_call_without_a_reply_may_have_been_paid_for(open_account: Open) -> None:
    account = open_account()
    answers = FakeAnswer(completion("x"), cut=10), FakeAnswer(b"busy", status=503), GOOD
    with FakeLlm(script(*answers)) as server, client(server, prices=PRICES) as asker:
        assert isinstance(asker.for_account(account).ask(question("one?")), Reply)
    assert account.spending == Spending(
        spent=pytest.approx(0.14), maybe=pytest.approx(0.184), calls=1, maybe_calls=1
    )


def test_a_call_under_way_at_a_kill_counts_at_its_worst_until_its_reply_turns_up(
    tmp_path: Path, open_account: Open
) -> None:
    path = tmp_path / "spending.jsonl"
    open_account(path).start("a" * 64, 0.5)
    open_account(path).start("b" * 64, 0.25)
    with path.open("ab") as torn:
        torn.write(b'{"start":"cut off')
    after = open_account(path)
    assert after.spending == Spending(maybe=0.75, maybe_calls=2)
    assert after.use_cached("a" * 64, 0.125) == 0.375
    after.close()
    assert read_spending(path) == Spending(spent=0.125, maybe=0.25, calls=1, maybe_calls=1)


def test_a_request_that_its_batch_did_not_answer_is_free(
    tmp_path: Path, open_account: Open
) -> None:
    account = open_account(tmp_path / "spending.jsonl")
    account.start("a" * 64, 0.5, batch=True)
    account.start("b" * 64, 0.25)
    assert [account.release(each * 64, ended=True) for each in "ab"] == [0.5, 0.0]
    assert account.spending == Spending(maybe=0.25, maybe_calls=1)


def test_an_account_that_was_changed_is_refused(tmp_path: Path, open_account: Open) -> None:
    path = tmp_path / "spending.jsonl"
    account = open_account(path)
    account.end(account.start("a" * 64, 0.5), "paid", 0.25)
    path.write_bytes(path.read_bytes().replace(b"0.25", b"0.00"))
    with refuses_data(DataError, "changed", "line 2"):
        open_account(path)


def test_accounts_of_shards_are_added_once(tmp_path: Path, open_account: Open) -> None:
    parts = [tmp_path / "one.jsonl", tmp_path / "two.jsonl"]
    for number, path in enumerate(parts):
        account = open_account(path)
        account.end(account.start(str(number) * 64, 0.5), "paid", 0.25)
    whole = tmp_path / "whole.jsonl"
    for _ in range(2):
        merge_accounts([*parts, tmp_path / "none.jsonl"], whole)
    assert read_spending(whole) == Spending(spent=0.5, calls=2)


def test_no_call_is_sent_that_cannot_be_written_down(tmp_path: Path, open_account: Open) -> None:
    missing = tmp_path / "missing" / "spending.jsonl"
    with FakeLlm(script(GOOD)) as server, client(server, prices=PRICES) as asker:
        with pytest.raises(OSError, match="missing"):
            asker.for_account(open_account(missing)).ask(question())
        assert server.calls == []


def test_a_reply_of_a_batch_without_token_counts_costs_its_worst(
    tmp_path: Path, open_account: Open
) -> None:
    account = open_account(tmp_path / "spending.jsonl")
    account.start("a" * 64, 5.0, batch=True)
    assert account.use_cached("a" * 64, None) == 0.0
    assert account.spending == Spending(maybe=5.0, maybe_calls=1)


def test_a_batch_that_the_cache_does_not_know_may_have_been_charged(
    tmp_path: Path, open_account: Open
) -> None:
    account = open_account(tmp_path / "spending.jsonl")
    account.start("a" * 64, 5.0, batch=True)
    assert account.release("a" * 64, ended=False) == 0.0
    assert account.spending == Spending(maybe=5.0, maybe_calls=1)


def test_a_call_that_another_thread_has_under_way_is_not_ended_by_a_cached_reply(
    tmp_path: Path, open_account: Open
) -> None:
    """Another process may have stored the reply meanwhile; ours is still to be paid for."""
    path = tmp_path / "spending.jsonl"
    open_account(path).start("a" * 64, 0.5)
    account = open_account(path)
    call = account.start("a" * 64, 0.25)
    assert account.use_cached("a" * 64, 0.125) == 0.375, "that of the process before"
    assert account.use_cached("a" * 64, 0.125) == 0.0
    assert account.spending == Spending(spent=0.125, maybe=0.25, calls=1, maybe_calls=1)
    account.end(call, "paid", 0.0625)
    expected = Spending(spent=0.1875, calls=2)
    assert (account.spending, read_spending(path)) == (expected, expected)
