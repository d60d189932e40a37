"""Runs on databases of a server: scores, the cache, resuming, faults of the engine."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

import pytest

from sqlverdict import Options, evaluate
from sqlverdict.execute.cache import AnswerCache
from sqlverdict.execute.engine import Limits
from sqlverdict.execute.query_runner import QueryRunner
from sqlverdict.records import Answer, Case, Fault, Reason, Result, Verdict

COUNT = "SELECT count(*) FROM t"


def execute(url: str, *statements: str) -> None:
    import psycopg

    with psycopg.connect(url, autocommit=True) as connection:
        for statement in statements:
            connection.execute(statement)


@pytest.fixture
def url(postgres_database: str) -> str:
    execute(
        postgres_database,
        "CREATE TABLE t (a int, b numeric(5, 2), c date)",
        "INSERT INTO t VALUES (1, 1.00, '2024-02-29'), (2, 2.50, NULL)",
    )
    return postgres_database


def run(url: str, pairs: dict[str, tuple[str, str]], options: Options, out: Path) -> list[Result]:
    cases = [Case(name, "t", "?", (gold,), url) for name, (gold, _) in pairs.items()]
    predictions = {name: prediction for name, (_, prediction) in pairs.items()}
    return list(evaluate(cases, predictions, options=options, out=out).results())


@pytest.mark.parametrize("workers", [1, 2])
def test_predictions_are_scored_by_meaning(url: str, tmp_path: Path, workers: int) -> None:
    pairs = {
        "same number": ("SELECT sum(b) FROM t", "SELECT sum(b)::float8 FROM t"),
        "same truth": ("SELECT a > 1 FROM t", "SELECT (a > 1)::int FROM t"),
        "other rows": ("SELECT a FROM t", "SELECT a FROM t WHERE a > 1"),
        "fails": ("SELECT a FROM t", "SELECT nothing FROM t"),
        "writes": ("SELECT a FROM t", "DELETE FROM t"),
        "sleeps": ("SELECT a FROM t", "SELECT a FROM t, pg_sleep(1000)"),
    }
    options = Options("ex", engine="postgres", workers=workers, cache=None)
    results = run(url, pairs, options, tmp_path / "run")
    verdicts = {result.id: result.verdict for result in results}
    assert verdicts == {
        **dict.fromkeys(("same number", "same truth"), Verdict.CORRECT),
        **dict.fromkeys(("other rows", "fails", "writes", "sleeps"), Verdict.INCORRECT),
    }
    reasons = {result.id: result.reasons[:1] for result in results if result.id in pairs}
    assert reasons["writes"] == reasons["sleeps"] == (Reason.WRITE_BLOCKED,)


def test_a_missing_database_is_the_engines_fault(url: str, tmp_path: Path) -> None:
    missing = urlunsplit(urlsplit(url)._replace(path="/no_such_database"))
    options = Options("ex", engine="postgres", workers=1, cache=None)
    (result,) = run(missing, {"a": (COUNT, COUNT)}, options, tmp_path / "run")
    assert result.verdict is Verdict.UNSCORED
    assert result.fault is Fault.ENGINE
    assert not result.final


def test_a_resumed_run_does_cases_of_a_changed_database_again(url: str, tmp_path: Path) -> None:
    options = Options("ex", engine="postgres", workers=1, cache=None)
    pairs = {"a": (COUNT, "SELECT 2")}
    first = run(url, pairs, options, tmp_path / "run")
    assert run(url, pairs, options, tmp_path / "run") == first
    execute(url, "INSERT INTO t VALUES (3, 0, NULL)")
    (again,) = run(url, pairs, options, tmp_path / "run")
    assert first[0].verdict is Verdict.CORRECT
    assert again.verdict is Verdict.INCORRECT


def answers(url: str, cache: Path, version: str = "") -> tuple[object, int]:
    """What the count is, and how many queries ran."""
    runner = QueryRunner(
        "postgres", Limits(), AnswerCache(cache), database_version=version, now=datetime(2024, 1, 1)
    )
    outcome = runner.run(url, COUNT)
    runner.close()
    assert isinstance(outcome, Answer)
    return outcome.rows[0][0], runner.executed


def test_answers_are_cached_by_content(url: str, tmp_path: Path) -> None:
    cache = tmp_path / "answers.sqlite"
    assert answers(url, cache) == (2, 1)
    assert answers(url, cache) == (2, 0)
    execute(url, "INSERT INTO t VALUES (3, 0, NULL)")
    assert answers(url, cache) == (3, 1)


def test_a_named_version_stands_for_the_content(url: str, tmp_path: Path) -> None:
    cache = tmp_path / "answers.sqlite"
    assert answers(url, cache, "one") == (2, 1)
    execute(url, "INSERT INTO t VALUES (3, 0, NULL)")
    assert answers(url, cache, "one") == (2, 0)
    assert answers(url, cache, "two") == (3, 1)


def test_without_a_digest_nothing_is_cached(
    url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sqlverdict.execute.servers.session.MOST_BYTES", 0)
    assert answers(url, tmp_path / "answers.sqlite") == (2, 1)
    assert answers(url, tmp_path / "answers.sqlite") == (2, 1)


def test_texts_that_differ_in_a_dollar_quote_are_told_apart(url: str) -> None:
    runner = QueryRunner("postgres", Limits())
    first, second = runner.run(url, "SELECT $$A$$"), runner.run(url, "SELECT $$a$$")
    runner.close()
    assert isinstance(first, Answer)
    assert isinstance(second, Answer)
    assert (first.rows, second.rows) == ([("A",)], [("a",)])
