"""What queries ask in the words of their engine: values are made that tell two of them apart."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest
from sqlglot import parse_one

from engine_examples import examples_of
from small_databases import EVERY_ENGINE, database_of
from sqlverdict.api.calls import load_schema
from sqlverdict.execute.engine import ENGINES, Engine
from sqlverdict.parse.query import parse
from sqlverdict.parse.schemas.ddl import read_ddl
from sqlverdict.records import Query
from sqlverdict.refute.make.own_pools import own_pools
from sqlverdict.refute.make.pool import ValuePool
from sqlverdict.refute.read.constants import read_query
from sqlverdict.refute.read.derived_values import constant_call
from sqlverdict.refute.read.moments import interval_steps
from sqlverdict.refute.read.own_words import OwnWords
from sqlverdict.refute.read.patterns import like_patterns
from sqlverdict.refute.search import find_witness
from sqlverdict.refute.target.nested import nested_fit
from sqlverdict.refute.target.search import EngineSearch
from sqlverdict.refute.witness import SearchBudget, Witness

TABLE = """CREATE TABLE item (id INTEGER PRIMARY KEY, code VARCHAR(20), n DECIMAL(10, 2),
                              seen TIMESTAMP NULL{})"""
WHERE = "SELECT id FROM item WHERE "


@pytest.fixture(scope="module", params=EVERY_ENGINE)
def database(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[Engine, str]]:
    name: str = request.param
    table = TABLE.format(examples_of(name).more_columns)
    with database_of(name, tmp_path_factory.mktemp("db"), table) as url:
        yield ENGINES.get(name), url


def test_two_queries_in_the_words_of_an_engine_are_told_apart(
    database: tuple[Engine, str],
) -> None:
    engine, url = database
    examples = examples_of(engine.name)
    conditions = [*examples.different, *examples.equal]
    pairs = [(WHERE + gold, WHERE + prediction) for gold, prediction in conditions]
    equal = pairs[len(examples.different) :]
    schema = load_schema(url)
    search = EngineSearch(engine, url, schema) if not engine.in_python else None
    for gold, prediction in (*pairs, *examples.different_queries):
        if search is None:
            outcome = find_witness(gold, prediction, schema)
        else:
            queries = (parse(each, engine.dialect) for each in (gold, prediction))
            outcome = search.refute(*queries, budget=SearchBudget(instances=160))
        assert isinstance(outcome, Witness) is ((gold, prediction) not in equal), gold
    if search is not None:
        search.close()


@pytest.mark.parametrize(
    ("regex", "patterns"),
    [
        ("^(n|m)", ["n%", "m%"]),
        ("^[nm]x", ["nx%", "mx%"]),
        ("an|bo", ["%an%", "%bo%"]),
        ("(?:a|b)c$", ["%ac", "%bc"]),
        ("^ab", []),
        ("^[^ab]", []),
        ("[a-z]", []),
        ("a(b|c)", []),
    ],
)
def test_alternatives_of_a_regular_expression_are_patterns(regex: str, patterns: list[str]) -> None:
    assert like_patterns(regex) == patterns


SCHEMA = read_ddl("CREATE TABLE t (id INTEGER PRIMARY KEY, x REAL, c TEXT)", "s")


def words(sql: str, dialect: str = "sqlite") -> OwnWords:
    query = parse(f"SELECT {sql} FROM t", dialect)
    return read_query(query, SCHEMA).own  # type: ignore[arg-type]


def test_only_roundings_of_one_of_two_queries_count() -> None:
    both = words("ROUND(x, 2), CAST(x AS INTEGER)").merge(words("ROUND(x, 2), x"))
    assert both.rounded == {(("t", "x"), "Cast", 0)}


def test_numbers_lie_around_the_last_digit_that_is_left() -> None:
    pool = ValuePool("REAL", (), (), (1.0, 2.5), (), True)
    own = OwnWords(rounded=frozenset({(("t", "x"), "Round", 1)}))
    near = (1.06, 1.05, 1.04, -1.06, -1.05, 2.06, 2.05, 2.04, -2.06, -2.05)
    assert own_pools({("t", "x"): pool}, own)[("t", "x")].near == near
    days = ValuePool("NUMERIC", (), (), ("2020-01-01",), (), True)
    assert own_pools({("t", "x"): days}, own) == {}


def test_texts_get_other_capitals_where_letter_case_is_folded() -> None:
    pool = ValuePool("TEXT", ("ab", "x", 3), ("AB",), ("a",), (), True)
    own = OwnWords(folded=[("t", "c")])
    assert own_pools({("t", "c"): pool}, own)[("t", "c")].near == ("AB", "Ab", "aB")


@pytest.mark.parametrize(
    ("type_", "dialect", "text"),
    [
        ("TEXT[]", "postgres", '{"a\\"b", NULL, "x"}'),
        ("VARCHAR[]", "duckdb", "['a\"b', NULL, 'x']"),
    ],
)
def test_a_list_is_written_as_its_engine_reads_it(type_: str, dialect: str, text: str) -> None:
    fit = nested_fit(type_, dialect)
    assert fit is not None
    assert fit(json.dumps(['a"b', None, "x"])) == text


def test_the_time_it_is_is_no_constant() -> None:
    for call in ("date('now')", "date()", "julianday()", "datetime('NOW', '+1 day')", "time()"):
        query = parse(f"SELECT {call}", "sqlite")
        (node,) = query.tree.expressions  # type: ignore[union-attr]
        assert constant_call(node) is None, call
    query = parse("SELECT date('2020-01-01 10:00:00', '+1 day')", "sqlite")
    assert constant_call(query.tree.expressions[0]) == "2020-01-02"  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("dialect", "condition"),
    [
        ("duckdb", "map_extract()"),
        ("duckdb", "element_at()"),
        ("postgres", "octet_length()"),
        ("mysql", "code ->> 1.0"),
        ("sqlite", "code ->> '$[" + "9" * 5_000 + "]'"),
        ("postgres", "seen > INTERVAL '" + "9" * 5_000 + " days'"),
        ("postgres", "code ~ '[[:alpha:]'"),
    ],
)
def test_calls_without_anything_and_endless_numbers_are_read(dialect: str, condition: str) -> None:
    query = parse(f"SELECT {condition} FROM item", dialect)
    assert isinstance(query, Query)
    assert read_query(query, read_ddl(TABLE.format(""), dialect)).own is not None


@pytest.mark.parametrize(
    ("text", "steps"),
    [
        ("INTERVAL '1 month'", [(1, "month")]),
        ("INTERVAL '1 mon 2 weeks'", [(1, "month"), (14, "day")]),
        ("INTERVAL '2' QUARTER", [(6, "month")]),
        ("INTERVAL '1 fortnight'", []),
    ],
)
def test_an_interval_is_read_in_units_of_sqlite(text: str, steps: list[tuple[int, str]]) -> None:
    assert interval_steps(parse_one(text, read="postgres")) == steps
