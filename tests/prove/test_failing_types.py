"""No proof about a query that always fails because of its types.

PostgreSQL's choice of operators and functions is made again here, from its catalogue: what it says of
random queries is what a server says. DuckDB's binder is asked, and MySQL's calls are counted. And random expressions stand where a
rule may drop them: of no proved pair one side fails while the other one does not, and none always
fails on both sides.

A long run by hand: ``python tests/prove/test_failing_types.py 3000``.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from random import Random
from typing import Any
from urllib.parse import urlsplit

import pytest

sys.path.insert(0, str(Path(__file__).parents[1]))
sys.path.insert(0, str(Path(__file__).parent))
from typed_queries import Vocabulary, duckdb_vocabulary, mysql_vocabulary, postgres_vocabulary

from servers import fresh_postgres, postgres_server
from small_databases import database_of
from sqlverdict.execute.common_text import types_of_query
from sqlverdict.execute.engine import ENGINES
from sqlverdict.parse.schema import Schema
from sqlverdict.parse.schemas.ddl import read_ddl
from sqlverdict.prove.check import check_proof
from sqlverdict.prove.proof import Proof
from sqlverdict.prove.prover import prove
from tiers import sampled

STATEMENTS = sampled(400, 6_000)
PAIRS = sampled(150, 2_500)
ROWS = (0, 1, 3, 3)
"""How many rows each database has."""
OTHER_ERRORS = ("AmbiguousColumn", "GroupingError", "InvalidColumnReference", "WindowingError")
"""Names and clauses, of which the types say nothing."""
ROOT = Path(__file__).resolve().parents[2]

Run = Callable[[str], list[str] | str]
"""The rows of a query, or the error."""


@contextmanager
def _postgres() -> Iterator[Any]:
    psycopg = pytest.importorskip("psycopg", reason="psycopg is not installed: extra 'postgres'")
    pytest.importorskip("postgast", reason="postgast is not installed: extra 'postgres'")
    with (
        postgres_server() as server,
        fresh_postgres(server) as url,
        psycopg.connect(url, autocommit=True) as connection,
    ):
        connection.execute("SET TimeZone = 'UTC'")
        yield connection


def _postgres_run(connection: Any) -> Run:
    import psycopg

    def run(sql: str) -> list[str] | str:
        try:
            return sorted(map(repr, connection.execute(sql).fetchall()))
        except psycopg.Error as error:
            return f"{type(error).__name__}: {error}".partition("\n")[0]

    return run


def _proved(vocabulary: Vocabulary, dialect: str, schema: Schema, count: int) -> list[list[str]]:
    pairs = []
    for seed in range(count):
        pair = list(vocabulary.pair(Random(seed)))
        proof = prove(*pair, schema, dialect=dialect)
        if isinstance(proof, Proof):
            assert check_proof(proof, schema).holds, pair
            pairs.append(pair)
    return pairs


def _failing(pairs: list[list[str]], databases: Iterator[Run]) -> Iterator[str]:
    """The proved pairs of which one side fails alone, or both always do."""
    answers: list[list[list[list[str] | str]]] = [[] for _ in pairs]
    for run in databases:
        for pair, outcomes in zip(pairs, answers, strict=True):
            outcomes.append([run(sql) for sql in pair])
    for pair, outcomes in zip(pairs, answers, strict=True):
        fails = [[isinstance(side, str) for side in both] for both in outcomes]
        alone = any(one != other for one, other in fails)
        if alone or all(one and other for one, other in fails):
            yield "\n".join([*pair, repr(outcomes)])


def _postgres_databases(connection: Any, vocabulary: Vocabulary) -> Iterator[Run]:
    for number, rows in enumerate(ROWS):
        connection.execute("DROP TABLE IF EXISTS t")
        connection.execute(vocabulary.table)
        for key in range(rows):
            connection.execute(vocabulary.row(Random(f"{number} {key}"), key))
        yield _postgres_run(connection)


def _mysql_databases(url: str, vocabulary: Vocabulary) -> Iterator[Run]:
    import pymysql

    parts = urlsplit(url)
    connection = pymysql.connect(
        host=parts.hostname,
        port=parts.port or 3306,
        user=parts.username,
        database=parts.path.strip("/"),
        autocommit=True,
    )
    with closing(connection), connection.cursor() as cursor:

        def run(sql: str) -> list[str] | str:
            try:
                cursor.execute(sql)
                return sorted(map(repr, cursor.fetchall()))
            except pymysql.Error as error:
                return str(error)

        for number, rows in enumerate(ROWS):
            cursor.execute("DELETE FROM t")
            for key in range(rows):
                cursor.execute(vocabulary.row(Random(f"{number} {key}"), key))
            yield run


def _duckdb_databases(vocabulary: Vocabulary) -> Iterator[Run]:
    import duckdb

    for number, rows in enumerate(ROWS):
        with duckdb.connect() as connection:
            connection.execute(vocabulary.table)
            for key in range(rows):
                connection.execute(vocabulary.row(Random(f"{number} {key}"), key))

            def run(sql: str, connection: Any = connection) -> list[str] | str:
                try:
                    return sorted(map(repr, connection.execute(sql).fetchall()))
                except duckdb.Error as error:
                    return str(error).partition("\n")[0]

            yield run


@pytest.mark.slow
@pytest.mark.sampled
def test_what_the_types_of_a_query_say_is_what_postgres_says() -> None:
    with _postgres() as connection:
        vocabulary = postgres_vocabulary()
        connection.execute(vocabulary.table)
        assert list(_misjudged(connection, vocabulary, STATEMENTS)) == []


def _misjudged(connection: Any, vocabulary: Vocabulary, count: int) -> Iterator[str]:
    """The queries that are judged otherwise than by the server, and too many that are not judged."""
    schema, run, unsure = read_ddl(vocabulary.table, "t"), _postgres_run(connection), 0
    is_own = connection.info.server_version // 10_000 == _file_version()
    for seed in range(count):
        sql = vocabulary.statement(Random(seed))
        error, unknown = types_of_query(sql, "postgres", schema)
        answer = run(f"PREPARE own AS {sql}")
        fails = isinstance(answer, str) and "didn't produce" not in answer
        unsure += unknown is not None and not fails
        if not fails:
            connection.execute("DEALLOCATE own")
        if fails and error is None and unknown is None:
            if not str(answer).startswith(OTHER_ERRORS):
                yield f"{sql}\n  not refused: {answer}"
        elif error is not None and not fails and is_own:
            yield f"{sql}\n  refused: {error}"
    if unsure * 20 > count:
        yield f"nothing is known of {unsure} queries that run"


def _file_version() -> int:
    from sqlverdict.execute.engines.postgres.types import signatures

    first = Path(signatures.__file__).with_name(signatures.FILE).read_text("utf-8").split()[:3]
    return int(first[-1].rstrip(","))


def test_the_signatures_are_those_of_the_servers_catalogue(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.syspath_prepend(str(ROOT / "bench"))
    with _postgres() as connection:
        if connection.info.server_version // 10_000 != _file_version():
            pytest.skip(f"signatures.txt is of PostgreSQL {_file_version()}")
        from postgres_signatures import TARGET, read_lines

        assert read_lines(connection) == TARGET.read_text("utf-8").splitlines()


@pytest.mark.slow
@pytest.mark.sampled
def test_no_proved_pair_always_fails_on_postgres() -> None:
    with _postgres() as connection:
        vocabulary = postgres_vocabulary()
        pairs = _proved(vocabulary, "postgres", read_ddl(vocabulary.table, "t"), PAIRS)
        assert list(_failing(pairs, _postgres_databases(connection, vocabulary))) == []
        assert len(pairs) * 30 > PAIRS


@pytest.mark.slow
@pytest.mark.sampled
def test_no_proved_pair_always_fails_on_duckdb(tmp_path: Path) -> None:
    pytest.importorskip("duckdb", reason="duckdb is not installed: extra 'duckdb'")
    vocabulary, engine = duckdb_vocabulary(), ENGINES.get("duckdb")
    engine.write_file(tmp_path / "t.duckdb", [vocabulary.table])
    pairs = _proved(vocabulary, "duckdb", engine.schema(tmp_path / "t.duckdb"), PAIRS)
    assert list(_failing(pairs, _duckdb_databases(vocabulary))) == []
    assert len(pairs) * 30 > PAIRS


@pytest.mark.slow
@pytest.mark.sampled
def test_no_proved_pair_always_fails_on_mysql(tmp_path: Path) -> None:
    vocabulary = mysql_vocabulary()
    with database_of("mysql", tmp_path, vocabulary.table) as url:
        pairs = _proved(vocabulary, "mysql", ENGINES.get("mysql").schema(url), PAIRS)
        assert list(_failing(pairs, _mysql_databases(url, vocabulary))) == []
    assert len(pairs) * 30 > PAIRS


if __name__ == "__main__":
    last = int(sys.argv[1])
    with _postgres() as server:
        words = postgres_vocabulary()
        proved = _proved(words, "postgres", read_ddl(words.table, "t"), last)
        sys.stdout.write(f"{len(proved)} of {last} proved\n")
        for text in _failing(proved, _postgres_databases(server, words)):
            sys.stdout.write(f"{text}\n")
        for text in _misjudged(server, words, last):
            sys.stdout.write(f"{text}\n")
