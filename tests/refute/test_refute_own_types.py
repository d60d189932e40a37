"""Columns of every type of an engine: rows are made for them, and tell two values apart."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from small_databases import change_database, database_of
from sqlverdict.api.calls import load_schema
from sqlverdict.execute.engine import ENGINES
from sqlverdict.parse.query import parse
from sqlverdict.refute.target.script import replay_script, write_script
from sqlverdict.refute.target.search import EngineSearch
from sqlverdict.refute.witness import Refutation, SearchBudget, Witness

pytestmark = pytest.mark.slow  # servers

UUIDS = ("'123e4567-e89b-12d3-a456-426614174000'", "'123e4567-e89b-12d3-a456-426614174001'")
COLUMNS = {
    "postgres": [
        ("inet", "'10.0.0.1'", "'10.0.0.2'"),
        ("cidr", "'10.0.0.0/8'", "'10.1.0.0/16'"),
        ("macaddr", "'08:00:2b:01:02:03'", "'08:00:2b:01:02:04'"),
        ("macaddr8", "'08:00:2b:01:02:03:04:05'", "'08:00:2b:01:02:03:04:06'"),
        ("money", "'12.50'", "'13.00'"),
        ("bit(4)", "B'1010'", "B'1011'"),
        ("varbit(8)", "B'101'", "B'1010'"),
        ("int4range", "'[1,5)'", "'[2,6)'"),
        ("daterange", "'[2024-01-01,2024-02-01)'", "'[2024-01-01,2024-03-01)'"),
        ("int4multirange", "'{[1,5)}'", "'{[2,6)}'"),
        ("uuid", *UUIDS),
        ("bytea", r"'\x6162'", r"'\x6163'"),
        ("timetz", "'10:00+00'", "'11:00+00'"),
        ("interval", "'1 day'", "'2 days'"),
        ("numeric[]", "'{1.5}'", "'{2.5}'"),
        ("uuid[]", f"ARRAY[{UUIDS[0]}::uuid]", f"ARRAY[{UUIDS[1]}::uuid]"),
        ("timestamp[]", "'{2024-01-01}'", "'{2024-01-02}'"),
        ("mood", "'happy'", "'sad'::mood"),
        ("percent", "5", "6"),
        ('"char"', "'a'", "'b'"),
        ("oid", "5", "6"),
        ("pg_lsn", "'16/B374D848'", "'16/B374D849'"),
    ],
    "duckdb": [
        ("BIT", "'1010'", "'1011'"),
        ("UUID", *UUIDS),
        ("BLOB", "'ab'::BLOB", "'ac'::BLOB"),
        ("TIMETZ", "'10:00:00+00'", "'11:00:00+00'"),
        ("TIME_NS", "'10:00:00'", "'11:00:00'"),
        ("INTERVAL", "INTERVAL '1 day'", "INTERVAL '2 days'"),
        ("INTEGER[2]", "[1, 2]", "[1, 3]"),
        ("DOUBLE[]", "[1.5]", "[2.5]"),
        ("DATE[]", "[DATE '2024-01-01']", "[DATE '2024-01-02']"),
        ("VARCHAR[][]", "[['a']]", "[['b']]"),
        ("ENUM('sad', 'happy')[]", "['happy']", "['sad']"),
        ("STRUCT(a INTEGER, b VARCHAR)", "{'a': 1, 'b': 'x'}", "{'a': 2, 'b': 'x'}"),
        ("STRUCT(a INTEGER)[]", "[{'a': 1}]", "[{'a': 2}]"),
        ("MAP(VARCHAR, INTEGER)", "MAP {'a': 1}", "MAP {'a': 2}"),
        ("UNION(num INTEGER, str VARCHAR)", "1", "2"),
        ("BIGNUM", "5", "6"),
    ],
    "mysql": [
        ("BIT(4)", "b'1010'", "b'1011'"),
        ("YEAR", "2020", "2021"),
        ("TIME(3)", "'10:00:00.123'", "'11:00:00'"),
        ("VARBINARY(10)", "'abc'", "'abd'"),
        ("ENUM('sad', 'happy')", "'happy'", "'sad'"),
        ("SET('a', 'b', 'c')", "'a,b'", "'a'"),
        ("JSON", "'{\"a\":1}'", "'{\"a\":2}'"),
    ],
    "mariadb": [
        ("UUID", *UUIDS),
        ("INET4", "'10.0.0.1'", "'10.0.0.2'"),
        ("INET6", "'2001:db8::1'", "'2001:db8::2'"),
    ],
}
TYPES = {
    "postgres": [
        "CREATE TYPE mood AS ENUM ('sad', 'ok', 'happy')",
        "CREATE DOMAIN percent AS int CHECK (VALUE BETWEEN 0 AND 100)",
        "CREATE TABLE own (id int PRIMARY KEY, ip inet, span int4range, days daterange, feel mood)",
    ]
}
EXTENSIONS = [
    "CREATE EXTENSION citext",
    "CREATE EXTENSION hstore",
    "CREATE TABLE item (id int PRIMARY KEY, mail citext, more hstore)",
    "CREATE TABLE other (id int)",
    "INSERT INTO other VALUES (1)",
    "CREATE FUNCTION others() RETURNS bigint LANGUAGE sql AS 'SELECT count(*) FROM other'",
]


class Columns(NamedTuple):
    """Tables with one column of each type, NULL in those of an odd number."""

    engine: str
    url: str
    search: EngineSearch
    values: list[tuple[str, str, str]]

    def refute(self, gold: str, prediction: str) -> Refutation:
        queries = (parse(each, ENGINES.get(self.engine).dialect) for each in (gold, prediction))
        return self.search.refute(*queries, budget=SearchBudget(instances=160))

    def is_refuted(self, gold: str, prediction: str, folder: Path) -> bool:
        """Whether there is a witness; it can be replayed."""
        refutation = self.refute(gold, prediction)
        if not isinstance(refutation, Witness):
            return False
        return replay_script(write_script(refutation, folder, "one"), near=self.url).differ


def tables(values: list[tuple[str, str, str]]) -> Iterator[str]:
    for number, (type_, _, _) in enumerate(values):
        yield f"CREATE TABLE t{number} (id INTEGER PRIMARY KEY, c {type_})"
        yield f"CREATE TABLE f{number} (id INTEGER PRIMARY KEY, c {type_} NOT NULL)"


@pytest.fixture(scope="module", params=list(COLUMNS))
def columns(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Columns]:
    values = COLUMNS[request.param]
    engine = "mysql" if request.param == "mariadb" else request.param
    statements = [*TYPES.get(engine, ()), *tables(values)]
    with database_of(engine, tmp_path_factory.mktemp("db")) as url:
        try:
            change_database(engine, url, *statements)
        except Exception as error:
            if request.param != "mariadb":
                raise
            pytest.skip(f"the server is no MariaDB: {error}")
        search = EngineSearch(ENGINES.get(engine), url, load_schema(url))
        yield Columns(engine, url, search, values)
        search.close()


def test_two_values_of_a_type_are_told_apart(columns: Columns, tmp_path: Path) -> None:
    for number, (type_, one, two) in enumerate(columns.values):
        for table in ("t", "f"):
            query = f"SELECT id FROM {table}{number} WHERE "
            assert columns.is_refuted(f"{query}c = {one}", f"{query}c = {two}", tmp_path), type_
            assert columns.is_refuted(f"{query}id > 5", f"{query}id > 6", tmp_path), type_
        query = f"SELECT id FROM t{number} WHERE "
        assert columns.is_refuted(f"{query}c = {one}", f"{query}c IS NOT NULL", tmp_path), type_


def test_a_query_and_itself_are_not(columns: Columns) -> None:
    for number, (type_, one, _) in enumerate(columns.values):
        table = f"t{number}"
        gold = f"SELECT id FROM {table} WHERE c = {one}"
        for other in (f"SELECT x.id FROM {table} AS x WHERE x.c = {one}", f"{gold} AND c = c"):
            assert not isinstance(columns.refute(gold, other), Witness), type_


@pytest.mark.parametrize("columns", ["postgres"], indirect=True)
@pytest.mark.parametrize(
    ("one", "other", "differ"),
    [
        ("ip << '10.0.0.0/8'", "ip << '10.0.0.0/16'", True),
        ("family(ip) = 4", "ip IS NOT NULL", True),
        ("ip = '10.0.0.1'", "ip = '10.0.0.1/32'", False),
        ("span @> 3", "span @> 4", True),
        ("span @> 3", "lower(span) <= 3 AND upper(span) >= 3", True),
        ("span @> 3", "3 <@ span", False),
        ("span = '[1,4]'", "span = '[1,5)'", False),
        ("span && '[1,5)'", "span <@ '[1,5)'", True),
        (
            "days && daterange('2024-01-01', '2024-02-01')",
            "days && daterange('2024-01-01', '2024-02-01', '[]')",
            True,
        ),
        ("feel >= 'ok'::mood", "feel > 'ok'::mood", True),
        ("feel < 'happy'", "feel::text < 'happy'", True),
        ("feel < 'happy'", "feel IN ('sad', 'ok')", False),
    ],
)
def test_conditions_on_such_columns_are_told_apart(
    columns: Columns, tmp_path: Path, one: str, other: str, differ: bool
) -> None:
    queries = (f"SELECT id FROM own WHERE {one}", f"SELECT id FROM own WHERE {other}")
    assert columns.is_refuted(*queries, tmp_path) is differ


@pytest.fixture(scope="module")
def extended(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Columns]:
    import psycopg

    try:
        with database_of("postgres", tmp_path_factory.mktemp("db"), *EXTENSIONS) as url:
            search = EngineSearch(ENGINES.get("postgres"), url, load_schema(url))
            yield Columns("postgres", url, search, [])
            search.close()
    except psycopg.errors.FeatureNotSupported:
        pytest.skip("the server has no extensions")


@pytest.mark.parametrize(
    ("one", "other", "differ"),
    [
        ("mail = 'abc'", "mail = 'ABC'", False),
        ("mail IN ('abc')", "lower(mail) = 'abc'", False),
        ("mail LIKE 'a%'", "mail ILIKE 'a%'", False),
        ("mail = 'abc'", "mail::text = 'abc'", True),
        (
            "id > ALL (SELECT count(DISTINCT mail) FROM item)",
            "id > ALL (SELECT count(DISTINCT mail::text) FROM item)",
            True,
        ),
        ("more -> 'a' = '1'", "more ? 'a'", True),
        ("more = 'a=>1'", "more IS NOT NULL", True),
    ],
)
def test_types_of_extensions_are_compared_as_in_the_database(
    extended: Columns, tmp_path: Path, one: str, other: str, differ: bool
) -> None:
    queries = (f"SELECT id FROM item WHERE {one}", f"SELECT id FROM item WHERE {other}")
    assert extended.is_refuted(*queries, tmp_path) is differ


def test_nothing_reads_the_rows_of_the_database(extended: Columns) -> None:
    """A function of the database's own would, whatever the instance holds."""
    gold = "SELECT id FROM item"
    for prediction in ("SELECT others() FROM item", "SELECT id FROM item WHERE others() = 1"):
        refutation = extended.refute(gold, prediction)
        assert not isinstance(refutation, Witness)
        assert "a function of the database" in refutation.message
