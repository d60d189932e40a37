"""Witnesses on engines other than SQLite: the engine itself shows the difference."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from uuid import UUID

import pytest

from error_parts import asks_for, refuses_data
from servers import fresh_postgres
from sqlverdict import Options, evaluate
from sqlverdict.errors import DataError, OptionName
from sqlverdict.execute.engine import ENGINES, Engine, Limits
from sqlverdict.parse.query import parse
from sqlverdict.parse.schema import Column, Schema, Table
from sqlverdict.records import Answer, Case, Query, Reason, Verdict
from sqlverdict.refute.target.fit import fit_rows
from sqlverdict.refute.target.lite import lite_query, lite_schema, lite_type
from sqlverdict.refute.target.script import replay_script, to_script, write_script
from sqlverdict.refute.target.search import EngineSearch
from sqlverdict.refute.witness import NotRefuted, Refutation, SearchBudget, Witness

TABLES = """
CREATE TABLE shop (id INTEGER PRIMARY KEY, city VARCHAR(20) NOT NULL, opened DATE, open BOOLEAN);
CREATE TABLE sale (
    id INTEGER PRIMARY KEY, shop_id INTEGER REFERENCES shop (id), price DECIMAL(10, 2), note TEXT
);
INSERT INTO shop VALUES (1, 'Rome', '2020-01-01', true), (2, 'Oslo', '2021-06-15', false);
INSERT INTO sale VALUES (1, 1, 2.50, 'a'), (2, 1, 3.00, 'B'), (3, 2, 3.00, NULL);
"""


@pytest.fixture(scope="module")
def duckdb_shop(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A database that no test changes: a search only reads it."""
    duckdb = pytest.importorskip("duckdb", reason="the extra duckdb is not installed")
    path = tmp_path_factory.mktemp("shop") / "shop.duckdb"
    connection = duckdb.connect(str(path))
    connection.execute(TABLES)
    connection.close()
    return str(path)


@pytest.fixture(scope="module")
def postgres_shop(postgres: str) -> Iterator[str]:
    import psycopg

    with fresh_postgres(postgres) as database:
        with psycopg.connect(database, autocommit=True) as connection:
            for statement in TABLES.split(";")[:-1]:
                connection.execute(statement)  # type: ignore[call-overload]
        yield database


@pytest.fixture(scope="module", params=["duckdb", pytest.param("postgres", marks=pytest.mark.slow)])
def shop(request: pytest.FixtureRequest) -> tuple[Engine, str]:
    name: str = request.param
    return ENGINES.get(name), request.getfixturevalue(f"{name}_shop")


@pytest.fixture(scope="module")
def search(shop: tuple[Engine, str]) -> Iterator[EngineSearch]:
    engine, database = shop
    search = EngineSearch(engine, database, engine.schema(database))
    yield search
    search.close()


def refuted(search: EngineSearch, shop: tuple[Engine, str], gold: str, other: str) -> Refutation:
    dialect = shop[0].dialect
    budget = SearchBudget(instances=120)
    return search.refute(parse(gold, dialect), parse(other, dialect), budget=budget)


def test_the_grade_is_that_of_the_rows_which_the_engine_shows(tmp_path: Path) -> None:
    """A search on SQLite writes days into a column of moments; the engine makes moments of them."""
    duckdb = pytest.importorskip("duckdb", reason="the extra duckdb is not installed")
    path = tmp_path / "sales.duckdb"
    with duckdb.connect(str(path)) as connection:
        connection.execute("CREATE TABLE sale (id INTEGER PRIMARY KEY, sold TIMESTAMP)")
        moments = "TIMESTAMP '2024-01-03 09:30:00' + i * INTERVAL 7 HOUR"
        connection.execute(f"INSERT INTO sale SELECT i, {moments} FROM range(60) AS t(i)")
    engine = ENGINES.get("duckdb")
    search = EngineSearch(engine, str(path), engine.schema(str(path)))
    gold = "SELECT count(*) FROM sale WHERE sold >= '2024-01-01' AND sold < '2024-02-01'"
    witness = refuted(search, (engine, ""), gold, "SELECT count(*) FROM sale WHERE month(sold) = 1")
    search.close()
    assert isinstance(witness, Witness)
    assert (witness.grade, witness.broken) == ("ordinary", ())


