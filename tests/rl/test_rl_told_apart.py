"""One test over all engines: no text tells a database of the search from the real one, and is paid."""

from __future__ import annotations

from pathlib import Path

import pytest

import sqlverdict as sv
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
REVEALING = {
    "sqlite": (
        "total_changes() = 0",
        "changes() = 0",
        "last_insert_rowid() = 0",
        "(SELECT max(rootpage) FROM sqlite_master) > 0",
        "(SELECT count(*) FROM main.SQLITE_SCHEMA) > 0",
    ),
    "duckdb": (
        "current_database() = 't'",
        "CURRENT_SCHEMA() IS NOT NULL",
        "current_catalog IS NOT NULL",
        "(SELECT count(*) FROM duckdb_tables() WHERE database_name = 't') > 0",
        "(SELECT count(*) FROM information_schema.tables WHERE table_catalog = 't') > 0",
        '(SELECT count(*) FROM "pg_class") > 0',
    ),
    "postgres": (
        "current_database() IS NOT NULL",
        "current_catalog IS NOT NULL",
        "current_schema IS NOT NULL",
        "current_schemas(true) IS NOT NULL",
        "EXISTS (SELECT 1 FROM pg_class WHERE relname = 'emp' AND relpersistence = 'p')",
        "EXISTS (SELECT 1 FROM information_schema.tables WHERE table_schema = 'public')",
        "xmin IS NOT NULL",
        "(emp).xmin IS NOT NULL",
        "emp.ctid IS NOT NULL",
        "tableoid IS NOT NULL",
        "'emp'::regclass::oid IS NOT NULL",
        "current_query() LIKE 'SELECT%'",
        "has_table_privilege('emp', 'SELECT')",
    ),
    "mysql": ("DATABASE() IS NOT NULL", "SCHEMA () IS NOT NULL", "`database`() IS NOT NULL"),
}
PLAIN = {
    "sqlite": ("name <> 'total_changes()'",),
    "duckdb": ("name <> 'current_database()'", "length(name) > 0"),
    "postgres": ("name <> 'current_database() xmin'", "pg_typeof(name)::text <> ''"),
    "mysql": ("name <> 'database()'", "name <> (SELECT max(x.`schema`) FROM (SELECT 'a' AS `schema`) AS x)"),
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("engine", ENGINES.names())
def test_what_tells_the_real_database_from_ours_bars_the_search(
    engine: str, tmp_path: Path
) -> None:
    with database_of(engine, tmp_path, *STATEMENTS) as db:
        with Rewarder(db=db, values={"refuted_match": 0.25}) as rewarder:
            for condition in REVEALING[engine]:
                reward = rewarder.reward(GOLD, HERE.format(condition))
                assert reward.outcome is RewardOutcome.REFUTED_MATCH, (condition, reward)
                assert not reward.witnessed
            for condition in PLAIN[engine]:
                reward = rewarder.reward(GOLD, f"{GOLD} AND {condition}")
                right = reward.outcome in (RewardOutcome.RIGHT, RewardOutcome.PROVED)
                assert right or reward.witnessed, (condition, reward)
        with sv.Scorer(db=db, refute=40, policy="strict") as scorer:
            gold = HERE.format(REVEALING[engine][0])
            result = scorer.check(gold, "SELECT name FROM emp WHERE id = 3")
            assert result.result.situation == "unsearched_match"
            assert result.verdict is sv.Verdict.NEEDS_REVIEW
