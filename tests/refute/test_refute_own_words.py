"""What queries ask in the words of their engine: values are made that tell two of them apart."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest
from sqlglot import parse_one

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
PAIRS = {
    "sqlite": [
        ("LOWER(code) = 'ab'", "code = 'ab' OR code = 'AB'"),
        ("UPPER(code) = 'AB'", "code IN ('ab', 'AB')"),
        ("code LIKE 'ab'", "code = 'ab' OR code = 'AB'"),
        ("seen > date('2021-03-09 10:00:00')", "seen >= date('2021-03-09 10:00:00')"),
        ("length(code) > 3", "length(CAST(code AS BLOB)) > 3"),
        ("time(seen) BETWEEN '09:00:00' AND '17:00:00'", "strftime('%H', seen) <= '17'"),
        ("CAST(code AS INTEGER) > 1", "CAST(code AS REAL) > 1"),
    ],
    "duckdb": [
        ("LOWER(code) = 'ab'", "code = 'ab' OR code = 'AB'"),
        ("code ILIKE 'ab'", "code = 'ab' OR code = 'AB'"),
        ("CAST(n AS INTEGER) = 2", "FLOOR(n) = 2"),
        ("regexp_matches(code, '^(n|m)')", "code LIKE 'n%'"),
        ("list_contains(tags, 'x')", "tags[1] = 'x'"),
        ("length(code) > 3", "strlen(code) > 3"),
        ("list_has_all(tags, ['it''s'])", "list_has_any(tags, ['it''s', 'y'])"),
        ("tags = ['x']", "tags[1] = 'x'"),
        ("try_cast(code AS INTEGER) > 1", "try_cast(code AS DOUBLE) > 1"),
        ("try_strptime(code, '%d/%m/%Y') IS NULL", "try_strptime(code, '%m/%d/%Y') IS NULL"),
    ],
    "postgres": [
        ("LOWER(code) = 'ab'", "code = 'ab' OR code = 'AB'"),
        ("code ILIKE 'ab'", "code = 'ab' OR code = 'AB'"),
        ("ROUND(n, 1) = 1.5", "TRUNC(n, 1) = 1.5"),
        ("n::int = 2", "TRUNC(n)::int = 2"),
        ("CAST(n AS INTEGER) = 2", "FLOOR(n) = 2"),
        ("code ~ '^(n|m)'", "code LIKE 'n%'"),
        ("code SIMILAR TO '(n|m)%'", "code LIKE 'n%'"),
        ("code ~ '^[nm]'", "code LIKE 'n%'"),
        ("'x' = ANY(tags)", "tags[1] = 'x'"),
        ("length(code) = 3", "octet_length(code) = 3"),
        ("tags @> ARRAY['x']", "tags && ARRAY['x', 'y']"),
        ("code = ANY('{x,y}')", "code = ALL('{x,y}')"),
        ("code LIKE ANY (ARRAY['x%', '%y'])", "code LIKE ALL (ARRAY['x%', '%y'])"),
        ("seen::time BETWEEN '09:00' AND '17:00'", "EXTRACT(hour FROM seen) BETWEEN 9 AND 17"),
        ("to_date(code, 'DD/MM/YYYY') IS NULL", "to_date(code, 'MM/DD/YYYY') IS NULL"),
        ("age(seen, '2024-01-01') > '1 month'", "seen - '2024-01-01' > '30 days'"),
        ("age('2024-03-01', seen) >= '1 month'", "'2024-03-01' - seen >= '31 days'"),
    ],
    "mysql": [
        ("ROUND(n, 1) = 1.5", "TRUNCATE(n, 1) = 1.5"),
        ("CAST(n AS SIGNED) = 2", "FLOOR(n) = 2"),
        ("LENGTH(code) > 3", "CHAR_LENGTH(code) > 3"),
        ("code REGEXP '^[nm]'", "code LIKE 'n%'"),
        ("code REGEXP '^(n|m)'", "code LIKE 'n%'"),
        ("TIME(seen) BETWEEN '09:00:00' AND '17:00:00'", "HOUR(seen) BETWEEN 9 AND 17"),
        ("CAST(code AS SIGNED) > 1", "CAST(code AS DECIMAL(10, 2)) > 1"),
        ("JSON_CONTAINS(code, '1', '$.a')", "JSON_VALUE(code, '$.a') = '1'"),
        ("JSON_CONTAINS(code, '\"x\"', '$.a')", "JSON_VALUE(code, '$.a[0]') = 'x'"),
        ("JSON_SEARCH(code, 'one', 'x') IS NOT NULL", "JSON_VALUE(code, '$.a') = 'x'"),
    ],
}
WHOLE = {
    "sqlite": [
        ("SELECT id, CAST(n AS INTEGER) FROM item", "SELECT id, FLOOR(n) FROM item"),
        ("SELECT id / 2 FROM item", "SELECT FLOOR(id / 2.0) FROM item"),
    ],
    "duckdb": [
        ("SELECT id, ROUND(n, 1) FROM item", "SELECT id, TRUNC(n, 1) FROM item"),
        ("SELECT id // 2 FROM item", "SELECT FLOOR(id / 2) FROM item"),
    ],
    "postgres": [
        ("SELECT id, ROUND(n, 1) FROM item", "SELECT id, TRUNC(n, 1) FROM item"),
        ("SELECT id / 2 FROM item", "SELECT FLOOR(id / 2.0) FROM item"),
        # Only where clocks are put forward between the two.
        (
            "SELECT (seen AT TIME ZONE 'UTC') + interval '1 day' FROM item",
            "SELECT (seen AT TIME ZONE 'UTC' AT TIME ZONE 'America/New_York' + interval '1 day') "
            "AT TIME ZONE 'America/New_York' FROM item",
        ),
    ],
    "mysql": [
        ("SELECT id, ROUND(n, 1) FROM item", "SELECT id, TRUNCATE(n, 1) FROM item"),
        ("SELECT id DIV 2 FROM item", "SELECT FLOOR(id / 2) FROM item"),
    ],
}
EQUAL = {
    "sqlite": [("CAST(code AS INTEGER) > 1", "CAST(code AS INTEGER) >= 2")],
    "duckdb": [
        ("tags = ['x']", "tags[1] = 'x' AND len(tags) = 1"),
        ("hour(seen) = 9", "seen::time >= '09:00:00' AND seen::time < '10:00:00'"),
    ],
    "postgres": [
        ("code = ANY('{x,y}')", "code IN ('x', 'y')"),
        ("code <> ALL(ARRAY['x', 'y'])", "code NOT IN ('x', 'y')"),
        ("seen::date = '2024-03-01'", "seen >= '2024-03-01' AND seen < '2024-03-02'"),
        ("tags && ARRAY['x', 'y']", "'x' = ANY(tags) OR 'y' = ANY(tags)"),
    ],
    "mysql": [
        ("HOUR(seen) = 9", "TIME(seen) >= '09:00:00' AND TIME(seen) < '10:00:00'"),
        ("code = 'x'", "code IN ('X')"),
    ],
}


@pytest.fixture(scope="module", params=EVERY_ENGINE)
def database(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[Engine, str]]:
    name: str = request.param
    lists = ", tags TEXT[]" if name in ("duckdb", "postgres") else ""
    with database_of(name, tmp_path_factory.mktemp("db"), TABLE.format(lists)) as url:
        yield ENGINES.get(name), url


def test_two_queries_in_the_words_of_an_engine_are_told_apart(
    database: tuple[Engine, str],
) -> None:
    engine, url = database
    conditions = [*PAIRS[engine.name], *EQUAL[engine.name]]
    pairs = [(WHERE + gold, WHERE + prediction) for gold, prediction in conditions]
    equal = pairs[len(PAIRS[engine.name]) :]
    schema = load_schema(url)
    search = EngineSearch(engine, url, schema) if not engine.in_python else None
    for gold, prediction in (*pairs, *WHOLE[engine.name]):
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
