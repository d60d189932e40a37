"""A role that may SELECT, and nothing else, gets the same evidence as the owner."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from secrets import token_hex
from urllib.parse import urlsplit, urlunsplit

import pytest

from servers import mysql_server, postgres_server
from sqlverdict.execute.engine import ENGINES, Engine, Limits, Scratch, ServerEngine
from sqlverdict.parse.query import parse
from sqlverdict.parse.schema import Schema
from sqlverdict.records import Reason
from sqlverdict.refute.target.script import replay_script, write_script
from sqlverdict.refute.target.search import EngineSearch
from sqlverdict.refute.witness import NotRefuted, Refutation, SearchBudget, Witness

pytestmark = pytest.mark.slow  # servers

TABLES = (
    "CREATE TABLE shop (id INTEGER PRIMARY KEY, city VARCHAR(20) NOT NULL, opened DATE)",
    "CREATE TABLE sale (id INTEGER PRIMARY KEY, shop_id INTEGER, price DECIMAL(10, 2), "
    "note VARCHAR(20) {binary}, FOREIGN KEY (shop_id) REFERENCES shop (id))",
    "CREATE VIEW cheap AS SELECT id, note FROM sale WHERE price < 10",
    "INSERT INTO shop VALUES (1, 'Rome', '2020-01-01'), (2, 'Oslo', '2021-06-15')",
    "INSERT INTO sale VALUES (1, 1, 2.50, 'a'), (2, 1, 3.00, 'B'), (3, 2, 3.00, NULL)",
)
BINARY = {"postgres": 'COLLATE "C"', "mysql": "CHARACTER SET latin1 COLLATE latin1_bin"}


def execute(engine: str, url: str, *statements: str) -> list[tuple[object, ...]]:
    """Run statements with all rights; the rows of the last one."""
    if engine == "postgres":
        import psycopg

        with psycopg.connect(url, autocommit=True) as connection:
            for statement in statements:
                cursor = connection.execute(statement)  # type: ignore[call-overload]
            return cursor.fetchall() if cursor.description else []
    from sqlverdict.execute.engine import Limits
    from sqlverdict.execute.engines.mysql.connection import connect, rows_of

    with closing(connect(url, Limits())) as server:
        return [rows_of(server, statement) for statement in statements][-1]


@contextmanager
def reader_of(engine: str, url: str) -> Iterator[str]:
    """The URL of a database by a role that may SELECT, and nothing else."""
    role, parts = f"sv_reader_{token_hex(4)}", urlsplit(url)
    name = parts.path.removeprefix("/")
    if engine == "postgres":
        making = [
            f"CREATE ROLE {role} LOGIN",
            f'REVOKE TEMPORARY ON DATABASE "{name}" FROM PUBLIC',
            f"GRANT SELECT ON ALL TABLES IN SCHEMA public TO {role}",
        ]
        dropping = [f"DROP OWNED BY {role}", f"DROP ROLE {role}"]
    else:
        making = [f"CREATE USER {role}", f"GRANT SELECT, SHOW VIEW ON {name}.* TO {role}"]
        dropping = [f"DROP USER {role}"]
    execute(engine, url, *making)
    try:
        yield urlunsplit(parts._replace(netloc=f"{role}@{parts.netloc.rpartition('@')[2]}"))
    finally:
        execute(engine, url, *dropping)


@pytest.fixture(scope="module", params=["postgres", "mysql"])
def shop(request: pytest.FixtureRequest) -> Iterator[tuple[Engine, str, str]]:
    """An engine, and the URLs of a database by its owner and by a reader."""
    name: str = request.param
    engine = ENGINES.get(name)
    with postgres_server() if name == "postgres" else _server() as server:
        assert isinstance(engine, ServerEngine)
        statements = [statement.format(binary=BINARY[name]) for statement in TABLES]
        own = engine.own_database(server, f"sv_reader_{token_hex(4)}", statements)
        with own as url, reader_of(name, url) as reader:
            yield engine, url, reader


@contextmanager
def _server() -> Iterator[str]:
    yield f"{mysql_server()}/test"


def refute(engine: Engine, url: str, gold: str, prediction: str) -> Refutation:
    search = EngineSearch(engine, url, engine.schema(url))
    try:
        queries = parse(gold, engine.dialect), parse(prediction, engine.dialect)
        return search.refute(*queries, budget=SearchBudget(instances=120))
    finally:
        search.close()


PAIRS = (
    ("SELECT city FROM shop", "SELECT DISTINCT city FROM shop"),
    ("SELECT count(*) FROM sale", "SELECT count(note) FROM sale"),
    ("SELECT id FROM sale WHERE note = 'a'", "SELECT id FROM sale WHERE lower(note) = 'a'"),
    ("SELECT note FROM cheap", "SELECT DISTINCT note FROM cheap"),
    (
        "SELECT s.id, s.city, count(*) FROM shop s JOIN sale x ON x.shop_id = s.id GROUP BY s.id",
        "SELECT s.id, s.city, count(x.note) FROM shop s JOIN sale x ON x.shop_id = s.id "
        "GROUP BY s.id, s.city",
    ),
    ("SELECT count(*) FROM shop", "SELECT count(city) FROM shop"),
    ("SELECT id FROM shop WHERE city = 'a'", "SELECT id FROM shop WHERE 'a' = city"),
)


@pytest.mark.parametrize(("gold", "prediction"), PAIRS)
def test_a_reader_gets_the_evidence_of_the_owner(
    shop: tuple[Engine, str, str], gold: str, prediction: str
) -> None:
    engine, owner, reader = shop
    before = engine.digest(owner)
    first, second = (refute(engine, url, gold, prediction) for url in (owner, reader))
    assert type(first) is type(second), (first, second)
    assert first.reasons == second.reasons
    assert first.instances_tried == second.instances_tried > 0
    if isinstance(first, Witness) and isinstance(second, Witness):
        assert first.instance.rows == second.instance.rows
    assert isinstance(first, Witness) is ("city)" not in prediction and "= city" not in prediction)
    assert engine.digest(owner) == before


def test_a_witness_tells_that_its_rows_were_written_and_replays_so(
    shop: tuple[Engine, str, str], tmp_path: Path
) -> None:
    engine, _, reader = shop
    # Under the column's own collation alone: others take both for the same.
    gold, prediction = (
        "SELECT id FROM sale WHERE note = 'a'",
        "SELECT id FROM sale WHERE note = 'A'",
    )
    witness = refute(engine, reader, gold, prediction)
    assert isinstance(witness, Witness)
    assert witness.in_queries
    path = write_script(witness, tmp_path, "one")
    assert "The rows were written into the queries" in path.read_text()
    assert replay_script(path, near=reader).differ


def test_a_query_that_cannot_run_is_told_by_its_own_cause(shop: tuple[Engine, str, str]) -> None:
    engine, _, reader = shop
    refutation = refute(engine, reader, "SELECT nothing FROM shop", "SELECT id FROM shop")
    assert isinstance(refutation, NotRefuted)
    assert "nothing" in refutation.message
    assert "does not exist" in refutation.message or "Unknown column" in refutation.message


GOLD, PREDICTION = "SELECT city FROM shop", "SELECT DISTINCT city FROM shop"


def search_on(engine: Engine, url: str, scratch: str) -> Refutation:
    search = EngineSearch(engine, url, engine.schema(url), scratch=scratch)
    try:
        return search.refute(parse(GOLD, engine.dialect), parse(PREDICTION, engine.dialect))
    finally:
        search.close()


def test_another_server_of_the_same_version_answers(
    shop: tuple[Engine, str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    engine, owner, _ = shop
    servers: list[str | None] = []
    usual = type(engine).scratch  # type: ignore[attr-defined]

    def scratch(self: Engine, schema: Schema, limits: Limits, near: str | None = None) -> Scratch:
        servers.append(near)
        opened: Scratch = usual(self, schema, limits, near)
        return opened

    monkeypatch.setattr(type(engine), "scratch", scratch)
    database = "/postgres" if engine.name == "postgres" else "/test"
    other = urlunsplit(urlsplit(owner)._replace(path=database))
    assert isinstance(search_on(engine, owner, other), Witness)
    assert set(servers) == {other}


def test_a_server_of_another_version_or_engine_does_not(
    shop: tuple[Engine, str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    engine, owner, reader = shop
    versions = iter(("1.0", "2.0"))
    monkeypatch.setattr(type(engine), "server_version", lambda *_: next(versions))
    refutation = search_on(engine, owner, reader)
    assert isinstance(refutation, NotRefuted)
    assert "whose server is 2.0" in refutation.message
    foreign = "mysql" if engine.name == "postgres" else "postgresql"
    for other in (f"{foreign}://127.0.0.1/test", "/tmp/scratch", "scratch", "nonsense://x"):
        refutation = search_on(engine, owner, other)
        assert isinstance(refutation, NotRefuted)
        assert f"no database of the engine {engine.name}" in refutation.message


def test_a_gold_that_is_no_sql_is_told_as_such(shop: tuple[Engine, str, str]) -> None:
    engine, _, reader = shop
    search = EngineSearch(engine, reader, engine.schema(reader))
    gold = parse("SELECT city FROM shop QUALIFY 1 = 1", engine.dialect)
    refutation = search.refute(gold, parse(PREDICTION, engine.dialect))
    search.close()
    assert isinstance(refutation, NotRefuted)
    assert refutation.reason is Reason.PARSE_ERROR
    assert refutation.message.startswith("the gold: ")
