"""Adapters have the signatures of their trainers, and give what the rewarder gives."""

from __future__ import annotations

import asyncio
import functools
import inspect
import json
import pickle
import threading
import urllib.error
import urllib.request
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from sqlverdict.errors import UsageError
from sqlverdict.rl import Rewarder
from sqlverdict.rl.nemo_gym import VerifyApp, make_server, verify
from sqlverdict.rl.rewarder import Unscorable
from sqlverdict.rl.skyrl import compute_score_single
from sqlverdict.rl.slime import sample_reward
from sqlverdict.rl.trl import AsyncSqlReward, SqlReward
from sqlverdict.rl.verifiers import rubric_reward, trace_reward
from sqlverdict.rl.verl import (
    compute_score,
    compute_score_async,
    compute_score_batch,
    compute_score_batch_async,
)

GOLD = "SELECT name FROM t WHERE n > 1"
WRONG = "SELECT name FROM t"
BROKEN_GOLD = "SELECT nope FROM t"


class Array:
    """As numpy's, which verl's rows hold."""

    def __init__(self, values: list[str]) -> None:
        self._values = values

    def tolist(self) -> list[str]:
        return self._values


def test_verl_gets_a_score_and_flat_columns_of_numbers_and_texts(db: Path) -> None:
    info = {"db_id": "shop", "num_turns": None, "rollout_reward_scores": {}}
    call = functools.partial(compute_score, databases=str(db.parent))
    call = pickle.loads(pickle.dumps(call))
    row = call(data_source="x", solution_str=GOLD, ground_truth=GOLD, extra_info=info)
    assert (row["score"], row["outcome"], row["scored"]) == (1.0, "right", True)
    assert all(isinstance(value, str | float | bool) for value in row.values())
    assert call("x", WRONG, Array([GOLD]), info)["score"] == 0.0
    assert call("x", GOLD, {"gold": GOLD, "db": str(db)})["score"] == 1.0
    extra = {"reward_router_address": "a", "reward_model_tokenizer": object()}
    assert call("x", GOLD, GOLD, info, **extra)["score"] == 1.0


def test_an_empty_cell_of_a_row_names_no_database(db: Path) -> None:
    info = {"db": float("nan"), "db_id": "shop", "question": float("nan")}
    assert compute_score("x", GOLD, GOLD, info, databases=str(db.parent))["score"] == 1.0
    info = {"db": str(db), "db_id": float("nan")}
    assert compute_score("x", GOLD, GOLD, info, databases=str(db.parent))["score"] == 1.0


def test_verl_never_gets_none(db: Path) -> None:
    with pytest.raises(Unscorable):
        compute_score("x", GOLD, BROKEN_GOLD, {"db": db})
    row = compute_score("x", GOLD, BROKEN_GOLD, {"db": db}, unscored=-0.25)
    assert (row["score"], row["scored"], row["outcome"]) == (-0.25, False, "unscored")
    with pytest.raises(UsageError, match="no word for unscored"):
        compute_score("x", GOLD, GOLD, {"db": db}, unscored="none")
    with pytest.raises(UsageError, match="time_limit"):
        compute_score("x", GOLD, GOLD, {"db": db}, time_limit=3)


def test_verl_batch_and_async_give_the_same(db: Path) -> None:
    replies = [GOLD, WRONG, "", "DROP TABLE t"]
    arguments: Any = (["x"] * 4, replies, [GOLD] * 4, [{"db": db}] * 4)
    expected = [1.0, 0.0, 0.0, 0.0]
    options: Any = {"values": {"right": 1.0}, "threads": 2}
    rows = compute_score_batch(*arguments, **options)
    assert [row["score"] for row in rows] == expected
    assert [r["score"] for r in asyncio.run(compute_score_batch_async(*arguments))] == expected
    assert inspect.iscoroutinefunction(compute_score_async)
    one = asyncio.run(compute_score_async("x", GOLD, GOLD, {"db": db}))
    assert one["score"] == 1.0


def trl_batch(db: Path) -> dict[str, Any]:
    """What GRPOTrainer passes."""
    message = [{"role": "assistant", "content": f"```sql\n{GOLD}\n```"}]
    return {
        "prompts": ["?"] * 4,
        "completions": [GOLD, message, WRONG, GOLD],
        "completion_ids": [[1]] * 4,
        "trainer_state": object(),
        "gold": [GOLD, GOLD, GOLD, BROKEN_GOLD],
        "db_id": ["shop"] * 4,
        "difficulty": ["easy"] * 4,
    }


def test_trl_gets_none_for_unscored_and_logs_outcomes(db: Path) -> None:
    columns: dict[str, list[Any]] = {}
    shares: dict[str, float] = {}
    reward = SqlReward(Rewarder(databases=db.parent, threads=2))
    scores = reward(**trl_batch(db), log_extra=columns.__setitem__, log_metric=shares.__setitem__)
    assert scores == [1.0, 1.0, 0.0, None]
    assert columns["sql_outcome"] == ["right", "right", "row_superset", "unscored"]
    assert (shares["sql/right"], shares["sql/unscored"]) == (0.5, 0.25)
    assert sum(shares.values()) == 1.0
    assert reward.__name__ == "sql_reward"
    assert pickle.loads(pickle.dumps(reward))(**trl_batch(db)) == scores


def test_trl_async_is_seen_as_async(db: Path) -> None:
    reward = AsyncSqlReward(Rewarder(databases=db.parent))
    assert inspect.iscoroutinefunction(reward.__call__)
    assert asyncio.run(reward(**trl_batch(db))) == [1.0, 1.0, 0.0, None]


