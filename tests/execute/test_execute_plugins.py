"""What an engine of a plug-in is given: a session apart, a suite that asks what it can, words."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from plugin_parts import ApartSqlite

from error_parts import refuses_database
from small_databases import sqlite_file
from sqlverdict.errors import DatabaseError
from sqlverdict.execute.engine import ENGINES, Limits, Session
from sqlverdict.execute.frozen_text import clock_use
from sqlverdict.execute.values.arriving_rows import collect_answer
from sqlverdict.records import Answer, Failure, Outcome, Reason
from sqlverdict.testing import check_engine, check_rule
from sqlverdict.testing.engine_data import make_sqlite

HANGS = "SELECT instr(hex(zeroblob(8000000)), hex(zeroblob(4000000)) || 'x')"
"""One step that runs for a minute; no handler is called meanwhile."""


@pytest.mark.slow
def test_an_engine_apart_keeps_what_every_engine_promises() -> None:
    check_engine(ApartSqlite(), make_sqlite)


@pytest.mark.slow
def test_a_query_that_nothing_stops_is_ended_with_its_process(tmp_path: Path) -> None:
    file = sqlite_file(tmp_path / "t.sqlite", "CREATE TABLE t (a)", "INSERT INTO t VALUES (7)")
    session = ApartSqlite().open(file, Limits(seconds=0.5))
    try:
        late = session.run(HANGS)
        assert isinstance(late, Failure)
        assert (late.reason, late.repeatable) == (Reason.EXECUTION_TIMEOUT, False)
        answer = session.run("SELECT a FROM t")
        assert isinstance(answer, Answer)
        assert answer.rows == [(7,)]
        assert [len(each) for each in session.clock(["SELECT 1", "SELECT 2"], 3)] == [3, 3]
    finally:
        session.close()


@pytest.mark.slow
def test_what_cannot_be_opened_apart_is_refused_when_it_is_opened(tmp_path: Path) -> None:
    file = tmp_path / "corrupt.sqlite"
    file.write_bytes(b"This is not a database.\n" * 50)
    with refuses_database("not_a_database"):
        ApartSqlite().open(file, Limits())


@dataclass(frozen=True)
class OneName(ApartSqlite):
    """It refuses two columns of one name."""

    repeats_names: bool = False

    def open(self, database: Any, limits: Limits, **how: Any) -> Session:
        return _OneNameSession(ENGINES.get("sqlite").open(database, limits, **how))


@dataclass(frozen=True)
class _OneNameSession:
    session: Session

    def run(self, sql: str) -> Outcome:
        outcome = self.session.run(sql)
        if isinstance(outcome, Answer) and len(set(outcome.columns)) < len(outcome.columns):
            return Failure(Reason.EXECUTION_ERROR, "two columns of one name")
        return outcome

    def __getattr__(self, name: str) -> Any:
        return getattr(self.session, name)


@pytest.mark.slow
def test_an_engine_that_refuses_two_columns_of_one_name_says_so() -> None:
    check_engine(OneName(), make_sqlite)
    with pytest.raises(AssertionError, match="repeats_names"):
        check_engine(OneName(repeats_names=True), make_sqlite)


@dataclass
class Folder(ApartSqlite):
    """A database is a folder with one file."""

    suffixes: tuple[str, ...] = (".sqlite",)
    forgets: bool = field(default=False)

    def open(self, database: Any, limits: Limits, **how: Any) -> Session:
        try:
            return ENGINES.get("sqlite").open(self._file(database), limits, **how)
        except DatabaseError as error:
            raise DatabaseError(f"{database}: {error}", reason=error.reason) from error

    def digest(self, database: Any) -> str | None:
        return "1" if self.forgets else ENGINES.get("sqlite").digest(self._file(database))

    def _file(self, database: Any) -> Path:
        return Path(database) / "suite.sqlite"


def _make_folder(folder: Path) -> Path:
    inner = folder / "db"
    inner.mkdir()
    make_sqlite(inner)
    return inner


@pytest.mark.slow
def test_a_database_may_be_a_folder_and_its_digest_follows_its_files() -> None:
    check_engine(Folder(), _make_folder)
    with pytest.raises(AssertionError, match="of different content one digest"):
        check_engine(Folder(forgets=True), _make_folder)


def test_rows_of_a_driver_become_an_answer_within_the_limits() -> None:
    batches = [[[1, Decimal("2.50")], [None, timedelta(days=1)]], [[3, b"\xff"]]]
    answer = collect_answer(["a", "b"], batches, Limits())
    assert isinstance(answer, Answer)
    assert answer.rows == [(1, 2.5), (None, "1 day 00:00:00"), (3, b"\xff")]
    rows = collect_answer(["a", "b"], batches, Limits(rows=2))
    assert isinstance(rows, Failure)
    assert rows.reason is Reason.ROW_LIMIT
    long = collect_answer(["a"], [[["x" * 100]]], Limits(cell=50))
    assert isinstance(long, Failure)
    assert long.reason is Reason.MEMORY_LIMIT


@pytest.mark.parametrize(
    ("sql", "reads", "chance"),
    [
        ("SELECT age, random FROM t", False, False),
        ("SELECT now()", True, False),
        ("SELECT CURRENT_DATE", True, False),
        ("SELECT rand ( )", False, True),
    ],
)
def test_the_clock_and_chance_are_seen_in_any_dialect(sql: str, reads: bool, chance: bool) -> None:
    use = clock_use(sql, "clickhouse")
    assert (use.reads, use.chance) == (reads, chance)


@pytest.mark.slow
def test_a_plugin_runs_the_suite_of_rules_on_itself() -> None:
    duckdb = pytest.importorskip("sqlverdict.execute.engines.duckdb.duckdb")
    pytest.importorskip("duckdb", reason="duckdb is not installed: extra 'duckdb'")

    class Lookalike(duckdb.Duckdb):  # type: ignore[misc, name-defined]
        """DuckDB under another name; or one that drops the rows of every DISTINCT."""

        name = "lookalike"
        honest = True

        def scratch(self, *how: Any) -> Any:
            scratch = super().scratch(*how)
            return scratch if self.honest else _Forgetful(scratch)

    check_rule("distinct_over_key", Lookalike())
    liar = Lookalike()
    liar.honest = False
    with pytest.raises(AssertionError, match="changes an answer on lookalike"):
        check_rule("distinct_over_key", liar)


@dataclass(frozen=True)
class _Forgetful:
    scratch: Any

    def run(self, sql: str) -> Outcome:
        outcome = self.scratch.run(sql)
        if isinstance(outcome, Answer) and "DISTINCT" in sql:
            return Answer(outcome.columns, [])
        return outcome  # type: ignore[no-any-return]

    def __getattr__(self, name: str) -> Any:
        return getattr(self.scratch, name)