@pytest.mark.slow
@pytest.mark.parametrize(
    ("gold", "prediction"),
    [
        ("SELECT city FROM shop", "SELECT DISTINCT city FROM shop"),
        ("SELECT count(*) FROM sale", "SELECT count(note) FROM sale"),
        ("SELECT id FROM sale WHERE price > 2", "SELECT id FROM sale WHERE price >= 2"),
        (
            "SELECT s.city FROM shop s JOIN sale x ON x.shop_id = s.id",
            "SELECT s.city FROM shop s LEFT JOIN sale x ON x.shop_id = s.id",
        ),
        ("SELECT id FROM shop WHERE open", "SELECT id FROM shop WHERE open IS NOT FALSE"),
        # Only the engine's own rules tell these apart: LIKE looks at capitals here.
        ("SELECT id FROM sale WHERE note LIKE 'a%'", "SELECT id FROM sale WHERE note ILIKE 'a%'"),
        # And a division of integers.
        ("SELECT 7 / 2 + id FROM shop", "SELECT 3 + id FROM shop WHERE id > 0 OR id <= 0"),
    ],
)
def test_a_witness_differs_on_the_engine_itself(
    search: EngineSearch, shop: tuple[Engine, str], gold: str, prediction: str
) -> None:
    refutation = refuted(search, shop, gold, prediction)
    if "7 / 2" in gold and shop[0].name == "postgres":
        assert isinstance(refutation, NotRefuted), "PostgreSQL divides integers to integers"
        return
    assert isinstance(refutation, Witness)
    assert refutation.engine == shop[0].name
    assert isinstance(refutation.gold, Answer)
    assert refutation.gold.rows != getattr(refutation.prediction, "rows", None)
    assert refutation.instance.size <= 4


@pytest.mark.slow
@pytest.mark.parametrize(
    ("gold", "prediction"),
    [
        ("SELECT id FROM shop WHERE city = 'a'", "SELECT id FROM shop WHERE 'a' = city"),
        ("SELECT count(*) FROM shop", "SELECT count(id) FROM shop"),
        ("SELECT count(*) FROM shop", "SELECT count(city) FROM shop"),
    ],
)
def test_constraints_of_the_engine_are_kept(
    search: EngineSearch, shop: tuple[Engine, str], gold: str, prediction: str
) -> None:
    refutation = refuted(search, shop, gold, prediction)
    assert isinstance(refutation, NotRefuted)
    assert refutation.instances > 0


def test_the_sentence_is_about_the_answers_of_the_engine(postgres: str) -> None:
    """SQLite fails on a document of text alone, which has no field; PostgreSQL finds none."""
    import psycopg

    with fresh_postgres(postgres) as database:
        with psycopg.connect(database, autocommit=True) as connection:
            connection.execute("CREATE TABLE orders (id INTEGER PRIMARY KEY, extra JSONB)")
            connection.execute('INSERT INTO orders VALUES (1, \'{"a": "1"}\'), (2, NULL)')
        engine = ENGINES.get("postgres")
        search = EngineSearch(engine, database, engine.schema(database))
        gold = "SELECT id FROM orders WHERE extra->>'a' = '1'"
        witness = refuted(
            search, (engine, database), gold, "SELECT id FROM orders WHERE extra IS NOT NULL"
        )
        search.close()
    assert isinstance(witness, Witness)
    assert isinstance(witness.gold, Answer)
    assert witness.sentence
    assert "fails" not in witness.sentence


@pytest.mark.slow
def test_an_answer_that_depends_on_a_tie_is_no_witness(
    search: EngineSearch, shop: tuple[Engine, str]
) -> None:
    gold = "SELECT note FROM sale ORDER BY price LIMIT 1"
    assert isinstance(refuted(search, shop, gold, f"{gold} OFFSET 0"), NotRefuted)


@pytest.mark.slow
def test_a_witness_is_a_script_that_replays(
    search: EngineSearch, shop: tuple[Engine, str], tmp_path: Path
) -> None:
    gold, prediction = "SELECT city FROM shop", "SELECT DISTINCT city FROM shop"
    witness = refuted(search, shop, gold, prediction)
    assert isinstance(witness, Witness)
    path = write_script(witness, tmp_path / "witnesses", "one")
    assert replay_script(path, near=shop[1]).differ
    assert "CREATE TABLE" in path.read_text()