def test_trl_columns_can_have_other_names(db: Path) -> None:
    reward = SqlReward(Rewarder(), gold="query", db="file")
    assert reward(["?"], [GOLD], query=[GOLD], file=[db]) == [1.0]
    with pytest.raises(UsageError, match="'query'"):
        reward(["?"], [GOLD], gold=[GOLD], file=[db])


def test_verifiers_gets_a_method_of_a_task_and_a_function_of_a_rubric(db: Path) -> None:
    rewarder = Rewarder(db=db, unscored="raise")
    method = trace_reward(rewarder)
    task = SimpleNamespace(data=SimpleNamespace(gold=GOLD))
    assert list(inspect.signature(method).parameters) == ["self", "trace"]
    assert asyncio.run(method(task, SimpleNamespace(last_reply=GOLD))) == 1.0  # type: ignore[arg-type]
    function = rubric_reward(rewarder)
    messages = [{"role": "assistant", "content": WRONG}]
    assert asyncio.run(function(completion=messages, answer=GOLD, info={}, state={})) == 0.0  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="no word for unscored"):
        trace_reward(Rewarder(db=db))


def test_skyrl_reads_the_solution(db: Path) -> None:
    chat = f"<think>a</think><sql>SELECT 1</sql><think>b</think><solution>{GOLD}</solution>"
    assert compute_score_single(chat, GOLD, str(db)) == 1.0
    assert compute_score_single(chat, WRONG, str(db)) == 0.0
    assert compute_score_single(GOLD, GOLD, str(db), values={"no_sql": -1.0}) == -1.0
    with pytest.raises(Unscorable):
        compute_score_single(chat, BROKEN_GOLD, str(db))


def test_slime_takes_one_sample_or_a_group_and_removes_what_is_unscored(db: Path) -> None:
    def sample(label: str) -> SimpleNamespace:
        return SimpleNamespace(
            response=GOLD, label=label, metadata={"db_id": "shop"}, remove_sample=False
        )

    reward_func = sample_reward(Rewarder(databases=db.parent, unscored=0.0))
    assert list(inspect.signature(reward_func).parameters)[:2] == ["args", "sample"]
    one, other = sample(GOLD), sample(BROKEN_GOLD)
    assert asyncio.run(reward_func(None, one, evaluation=True)) == 1.0  # type: ignore[arg-type]
    assert asyncio.run(reward_func(None, [one, other])) == [1.0, 0.0]  # type: ignore[arg-type]
    assert (one.remove_sample, other.remove_sample) == (False, True)
    assert other.metadata["sqlverdict"]["outcome"] == "unscored"


def nemo_request(text: str, gold: Any = GOLD) -> dict[str, Any]:
    content = [{"type": "output_text", "text": text, "annotations": []}]
    output = [{"type": "reasoning", "summary": []}, {"type": "message", "content": content}]
    return {
        "responses_create_params": {"input": []},
        "response": {"id": "r", "output": output},
        "question": "?",
        "gt_sql": gold,
        "db_id": "shop",
    }


def test_nemo_gym_verifies_over_http(db: Path) -> None:
    server = make_server(Rewarder(databases=db.parent), port=0)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()

    def post(path: str, data: bytes) -> Any:
        url = f"http://127.0.0.1:{server.server_port}{path}"
        with urllib.request.urlopen(urllib.request.Request(url, data, method="POST")) as reply:
            return json.load(reply)

    try:
        right = post("/verify", json.dumps(nemo_request(f"```sql\n{GOLD}\n```")).encode())
        assert (right["reward"], right["outcome"], right["mask_sample"]) == (1.0, "right", False)
        assert (right["extracted_sql"], right["question"]) == (GOLD, "?")
        masked = post("/verify", json.dumps(nemo_request(GOLD, BROKEN_GOLD)).encode())
        assert (masked["mask_sample"], masked["outcome"]) == (True, "unscored")
        assert "nope" in masked["failure_reason"]
        assert post("/seed_session", b"{}") == {}
        for path, data, status in [
            ("/verify", b"{", 400),
            ("/verify", b"[]", 422),
            ("/else", b"{}", 404),
        ]:
            with pytest.raises(urllib.error.HTTPError) as error:
                post(path, data)
            assert error.value.code == status
            error.value.close()
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


@pytest.mark.parametrize(
    "response",
    [
        GOLD,
        {"output_text": GOLD},
        {"output": [{"type": "message", "content": GOLD}]},
        {"output": [{"role": "assistant", "content": [{"text": GOLD}]}]},
        {"output": [{"content": "Let me look"}, {"content": GOLD}]},
        {"output": [{"content": GOLD}, {"role": "user", "content": "SELECT 1"}]},
    ],
)
def test_nemo_gym_reads_every_form_of_a_message(db: Path, response: Any) -> None:
    """The content of a message may be a text, which was read as no reply at all."""
    request = {**nemo_request(""), "response": response}
    assert verify(Rewarder(databases=db.parent), request)["reward"] == 1.0


def test_nemo_gym_has_an_asgi_app(db: Path) -> None:
    app = VerifyApp(Rewarder(databases=db.parent))
    body = json.dumps(nemo_request(WRONG)).encode()
    parts = [
        {"type": "http.request", "body": body[:10], "more_body": True},
        {"type": "http.request", "body": body[10:], "more_body": False},
    ]
    replies: list[Any] = []

    async def receive() -> Any:
        return parts.pop(0)

    async def send(message: Any) -> None:
        replies.append(message)

    asyncio.run(app({"type": "http", "method": "POST", "path": "/verify"}, receive, send))
    assert replies[0]["status"] == 200
    assert json.loads(replies[1]["body"])["reward"] == 0.0
