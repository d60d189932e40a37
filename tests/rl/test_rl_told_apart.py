"""One test over all engines: no text tells a database of the search from the real one, and is paid."""

from __future__ import annotations

from pathlib import Path

import pytest

import sqlverdict as sv
from engine_examples import examples_of
from small_databases import database_of
from sqlverdict.execute.engine import ENGINES
from sqlverdict.rl import Rewarder, RewardOutcome

STATEMENTS = (
    "CREATE TABLE emp (id INTEGER PRIMARY KEY, name VARCHAR(20) NOT NULL, pay INTEGER)",
    "INSERT INTO emp VALUES (1, 'Ann', 100), (2, 'Bob', 200), (3, 'Cid', 300)",
)
GOLD = "SELECT name FROM emp WHERE pay > 250"
HERE = "SELECT name FROM emp WHERE CASE WHEN {} THEN id = 3 ELSE pay > 250 END"
"""Right on every database but the real one, if the condition holds there alone."""


@pytest.mark.slow
@pytest.mark.parametrize("engine", ENGINES.names())
def test_what_tells_the_real_database_from_ours_bars_the_search(
    engine: str, tmp_path: Path
) -> None:
    with database_of(engine, tmp_path, *STATEMENTS) as db:
        with Rewarder(db=db, values={"refuted_match": 0.25}) as rewarder:
            for condition in examples_of(engine).revealing:
                reward = rewarder.reward(GOLD, HERE.format(condition))
                assert reward.outcome is RewardOutcome.REFUTED_MATCH, (condition, reward)
                assert not reward.witnessed
            for condition in examples_of(engine).not_revealing:
                reward = rewarder.reward(GOLD, f"{GOLD} AND {condition}")
                right = reward.outcome in (RewardOutcome.RIGHT, RewardOutcome.PROVED)
                assert right or reward.witnessed, (condition, reward)
        with sv.Scorer(db=db, refute=40, policy="strict") as scorer:
            gold = HERE.format(examples_of(engine).revealing[0])
            result = scorer.check(gold, "SELECT name FROM emp WHERE id = 3")
            assert result.result.situation == "unsearched_match"
            assert result.verdict is sv.Verdict.NEEDS_REVIEW