@pytest.mark.slow
def test_the_statements_of_a_script_are_data_and_never_run(
    search: EngineSearch, shop: tuple[Engine, str], tmp_path: Path
) -> None:
    witness = refuted(search, shop, "SELECT city FROM shop", "SELECT DISTINCT city FROM shop")
    assert isinstance(witness, Witness)
    path = tmp_path / "evil.sql"
    text = to_script(witness).replace('"type": "VARCHAR', '"type": "VARCHAR); DROP TABLE shop; --')
    text = text.replace('"type": "character varying', '"type": "text); DROP TABLE shop; --')
    path.write_text(text)
    with refuses_data(DataError, "wrong_value", "evil.sql", "not a type"):
        replay_script(path, near=shop[1])


def test_a_witness_of_a_server_needs_a_server(
    search: EngineSearch, shop: tuple[Engine, str], tmp_path: Path
) -> None:
    if shop[0].suffixes:
        pytest.skip("DuckDB needs no server")
    witness = refuted(search, shop, "SELECT city FROM shop", "SELECT DISTINCT city FROM shop")
    assert isinstance(witness, Witness)
    path = write_script(witness, tmp_path, "one")
    with asks_for(OptionName("db", "postgresql://HOST/DATABASE")):
        replay_script(path, near=None)


@pytest.mark.slow
def test_a_run_finds_lucky_matches_on_the_engine(shop: tuple[Engine, str], tmp_path: Path) -> None:
    engine, database = shop
    case = Case("1", "shop", "Which cities?", ("SELECT city FROM shop",), database)
    lucky = "SELECT city FROM shop WHERE id < 3"
    options = Options(
        "ex,witness_accuracy", engine=engine.name, workers=0, cache=None, policy="strict"
    )
    run = evaluate([case], {"1": lucky}, out=tmp_path / "run", options=options)
    (result,) = run.results()
    assert result.scores == {"ex": 1.0, "witness_accuracy": 0.0}
    assert result.verdict is Verdict.INCORRECT


@pytest.mark.slow
def test_the_real_database_is_only_read(shop: tuple[Engine, str]) -> None:
    engine, database = shop
    before = engine.digest(database)
    search = EngineSearch(engine, database, engine.schema(database))
    refuted(search, shop, "SELECT count(*) FROM sale", "SELECT count(note) FROM sale")
    search.close()
    assert engine.digest(database) == before
    session = engine.open(database, Limits())
    outcome = session.run("SELECT count(*) FROM sale")
    session.close()
    assert isinstance(outcome, Answer)
    assert outcome.rows == [(3,)]


@pytest.mark.parametrize(
    ("kind", "dialect", "lite"),
    [
        ("bigint", "postgres", "INTEGER"),
        ("numeric(10,2)", "postgres", "NUMERIC"),
        ("double precision", "postgres", "REAL"),
        ("timestamp with time zone", "postgres", "DATETIME"),
        ("date", "mysql", "DATE"),
        ("bytea", "postgres", "BLOB"),
        ("BOOLEAN", "duckdb", "BOOLEAN"),
        ("mood", "postgres", "TEXT"),
        ("INTEGER[]", "duckdb", "TEXT"),
    ],
)
def test_types_become_those_of_sqlite_for_the_screen(kind: str, dialect: str, lite: str) -> None:
    assert lite_type(kind, dialect) == lite


def test_an_engine_without_scratch_databases_says_so() -> None:
    search = EngineSearch(ENGINES.get("sqlite"), None, Schema("x", (), "ddl"))
    refutation = search.refute(parse("SELECT 1"), parse("SELECT 2"))
    assert isinstance(refutation, NotRefuted)
    assert (refutation.reason, refutation.blame) == (Reason.UNSUPPORTED_FEATURE, "")


