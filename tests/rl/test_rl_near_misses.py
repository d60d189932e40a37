"""One law over every door to a reward: a near miss is worth what the table says, else as wrong."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from sqlverdict.rl import Rewarder
from sqlverdict.rl.nemo_gym import verify
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

Door = Callable[[dict[str, float], str, str, Path], Any]
"""A reward by a table of values, a gold, a reply and a database."""

NEAR_MISSES = {
    "extra_columns": ("SELECT name FROM t", "SELECT name, n FROM t"),
    "order_only": ("SELECT name FROM t ORDER BY n", "SELECT name FROM t ORDER BY n DESC"),
    "missing_columns": ("SELECT name, n FROM t", "SELECT name FROM t"),
    "row_subset": ("SELECT name, n FROM t", "SELECT name, n FROM t WHERE n > 1"),
    "row_superset": ("SELECT name FROM t WHERE n > 1", "SELECT name FROM t"),
    "rounding": ("SELECT n / 7.0 FROM t", "SELECT round(n / 7.0, 2) FROM t"),
}
CONSTANTS = {
    "order_only": "SELECT 'c' UNION ALL SELECT 'b' UNION ALL SELECT 'a'",
    "missing_columns": "SELECT 'a' UNION SELECT 'b' UNION SELECT 'c'",
    "row_subset": "SELECT 'b', 2 UNION SELECT 'c', 3",
    "row_superset": "SELECT 'a' UNION SELECT 'b' UNION SELECT 'c'",
    "rounding": "SELECT 0.14 UNION SELECT 0.29 UNION SELECT 0.43",
}
"""The same answers, written down."""


def rewarder(values: dict[str, float], db: Path) -> Rewarder:
    return Rewarder(db=db, values=values, unscored="raise")


def trace(values: dict[str, float], gold: str, reply: str, db: Path) -> Any:
    task: Any = SimpleNamespace(data=SimpleNamespace(gold=gold))
    seen: Any = SimpleNamespace(last_reply=reply)
    return asyncio.run(trace_reward(rewarder(values, db))(task, seen))


def rubric(values: dict[str, float], gold: str, reply: str, db: Path) -> Any:
    function: Any = rubric_reward(rewarder(values, db))
    messages = [{"role": "assistant", "content": reply}]
    return asyncio.run(function(completion=messages, answer=gold, info={}, state={}))


def slime(values: dict[str, float], gold: str, reply: str, db: Path) -> Any:
    sample: Any = SimpleNamespace(
        response=reply, label=gold, metadata={"db": str(db)}, remove_sample=False
    )
    return asyncio.run(sample_reward(rewarder(values, db))(None, sample))  # type: ignore[arg-type]


def nemo(values: dict[str, float], gold: str, reply: str, db: Path) -> Any:
    request = {"response": reply, "gt_sql": gold, "db_id": db.stem}
    return verify(Rewarder(databases=db.parent, values=values), request)["reward"]


DOORS: dict[str, Door] = {
    "call": lambda values, gold, reply, db: rewarder(values, db)(gold, reply),
    "reward": lambda values, gold, reply, db: rewarder(values, db).reward(gold, reply).score,
    "batch": lambda values, gold, reply, db: (
        rewarder(values, db).batch([(gold, reply, db)])[0].score
    ),
    "abatch": lambda values, gold, reply, db: (
        asyncio.run(rewarder(values, db).abatch([(gold, reply, db)]))[0].score
    ),
    "trl": lambda values, gold, reply, db: SqlReward(rewarder(values, db))(
        ["?"], [reply], gold=[gold]
    )[0],
    "trl, async": lambda values, gold, reply, db: asyncio.run(
        AsyncSqlReward(rewarder(values, db))(["?"], [reply], gold=[gold])
    )[0],
    "verl": lambda values, gold, reply, db: compute_score(
        "x", reply, gold, {"db": db}, values=values
    )["score"],
    "verl, async": lambda values, gold, reply, db: asyncio.run(
        compute_score_async("x", reply, gold, {"db": db}, values=values)
    )["score"],
    "verl, batch": lambda values, gold, reply, db: compute_score_batch(
        ["x"], [reply], [gold], [{"db": db}], values=values
    )[0]["score"],
    "verl, async batch": lambda values, gold, reply, db: asyncio.run(
        compute_score_batch_async(["x"], [reply], [gold], [{"db": db}], values=values)
    )[0]["score"],
    "verifiers, trace": trace,
    "verifiers, rubric": rubric,
    "skyrl": lambda values, gold, reply, db: compute_score_single(
        f"<solution>{reply}</solution>", gold, str(db), values=values
    ),
    "slime": slime,
    "nemo_gym": nemo,
}


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize("outcome", NEAR_MISSES)
def test_a_near_miss_is_worth_what_the_table_says_at_every_door(
    door: str, outcome: str, db: Path
) -> None:
    pay, (gold, reply) = DOORS[door], NEAR_MISSES[outcome]
    others = {name: 0.9 for name in NEAR_MISSES if name != outcome}
    assert pay({}, gold, reply, db) == 0.0
    assert pay({"wrong": -0.5}, gold, reply, db) == -0.5
    assert pay(others, gold, reply, db) == 0.0
    assert pay({"wrong": -0.5, outcome: 0.25}, gold, reply, db) == 0.25


@pytest.mark.parametrize("outcome", CONSTANTS)
def test_constants_are_no_near_miss(outcome: str, db: Path) -> None:
    gold, _ = NEAR_MISSES[outcome]
    with rewarder(dict.fromkeys(NEAR_MISSES, 0.9), db) as rewards:
        reward = rewards.reward(gold, CONSTANTS[outcome])
    assert (reward.outcome, reward.score) == ("wrong", 0.0)


def test_one_digit_in_common_is_no_near_miss(db: Path) -> None:
    with rewarder({"row_subset": 0.9, "row_superset": 0.9}, db) as rewards:
        assert rewards("SELECT n FROM t", "SELECT min(n) FROM t") == 0.0
        assert rewards("SELECT min(n) FROM t", "SELECT n FROM t") == 0.0
