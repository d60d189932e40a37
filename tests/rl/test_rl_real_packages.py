"""Adapters inside the packages they are for, where these are installed."""

from __future__ import annotations

import asyncio
import shutil
from pathlib import Path
from types import SimpleNamespace

import pytest

from sqlverdict.rl import Rewarder
from sqlverdict.rl.skyrl import compute_score_single
from sqlverdict.rl.trl import AsyncSqlReward, SqlReward
from sqlverdict.rl.verifiers import trace_reward

GOLD = "SELECT name FROM t WHERE n > 1"


def test_verifiers_scores_a_task_with_it(db: Path) -> None:
    vf = pytest.importorskip("verifiers.v1")

    class SqlData(vf.TaskData):  # type: ignore[misc, name-defined]
        gold: str
        db: str

    class SqlTask(vf.Task[SqlData]):  # type: ignore[misc, name-defined]
        sql = vf.reward(trace_reward(Rewarder(unscored="raise")))

    task = SqlTask(SqlData(gold=GOLD, db=str(db)))
    rewards: dict[str, float] = {}

    def record(name: str, value: float, weight: float) -> None:
        rewards[name] = value * weight

    trace = SimpleNamespace(last_reply=GOLD, metrics={}, rewards={}, record_reward=record)
    asyncio.run(task.score(trace))
    assert rewards == {"sql_reward": 1.0}


def test_skyrl_ends_an_episode_with_it(db: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    env = pytest.importorskip("skyrl_gym.envs.sql.env")
    folder = db.parent / "spider" / "database" / "shop"
    folder.mkdir(parents=True)
    shutil.copy(db, folder / "shop.sqlite")
    monkeypatch.setattr(env, "compute_score_single", compute_score_single)
    extras = {"db_id": "shop", "reward_spec": {"ground_truth": GOLD}, "data": "spider"}
    episode = env.SQLEnv(env.Text2SQLEnvConfig(db_path=str(db.parent)), extras)
    assert episode.step(f"<think>a</think><solution>{GOLD}</solution>")["reward"] == 1.0


def test_trl_tells_the_async_reward_from_the_other() -> None:
    utils = pytest.importorskip("trl.trainer.utils", exc_type=ImportError)
    rewarder = Rewarder()
    assert utils.is_async_callable(AsyncSqlReward(rewarder))
    assert not utils.is_async_callable(SqlReward(rewarder))
    assert utils.get_callable_name(SqlReward(rewarder)) == "sql_reward"


def test_verl_loads_it_by_the_path_of_its_configuration(db: Path) -> None:
    loader = pytest.importorskip("verl.utils.import_utils", exc_type=ImportError)
    function = loader.load_extern_object("pkg://sqlverdict.rl.verl", "compute_score")
    assert function("x", GOLD, GOLD, {"db": str(db)})["score"] == 1.0