@pytest.mark.slow
def test_cases_that_name_their_database_are_run_and_searched_on_its_engine(
    duckdb_shop: str, tmp_path: Path
) -> None:
    import sqlverdict as sv

    lucky = "SELECT city FROM shop WHERE id < 3"
    record = {"id": "1", "database": duckdb_shop, "gold": "SELECT city FROM shop"}
    run = sv.evaluate([{**record, "prediction": lucky}], metrics="ex,witness_accuracy")
    assert run.manifest.engine == "duckdb"
    assert run["1"].scores == {"ex": 1.0, "witness_accuracy": 0.0}


def test_texts_that_differ_in_letter_case_alone_are_judged_apart(postgres_shop: str) -> None:
    case = Case("1", "shop", "", ("SELECT $$A$$",), postgres_shop)
    options = Options("ex", engine="postgres", workers=0, cache=None)
    system = {"one": "SELECT $$A$$", "two": "SELECT $$a$$"}
    scores = {}
    for name, prediction in system.items():
        run = evaluate([case], {"1": prediction}, name=name, options=options)
        scores[name] = next(iter(run.results())).scores["ex"]
    assert scores == {"one": 1.0, "two": 0.0}
    from sqlverdict.pipeline import System, evaluate_systems

    systems = [System(name, {"1": prediction}) for name, prediction in system.items()]
    runs = evaluate_systems([case], systems, options=options)
    assert [next(iter(run.results())).scores["ex"] for run in runs] == [1.0, 0.0]


ODD = """
CREATE TYPE mood AS ENUM ('sad', 'ok');
CREATE TABLE odd (id INTEGER PRIMARY KEY, m mood, l INTEGER[], u UUID, i INTERVAL, open BOOLEAN);
"""


def test_columns_that_take_hardly_any_text_get_values_of_their_type(tmp_path: Path) -> None:
    duckdb = pytest.importorskip("duckdb", reason="the extra duckdb is not installed")
    path = str(tmp_path / "odd.duckdb")
    with duckdb.connect(path) as connection:
        connection.execute(ODD)
    engine = ENGINES.get("duckdb")
    rows = {"odd": ((1, "x", "x", "x", "x", 1), (2, "ok", None, None, None, None))}
    first, second = fit_rows(rows, engine.schema(path), "duckdb")["odd"]
    assert first[1] in ("sad", "ok")
    assert (first[2], first[4], first[5]) == ("[1]", "-1 day", 1)
    assert str(UUID(str(first[3]))) == first[3]
    assert second == rows["odd"][1]


@pytest.mark.slow
def test_instances_that_the_engine_does_not_take_are_not_counted(tmp_path: Path) -> None:
    duckdb = pytest.importorskip("duckdb", reason="the extra duckdb is not installed")
    path = str(tmp_path / "odd.duckdb")
    with duckdb.connect(path) as connection:
        connection.execute("CREATE TABLE odd (id INTEGER, i UNION(day DATE, clock TIME) NOT NULL)")
    engine = ENGINES.get("duckdb")
    search = EngineSearch(engine, path, engine.schema(path))
    other = "SELECT id FROM odd WHERE id = id OR id IS NULL"
    outcome = refuted(search, (engine, path), "SELECT id FROM odd", other)
    search.close()
    assert isinstance(outcome, NotRefuted)
    assert outcome.instances == 0
    assert "took none" in outcome.message


def test_lists_of_values_are_read_as_postgresql_writes_them() -> None:
    column = Column("a", "text")
    checks = (
        "(a = ANY (ARRAY['x'::text, 'y'::text]))",
        "((a)::text = ANY ((ARRAY['x'::character varying, 'y'::character varying])::text[]))",
        "(a >= (0)::double precision)",
        "(a = ANY (ARRAY[(1)::numeric, 2.5]))",
    )
    (table,) = lite_schema(
        Schema("s", (Table("t", (column,), checks=checks),), "ddl"), "postgres"
    ).tables
    assert table.checks == ("(a IN ('x', 'y'))", "(a IN ('x', 'y'))", "(a >= 0)", "(a IN (1, 2.5))")
    query = parse("SELECT a = ANY (ARRAY[1]), CAST(1 AS REAL) / 2 FROM t", "postgres")
    assert isinstance(query, Query)
    lite = lite_query(query)
    assert lite is not None
    assert lite.sql == "SELECT a IN (1), CAST(1 AS REAL) / 2 FROM t"
