"""The query runner: each query once, whatever its spelling, and within its memory."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from sqlverdict.execute.cache import AnswerCache
from sqlverdict.execute.engine import ENGINES, Limits, Session
from sqlverdict.execute.fold_sql import fold_sql
from sqlverdict.execute.query_runner import QueryRunner
from sqlverdict.records import Answer, Failure, Fault, Outcome, Reason
from sqlverdict.testing import make_database


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> str:
    return str(make_database(tmp_path_factory.mktemp("runner") / "people.sqlite"))


@pytest.fixture(scope="module")
def session(database: str) -> Session:
    return ENGINES.get("sqlite").open(Path(database), Limits(seconds=600))


def test_an_answer_is_asked_once_for_all_spellings(database: str) -> None:
    runner = QueryRunner("sqlite", Limits())
    results = [
        runner.run(database, sql)
        for sql in ("SELECT Name FROM city", "select  name\nfrom CITY ;", "SELECT name FROM city;")
    ]
    assert runner.executed == 1
    assert all(each is results[0] for each in results)
    runner.close()


def test_what_stands_in_quotes_counts(database: str) -> None:
    runner = QueryRunner("sqlite", Limits())
    texts = [
        "SELECT 'a'",
        "SELECT 'A'",
        "SELECT 'a '",
        "SELECT '' ''",
        "SELECT ''''",
        'SELECT "id"',
    ]
    assert len({fold_sql(text) for text in texts}) == len(texts)
    assert runner.run(database, texts[0]) != runner.run(database, texts[1])
    runner.close()


@pytest.mark.parametrize("cached", [True, False])
def test_what_is_said_of_a_failure_is_said_of_its_own_text(
    cached: bool, database: str, tmp_path: Path
) -> None:
    """Else a message would depend on which spelling came first, and runs on luck."""
    for order in (("Nme", "nme", "NME"), ("NME", "nme", "Nme")):
        cache = AnswerCache(tmp_path / "cache.sqlite") if cached else None
        runner = QueryRunner("sqlite", Limits(), cache)
        for name in order:
            for _ in range(2):
                outcome = runner.run(database, f"select {name} from city")
                assert isinstance(outcome, Failure)
                assert outcome.message == f"no such column: {name}"
        runner.close()


WORDS = st.sampled_from(
    [
        *(
            "SELECT",
            "select",
            "Name",
            "id",
            "FROM",
            "city",
            "WHERE",
            "AND",
            "=",
            "<",
            "(",
            ")",
            ",",
        ),
        *("'a'", "'A  b'", "''", "'it''s'", '"name"', '"Name"', "[id]", "`ID`", '"a', "'b", "["),
        *("1E2", "x'AB'", "X'ab'", "||", "LIKE", "'CITY 1'", "AS", ";", "--", "/*", "count", "*"),
        *("UNION", "ALL", "VALUES", ".", ":P", "\t", "\n", " ", "  "),
    ]
)


@settings(max_examples=400, deadline=None)
@given(words=st.lists(st.tuples(WORDS, st.sampled_from(["", " ", "\n "])), max_size=12))
@example(words=[("SELECT", " "), ("'a'", ""), ("'b'", "")])
@example(words=[("SELECT", " "), ("'a'", " "), ("'b'", "")])
@example(words=[("'a'", " "), (";", " "), (";", "")])
def test_the_canon_of_a_text_means_the_same(words: list[tuple[str, str]], session: Session) -> None:
    sql = "SELECT " + "".join(word + gap for word, gap in words)
    first, second = session.run(sql), session.run(fold_sql(sql))
    if isinstance(first, Answer):
        assert isinstance(second, Answer), second
        assert second.rows == first.rows
    else:
        assert isinstance(second, Failure)
        assert second.reason is first.reason
    assert fold_sql(fold_sql(sql)) == fold_sql(sql) or not isinstance(first, Answer)


class _Counting:
    """A session that counts, with answers as large as wanted."""

    def __init__(self, cells: int, text: str) -> None:
        self.answer = Answer(("a",), [(text,)] * cells)

    def run(self, sql: str) -> Outcome:
        return self.answer

    def close(self) -> None:
        pass


def _remembered(runner: QueryRunner, database: str, session: object, count: int) -> int:
    """How many of ``count`` different answers the runner still has, without asking again."""
    runner.run(database, "SELECT 0")
    runner._sessions[database] = session  # type: ignore[assignment]
    for number in range(count):
        runner.run(database, f"SELECT {number} AS x")
    before = runner.executed
    for number in reversed(range(count)):
        if runner.run(database, f"SELECT {number} AS x") and runner.executed > before:
            return count - 1 - number
    return count


@pytest.mark.slow
@pytest.mark.parametrize(
    ("rows", "text", "most"),
    [(1, "x", 40_000), (1, "x" * 1_000_000, 40), (1_000, "x" * 1_000, 40), (100_000, "x", 10)],
)
def test_memory_is_bounded_by_bytes(rows: int, text: str, most: int, database: str) -> None:
    runner = QueryRunner("sqlite", Limits())
    remembered = _remembered(runner, database, _Counting(rows, text), most + 100)
    assert 4 <= remembered <= most
    runner.close()


def test_a_missing_database_is_the_engines_fault(tmp_path: Path) -> None:
    runner = QueryRunner("sqlite", Limits())
    outcome = runner.run(str(tmp_path / "none.sqlite"), "SELECT 1")
    assert isinstance(outcome, Failure)
    assert (outcome.reason, outcome.fault) == (Reason.DATABASE_UNAVAILABLE, Fault.ENGINE)
    assert runner.clock(str(tmp_path / "none.sqlite"), ["SELECT 1"], 2) == [[]]
    runner.close()


def test_many_databases_are_open_only_in_part(tmp_path: Path) -> None:
    runner = QueryRunner("sqlite", Limits())
    for number in range(50):
        path = tmp_path / f"{number}.sqlite"
        with closing(sqlite3.connect(path)) as connection, connection:
            connection.execute(f"CREATE TABLE t AS SELECT {number} AS n")
        connection.close()
    for _ in range(2):
        for number in range(50):
            outcome = runner.run(str(tmp_path / f"{number}.sqlite"), "SELECT n FROM t")
            assert isinstance(outcome, Answer)
            assert outcome.rows == [(number,)]
    assert len(runner._sessions) <= 32
    runner.close()


class _Server:
    """An engine that notes which databases are open."""

    name, dialect, version = "postgres", "postgres", "1"

    def __init__(self) -> None:
        self.open_databases: list[str] = []
        self.digest = "a"

    def open(self, database: str, *_: object, **__: object) -> _Counting:
        session = _Counting(1, database)
        session.digest = lambda: self.digest  # type: ignore[attr-defined]
        session.close = lambda: self.open_databases.remove(database)  # type: ignore[method-assign]
        self.open_databases.append(database)
        return session


def test_few_connections_are_open_and_the_least_used_is_closed_first() -> None:
    runner, server = QueryRunner("postgres", Limits()), _Server()
    runner.engine_for = lambda _: server  # type: ignore[assignment, method-assign, return-value]
    urls = [f"postgresql://h/{number}" for number in range(8)]
    for url in urls[:6]:
        runner.run(url, "SELECT 1")
    runner.run(urls[0], "SELECT 2")
    runner.run(urls[6], "SELECT 1")
    assert server.open_databases == [urls[0], *urls[2:7]]
    # A database that comes back with another content is told apart.
    server.digest = "b"
    runner.run(urls[1], "SELECT 3")
    assert runner.changed == {urls[1]}
    runner.close()
    assert server.open_databases == []


def test_a_query_that_must_not_be_tried_again_is_not(database: str) -> None:
    watched: list[bytes | None] = []
    runner = QueryRunner("sqlite", Limits(), watch=lambda key, _: watched.append(key))
    runner.run(database, "SELECT 1")
    assert len(watched) == 2
    key = watched[0]
    assert key is not None
    assert watched[1] is None
    killed = Failure(Reason.EXECUTION_TIMEOUT, "killed", repeatable=False)
    other = QueryRunner("sqlite", Limits(), known={key: killed})
    assert other.run(database, "SELECT 1") is killed
    assert other.executed == 0
    for each in (runner, other):
        each.close()
