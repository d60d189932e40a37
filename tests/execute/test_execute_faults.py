"""A law over all engines: an error that a text raises is the text's, whatever the engine calls it."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from fault_parts import GOOD, UNAVAILABLE, database_of, is_gone, proxied, sqlite_file

import sqlverdict as sv
from engine_examples import examples_of
from small_databases import EVERY_ENGINE
from sqlverdict.execute.engine import ENGINES, Limits
from sqlverdict.execute.query_runner import QueryRunner
from sqlverdict.records import (
    Answer,
    Case,
    Failure,
    Fault,
    Outcome,
    Prediction,
    Reason,
    Script,
    Verdict,
)

ANYWHERE = (
    "SELECT a FROM t WHERE",
    "SELECT nothing FROM t",
    "SELECT * FROM nowhere",
    "SELECT 1/0, 1 % 0, 0.0/0 FROM t",
    "SELECT CAST(b AS DATE) FROM t",
    "SELECT (SELECT 1 UNION ALL SELECT 2) FROM t",
    "SELECT sum(b) FROM t",
    "SELECT sqrt(-1), ln(0), exp(100000) FROM t",
)


@pytest.mark.slow
@pytest.mark.parametrize("engine", ENGINES.names())
def test_no_text_lays_its_error_at_the_engines_door(
    engine: str, tmp_path: Path, open_runner: Callable[[str], QueryRunner]
) -> None:
    with database_of(engine, tmp_path) as database:
        runner = open_runner(engine)
        for sql in (*ANYWHERE, *examples_of(engine).failing):
            outcome = runner.run(database, sql, (GOOD,))
            if isinstance(outcome, Failure):
                assert outcome.fault is None, (sql, outcome)
                assert outcome.reason is not Reason.DATABASE_UNAVAILABLE, (sql, outcome)
        assert isinstance(runner.run(database, GOOD), Answer)
        runner.close()


def blames_itself(session: Any, sql: str) -> Outcome:
    outcome: Outcome = session.inner(sql)
    return UNAVAILABLE if isinstance(outcome, Failure) else outcome


def raises(session: Any, sql: str) -> Outcome:
    outcome: Outcome = session.inner(sql)
    if isinstance(outcome, Failure):
        raise RuntimeError("a bug of the driver")
    return outcome


def dies(session: Any, sql: str) -> Outcome:
    """Once a query fails, the session answers nothing more."""
    if getattr(session, "dead", False) or isinstance(session.inner(sql), Failure):
        session.dead = True
        return UNAVAILABLE
    outcome: Outcome = session.inner(sql)
    return outcome


def loses_first(session: Any, sql: str) -> Outcome:
    """The first session loses its connection at the first query."""
    return UNAVAILABLE if session.number == 1 else session.inner(sql)


def reads_no_table(session: Any, sql: str) -> Outcome:
    """A disk that fails: what needs no table is answered."""
    return UNAVAILABLE if " t" in sql else session.inner(sql)


def reads_half_a_table(session: Any, sql: str) -> Outcome:
    """A damaged page: whoever reads column b fails."""
    return UNAVAILABLE if "b" in sql.replace("blob", "") else session.inner(sql)


@pytest.mark.parametrize("run", [blames_itself, raises, dies])
def test_a_plug_in_that_claims_every_error_does_not_take_it_out_of_the_score(
    run: Callable[[Any, str], Outcome],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    open_runner: Callable[[str], QueryRunner],
) -> None:
    proxied(monkeypatch, run)
    runner, database = open_runner("proxy"), str(sqlite_file(tmp_path / "t.sqlite"))
    for sql in (*ANYWHERE, *examples_of("sqlite").failing):
        outcome = runner.run(database, sql, (GOOD,))
        if isinstance(outcome, Failure):
            assert outcome.fault is None, (sql, outcome)
            assert outcome.reason is Reason.EXECUTION_ERROR, (sql, outcome)
        assert isinstance(runner.run(database, f"{GOOD} -- {len(sql)}"), Answer)


@pytest.mark.parametrize("run", [is_gone, reads_no_table, reads_half_a_table])
def test_an_engine_that_answers_no_probe_is_at_fault(
    run: Callable[[Any, str], Outcome],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    open_runner: Callable[[str], QueryRunner],
) -> None:
    proxied(monkeypatch, run)
    runner, database = open_runner("proxy"), str(sqlite_file(tmp_path / "t.sqlite"))
    outcome = runner.run(database, "SELECT b FROM t", (GOOD,))
    assert isinstance(outcome, Failure)
    assert outcome.fault is Fault.ENGINE, outcome
    assert not outcome.repeatable


def test_a_query_whose_connection_was_lost_is_answered_by_the_next(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, open_runner: Callable[[str], QueryRunner]
) -> None:
    proxy = proxied(monkeypatch, loses_first)
    runner, database = open_runner("proxy"), str(sqlite_file(tmp_path / "t.sqlite"))
    outcome = runner.run(database, "SELECT b FROM t", (GOOD,))
    assert isinstance(outcome, Answer), outcome
    assert runner.run(database, "SELECT a FROM t") == runner.run(database, "SELECT a FROM t")
    assert proxy.opened == 2


def test_one_right_answer_and_three_that_blame_the_engine_are_a_quarter(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    proxied(monkeypatch, blames_itself)
    database = str(sqlite_file(tmp_path / "t.sqlite"))
    texts = (GOOD, "SELECT abs(-9223372036854775808)", "SELECT json('{') FROM t", "SELECT x FROM t")
    cases = [Case(str(n), "t", "How many?", (GOOD,), database=database) for n in range(4)]
    options = sv.Options(metrics="ex,verdict,witness_accuracy", engine="proxy", cache=None)
    predictions = [Prediction(str(n), text) for n, text in enumerate(texts)]
    results = list(sv.evaluate(cases, predictions, options=options).results())
    assert [result.verdict for result in results] == [Verdict.CORRECT, *[Verdict.INCORRECT] * 3]
    for result in results[1:]:
        assert set(result.scores.values()) == {0.0}, result
        assert result.fault is None
        assert result.final


@pytest.mark.parametrize("run", [blames_itself, raises])
def test_statements_that_write_cannot_blame_the_engine_either(
    run: Callable[[Any, str], Outcome], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from sqlverdict.execute.engines.sqlite.workspace import SqliteWorkspace

    true_run = SqliteWorkspace.run

    def wrapped(workspace: SqliteWorkspace, sql: str) -> Outcome:
        class Session:
            def inner(self, text: str) -> Outcome:
                return true_run(workspace, text)

        return run(Session(), sql)

    monkeypatch.setattr(SqliteWorkspace, "run", wrapped)
    database = str(sqlite_file(tmp_path / "t.sqlite"))
    script = Script(check="SELECT a FROM t")
    runner = QueryRunner("sqlite", Limits())
    with closing(runner):
        outcome = runner.run_script(
            database, script, "UPDATE t SET a = json('{')", ("UPDATE t SET a = 2",)
        )
    assert isinstance(outcome, Failure)
    assert (outcome.reason, outcome.fault) == (Reason.EXECUTION_ERROR, None)


@pytest.mark.parametrize("engine", EVERY_ENGINE)
def test_an_unknown_database_says_what_was_looked_for_where_and_which_option_helps(
    engine: str, tmp_path: Path
) -> None:
    with database_of(engine, tmp_path) as database:
        root, _, rest = database.rpartition("/")
        name, mark, query = rest.partition("?")
        where = f"{root}/{{db_id}}{mark}{query}" if "://" in root else root
        with sv.Scorer(databases=where, engine=engine) as scorer:
            result = scorer.check(GOOD, GOOD, db_id="nowhere_at_all").result
            known = scorer.check(GOOD, GOOD, db_id=name.partition(".")[0]).result
    assert known.verdict is Verdict.CORRECT
    assert result.reasons == (Reason.DATABASE_UNAVAILABLE,)
    assert "nowhere_at_all" in result.message
    assert root in result.message
    assert "option databases" in result.message
    assert "--" not in result.message


def test_a_case_without_a_database_says_which_option_helps() -> None:
    case = Case("1", "shop", "?", ("SELECT 1",))
    options = sv.Options(workers=0, cache=None)
    (result,) = sv.evaluate([case], {"1": "SELECT 1"}, options=options).results()
    assert "database id 'shop'" in result.message
    assert "option databases" in result.message
