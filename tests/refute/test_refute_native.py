"""Queries in the words of their engine: what they ask for is read, and instances are made of it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
import sqlglot

import sqlverdict as sv
from servers import database_name
from sqlverdict.execute.engine import ENGINES, Engine, ServerEngine
from sqlverdict.parse.query import parse
from sqlverdict.parse.schema import Column, Schema, Table
from sqlverdict.records import Answer, Failure, Reason
from sqlverdict.refute.read.patterns import like_pattern
from sqlverdict.refute.target.fit import fit_rows
from sqlverdict.refute.target.lite_forms import with_lite_forms
from sqlverdict.refute.target.search import EngineSearch
from sqlverdict.refute.witness import NotRefuted, Refutation, SearchBudget, Witness

TABLE = """
CREATE TABLE item (id INTEGER PRIMARY KEY, sold DATE, seen TIMESTAMP, price INTEGER, name TEXT,
                   extra JSON, open BOOLEAN, code UUID)
"""
ROW = """
INSERT INTO item VALUES (1, '2020-01-01', '2020-01-01 10:00:00', 3, 'ann', '{"a": "1"}', true, NULL)
"""
PAIRS = [
    ("WHERE extra->>'a' = '1'", "WHERE extra IS NOT NULL"),
    ("WHERE name ILIKE 'ann%'", "WHERE name LIKE 'ann%'"),
    ("WHERE name ILIKE '%Nepal%'", "WHERE name ILIKE '%Nepal'"),
    ("WHERE EXTRACT(MONTH FROM sold) = 5", "WHERE EXTRACT(MONTH FROM sold) >= 5"),
    ("WHERE DATE_PART('year', sold) = 2020", "WHERE DATE_PART('year', sold) <> 2021"),
    ("WHERE seen >= DATE_TRUNC('month', DATE '2021-03-09')", "WHERE seen >= DATE '2021-03-09'"),
    ("WHERE sold > DATE '2021-03-09' - INTERVAL '7 days'", "WHERE sold > DATE '2021-03-09'"),
    ("WHERE DATE '2021-03-09' - sold > 30", "WHERE DATE '2021-03-09' - sold >= 30"),
    (
        "WHERE seen >= '2021-03-01' AND seen < '2021-04-01'",
        "WHERE seen BETWEEN '2021-03-01' AND '2021-03-31 23:59:59'",
    ),
    ("WHERE price * 1.5 > 1", "WHERE price * 1.5 >= 1.6"),
    ("WHERE open", "WHERE open IS NOT NULL"),
    ("WHERE code IS NULL", "WHERE code IS NULL OR name = 'ann'"),
    ("GROUP BY GROUPING SETS ((id), ())", "GROUP BY id"),
]
OWN = {
    "postgres": [
        ("WHERE name ~ '^an'", "WHERE name = 'an'"),
        ("WHERE name ~ '^an'", "WHERE name ~* '^an'"),
        ("WHERE (extra #>> '{a,b}') = 'x'", "WHERE (extra -> 'a') IS NOT NULL"),
        ("WHERE extra::jsonb @> '{\"a\": 1}'", "WHERE extra::jsonb ? 'a'"),
        ("WHERE DATE_PART('year', AGE('2021-03-09', sold)) >= 18", "WHERE sold < '2021-03-09'"),
    ],
    "duckdb": [
        ("WHERE regexp_matches(name, '^an')", "WHERE name = 'an'"),
        (
            "QUALIFY row_number() OVER (PARTITION BY name ORDER BY id) = 1",
            "QUALIFY row_number() OVER (PARTITION BY name ORDER BY id DESC) = 1",
        ),
    ],
}


@pytest.fixture(scope="module", params=["duckdb", pytest.param("postgres", marks=pytest.mark.slow)])
def search(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[Engine, EngineSearch]]:
    engine = ENGINES.get(request.param)
    if isinstance(engine, ServerEngine):
        server, name = request.getfixturevalue("postgres"), database_name("native")
        with engine.own_database(server, name, [TABLE, ROW]) as url:
            yield from _search(engine, url)
        return
    duckdb = pytest.importorskip("duckdb", reason="the extra duckdb is not installed")
    path = str(tmp_path_factory.mktemp("items") / "items.duckdb")
    with duckdb.connect(path) as connection:
        connection.execute(TABLE)
        connection.execute(ROW)
    yield from _search(engine, path)


def _search(engine: Engine, database: str) -> Iterator[tuple[Engine, EngineSearch]]:
    search = EngineSearch(engine, database, engine.schema(database))
    yield engine, search
    search.close()


def refutation(search: tuple[Engine, EngineSearch], gold: str, prediction: str) -> Refutation:
    engine, searches = search
    sides = (parse(f"SELECT id FROM item {side}", engine.dialect) for side in (gold, prediction))
    return searches.refute(*sides, budget=SearchBudget(instances=100))


@pytest.mark.slow
@pytest.mark.parametrize(("gold", "prediction"), PAIRS)
def test_what_the_engine_calls_by_its_own_words_is_told_apart(
    search: tuple[Engine, EngineSearch], gold: str, prediction: str
) -> None:
    assert isinstance(refutation(search, gold, prediction), Witness)


@pytest.mark.slow
def test_the_words_of_one_engine_are_told_apart(search: tuple[Engine, EngineSearch]) -> None:
    for gold, prediction in OWN[search[0].name]:
        assert isinstance(refutation(search, gold, prediction), Witness), gold


@pytest.mark.slow
@pytest.mark.parametrize(
    ("gold", "prediction"),
    [
        ("USING sum(price) GROUP BY open", "USING max(price) GROUP BY open"),
        ("USING sum(price) GROUP BY open", "USING sum(price)"),
        ("USING count(price) GROUP BY open", "USING count(*) GROUP BY open"),
        ("USING sum(price) GROUP BY open LIMIT 9", "USING max(price) GROUP BY open ORDER BY ALL"),
    ],
)
def test_columns_of_a_table_that_is_pivoted_get_values(
    tmp_path: Path, gold: str, prediction: str
) -> None:
    duckdb = pytest.importorskip("duckdb", reason="the extra duckdb is not installed")
    path = tmp_path / "items.duckdb"
    with duckdb.connect(str(path)) as connection:
        connection.execute(TABLE)
    sides = (f"PIVOT item ON name {side}" for side in (gold, prediction))
    assert isinstance(sv.refute_pair(*sides, db=path, instances=100), Witness)


def test_what_our_parser_alone_does_not_read_is_beyond_us_and_no_error(tmp_path: Path) -> None:
    duckdb = pytest.importorskip("duckdb", reason="the extra duckdb is not installed")
    path = tmp_path / "items.duckdb"
    with duckdb.connect(str(path)) as connection:
        connection.execute(TABLE)
    for text, reason in (
        ("TABLE item", Reason.UNSUPPORTED_FEATURE),
        ("TABL item", Reason.PARSE_ERROR),
    ):
        outcome = sv.refute_pair("SELECT * FROM item WHERE id > 1", text, db=path)
        assert isinstance(outcome, NotRefuted)
        assert (outcome.reason, outcome.blame) == (reason, "prediction")


def test_columns_that_become_rows_get_values(tmp_path: Path) -> None:
    duckdb = pytest.importorskip("duckdb", reason="the extra duckdb is not installed")
    path = tmp_path / "sales.duckdb"
    with duckdb.connect(str(path)) as connection:
        connection.execute("CREATE TABLE sale (item VARCHAR, spring INTEGER, autumn INTEGER)")
    both = "UNPIVOT sale ON spring, autumn INTO NAME season VALUE sold"
    one = "UNPIVOT sale ON spring INTO NAME season VALUE sold"
    assert isinstance(sv.refute_pair(both, one, db=path, instances=100), Witness)


@pytest.mark.slow
def test_a_witness_of_the_engine_alone_is_graded(search: tuple[Engine, EngineSearch]) -> None:
    witness = refutation(search, "WHERE name ILIKE 'ann%'", "WHERE name LIKE 'ann%'")
    assert isinstance(witness, Witness)
    # SQLite's LIKE takes ANN for ann: its search cannot have shown it.
    assert witness.grade == "ordinary"


@pytest.mark.slow
@pytest.mark.parametrize("search", ["postgres"], indirect=True)
def test_a_query_that_fails_on_empty_tables_alone_is_searched(
    search: tuple[Engine, EngineSearch],
) -> None:
    engine, searches = search
    gold = "SELECT sum(price) / NULLIF(count(*), 0) FROM item"
    prediction = "SELECT sum(price + 0) / count(id) FROM item"
    by_zero = "SELECT 100 / count(*) FROM item"
    outcome = searches.refute(parse(gold, engine.dialect), parse(by_zero, engine.dialect))
    assert isinstance(outcome, Witness)
    assert outcome.instance.size
    # A sum of nothing is NULL, and NULL / 0 is no error: nothing to tell apart.
    assert not searches.refute(
        parse(gold, engine.dialect), parse(prediction, engine.dialect)
    ).refuted


@pytest.mark.slow
@pytest.mark.parametrize("search", ["postgres"], indirect=True)
def test_a_query_that_fails_on_empty_tables_alone_is_refuted_there(
    search: tuple[Engine, EngineSearch],
) -> None:
    engine, searches = search
    gold = "SELECT 100.0 * count(price) / NULLIF(count(*), 0) FROM item"
    prediction = "SELECT 100.0 * count(price) / count(*) FROM item"
    outcome = searches.refute(parse(gold, engine.dialect), parse(prediction, engine.dialect))
    assert isinstance(outcome, Witness)
    assert (outcome.instance.size, outcome.grade) == (0, "needs_empty_table")
    assert isinstance(outcome.prediction, Failure)


@pytest.mark.slow
def test_a_prediction_that_leaves_its_answer_open_is_refuted(
    search: tuple[Engine, EngineSearch],
) -> None:
    witness = refutation(search, "ORDER BY price DESC NULLS LAST, id LIMIT 1", "LIMIT 1")
    assert isinstance(witness, Witness)
    assert witness.kind == "undetermined_prediction"
    assert isinstance(witness.gold, Answer)
    assert isinstance(witness.prediction, Answer)
    assert isinstance(witness.other, Answer)
    assert witness.prediction.rows != witness.other.rows
    assert witness.prediction.rows != witness.gold.rows


@pytest.mark.slow
@pytest.mark.parametrize("search", ["postgres"], indirect=True)
def test_answers_with_other_numbers_of_rows_in_any_order_differ(
    search: tuple[Engine, EngineSearch],
) -> None:
    ties = "ORDER BY price FETCH FIRST 1 ROWS WITH TIES"
    witness = refutation(search, ties, "ORDER BY price LIMIT 1")
    assert isinstance(witness, Witness)
    assert witness.kind == "different"
    assert isinstance(witness.gold, Answer)
    assert isinstance(witness.prediction, Answer)
    assert (len(witness.gold.rows), len(witness.prediction.rows)) == (2, 1)
    # Each gives one row, and which one is open: no number of rows tells them apart.
    assert not refutation(search, "ORDER BY price LIMIT 1", "ORDER BY price + 0 LIMIT 1").refuted
    assert not refutation(search, ties, "ORDER BY price + 0 FETCH FIRST 1 ROWS WITH TIES").refuted


@pytest.mark.slow
def test_what_both_queries_leave_open_is_no_difference(
    search: tuple[Engine, EngineSearch],
) -> None:
    assert not refutation(search, "LIMIT 1", "WHERE id IS NOT NULL LIMIT 1").refuted


@pytest.mark.parametrize(
    ("dialect", "sql", "lite"),
    [
        ("postgres", "d - INTERVAL '1 year 2 days'", "date(d, '-1 years', '-2 days')"),
        ("postgres", "d + INTERVAL '2 week'", "date(d, '+14 days')"),
        ("postgres", "t + INTERVAL '3 hours'", "datetime(t, '+3 hours')"),
        ("postgres", "CAST('2021-03-09' AS DATE) - 7", "date('2021-03-09', '-7 days')"),
        ("postgres", "DATE_TRUNC('week', d)", "date(d, '-6 days', 'weekday 1')"),
        ("postgres", "DATE_TRUNC('quarter', CAST('2021-06-09' AS DATE))", "'2021-04-01'"),
        ("postgres", "EXTRACT(YEAR FROM d)", "CAST(strftime('%Y', d) AS INTEGER)"),
        ("postgres", "e #>> '{a,0}'", "json_extract(e, '$.a[0]')"),
        ("postgres", "n ~ '^ab'", "n LIKE 'ab%'"),
        ("mysql", "DATE_SUB(d, INTERVAL 7 DAY)", "date(d, '-7 days')"),
        ("mysql", "MONTH(d)", "CAST(strftime('%m', d) AS INTEGER)"),
        ("mysql", "JSON_UNQUOTE(JSON_EXTRACT(d, '$.a'))", "d ->> '$.a'"),
        ("duckdb", "n ILIKE 'x%'", "n LIKE 'x%'"),
        ("postgres", "a - b", "a - b"),
        ("mysql", "WEEKDAY(sold)", "((CAST(strftime('%w', sold) AS INTEGER) + 6) % 7)"),
    ],
)
def test_dates_and_patterns_in_the_words_of_sqlite(dialect: str, sql: str, lite: str) -> None:
    tree = sqlglot.parse_one(f"SELECT {sql}", read=dialect)
    text = with_lite_forms(tree).sql("sqlite", normalize_functions=False)
    assert text == f"SELECT {lite}"


@pytest.mark.parametrize(
    ("regex", "pattern"),
    [
        ("^ab", "ab%"),
        ("ab$", "%ab"),
        ("^a.b$", "a_b"),
        ("a.*b", "%a%b%"),
        ("^(ab|cd)", "ab%"),
        (r"^ab\d+$", "ab%"),
        (".*", None),
        ("[a-z]+", None),
    ],
)
def test_a_regular_expression_has_a_pattern_that_it_begins_with(
    regex: str, pattern: str | None
) -> None:
    assert like_pattern(regex) == pattern


@pytest.mark.parametrize("type_", ["JSON", "JSONB"])
def test_columns_of_documents_get_documents(type_: str) -> None:
    table = Table("t", (Column("a", type_, not_null=True),))
    cells = ('{"a": 1}', "word", 7, "NaN", "[1")
    rows = fit_rows({"t": [(cell,) for cell in cells]}, Schema("s", (table,), "ddl"), "postgres")
    texts = [str(cell) for (cell,) in rows["t"]]
    assert [json.loads(text) for text in texts] == [{"a": 1}, "word", 7, "NaN", "[1"]


@pytest.mark.parametrize(
    ("dialect", "expected"),
    [
        ("postgres", ["23:59:59", "24:00:00", "00:00:00", "00:00:00", "12:30:00"]),
        ("mysql", ["23:59:59", "24:00:00", "24:00:01", "838:00:00", "12:30:00"]),
    ],
)
def test_a_column_of_times_takes_the_end_of_a_day_and_spans(
    dialect: str, expected: list[str]
) -> None:
    table = Table("t", (Column("a", "TIME"),))
    cells = ("23:59:59", "24:00:00", "24:00:01", "838:00:00", "2020-01-01 12:30:00")
    rows = fit_rows({"t": [(cell,) for cell in cells]}, Schema("s", (table,), "ddl"), dialect)
    assert [cell for (cell,) in rows["t"]] == expected
