"""Who may be ended, and when: a query by its limit, a search only where it hangs."""

from __future__ import annotations

import multiprocessing
from pathlib import Path

import pytest

from small_databases import sqlite_file
from sqlverdict.execute.engine import Engine, Limits
from sqlverdict.execute.query_runner import QueryRunner
from sqlverdict.execute.schema_memory import SchemaMemory
from sqlverdict.parse.schema import Schema
from sqlverdict.records import Case, Prediction
from sqlverdict.refute.witness import NotRefuted
from sqlverdict.run.inputs import StageInputs
from sqlverdict.run.options import SearchOptions
from sqlverdict.run.plan import RunPlan
from sqlverdict.run.pool.worker import Heartbeat
from sqlverdict.run.refute_stage import refute_case
from sqlverdict.run.refuter import Refuter


def test_time_that_does_not_count_is_waited_for_first(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [100.0]
    monkeypatch.setattr("sqlverdict.run.pool.worker.monotonic", lambda: now[0])
    heartbeat = Heartbeat(multiprocessing.get_context("fork"))
    heartbeat(b"k" * 16, 600.0)
    now[0] += 610.0
    running = heartbeat.running()
    assert running is not None
    assert running[1] == 10.0
    heartbeat(None, 0.0)
    assert heartbeat.running() is None


def test_a_search_gets_more_time_than_a_query_and_says_where_it_was_ended() -> None:
    reports: list[tuple[bytes | None, float]] = []
    case = Case("1", "db", "?", ("SELECT 1",))
    plan = RunPlan((), search=SearchOptions(), schemas={"db": Schema("db", (), "sqlite")})
    prediction, refuter = Prediction("1", "SELECT 2"), Refuter(plan)

    runner = QueryRunner("sqlite", Limits(), watch=lambda key, more: reports.append((key, more)))
    refute_case(StageInputs(case, prediction, runner, plan), refuter)
    *parsing, (key, more), (after, _) = reports
    assert key is not None
    assert {more for _, more in parsing} == {0.0}, "to parse a text takes no longer than to run it"
    assert after is None
    assert more >= 4 * SearchOptions().budget.seconds

    ended = QueryRunner("sqlite", Limits(), known={key: object()})  # type: ignore[dict-item]
    outcome = refute_case(StageInputs(case, prediction, ended, plan), refuter)
    assert isinstance(outcome, NotRefuted)
    assert outcome.cut_by_time


def test_a_schema_is_read_under_the_guardians_eyes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    reports: list[bytes | None] = []
    path = sqlite_file(tmp_path / "t.sqlite", "CREATE TABLE t (a)")
    case = Case("1", "t", "?", ("SELECT 1",), str(path))
    prediction, plan = Prediction("1", "SELECT 2"), RunPlan((), search=SearchOptions())
    watched: list[bytes | None] = []
    read = SchemaMemory.get

    def reads(memory: SchemaMemory, engine: Engine, database: str) -> Schema:
        watched.append(reports[-1] if reports else None)
        return read(memory, engine, database)

    monkeypatch.setattr(SchemaMemory, "get", reads)
    runner = QueryRunner("sqlite", Limits(), watch=lambda key, _: reports.append(key))
    schema = StageInputs(case, prediction, runner, plan).find_schema()
    assert isinstance(schema, Schema)
    (key,) = watched
    assert key is not None

    ended = QueryRunner("sqlite", Limits(), known={key: object()})  # type: ignore[dict-item]
    inputs = StageInputs(case, prediction, ended, plan)
    outcome = inputs.find_schema()
    assert isinstance(outcome, NotRefuted)
    assert outcome.cut_by_time
    assert not inputs.is_final
    assert len(watched) == 1, "what a process was ended for is not tried again"
