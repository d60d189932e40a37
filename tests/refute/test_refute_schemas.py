"""The search on schemas as people write them: keys, generated columns, STRICT, views, many tables."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from sqlverdict.parse.facts import facts_of
from sqlverdict.parse.schema import Schema
from sqlverdict.parse.schemas.ddl import read_ddl
from sqlverdict.parse.schemas.sqlite import read_sqlite
from sqlverdict.prove.prover import prove
from sqlverdict.records import Answer, Reason
from sqlverdict.refute.search import find_witness
from sqlverdict.refute.trial.legal import legal
from sqlverdict.refute.trial.rebuild import rebuild
from sqlverdict.refute.witness import NotRefuted, Witness
from sqlverdict.refute.witness_files import replay, write

KEYED = read_ddl("CREATE TABLE t (id INT PRIMARY KEY, code TEXT, n INT)", "keyed")
GENERATED = """
CREATE TABLE art (
    id INTEGER PRIMARY KEY, net INT NOT NULL, gross INT GENERATED ALWAYS AS (net * 2) VIRTUAL,
    name TEXT NOT NULL, shout TEXT AS (upper(name)) STORED
);
CREATE TABLE best (id INTEGER PRIMARY KEY, day TEXT NOT NULL);
"""


def refuted(
    gold: str, prediction: str, schema: Schema | str, tmp_path: Path | None = None
) -> Witness:
    """The witness; it obeys the facts, and a file of it shows the same."""
    known = read_ddl(schema, "made") if isinstance(schema, str) else schema
    witness = find_witness(gold, prediction, known)
    assert isinstance(witness, Witness), witness
    assert legal(witness.instance, facts_of(known)) == []
    built = rebuild(witness.instance, [t for t in known.tables if t.name in witness.instance.rows])
    built.close()
    if tmp_path is not None:
        for path in write(witness, tmp_path, "w"):
            assert replay(path).differ
    return witness


def test_a_declared_key_is_not_null_in_witnesses_and_in_proofs() -> None:
    counts = ("SELECT count(*) FROM t", "SELECT count(id) FROM t")
    assert isinstance(find_witness(*counts, KEYED), NotRefuted)
    assert prove(*counts, KEYED).proved


def test_a_switch_keeps_the_letter_of_sqlite() -> None:
    counts = ("SELECT count(*) FROM t", "SELECT count(id) FROM t")
    letter = replace(KEYED, null_keys=True)
    witness = find_witness(*counts, letter)
    assert isinstance(witness, Witness)
    assert not prove(*counts, letter).proved


def test_no_part_of_a_composite_key_is_null() -> None:
    schema = read_ddl("CREATE TABLE t (a TEXT, b INT, n INT, PRIMARY KEY (a, b))", "made")
    for column in ("a", "b"):
        pair = ("SELECT n FROM t", f"SELECT n FROM t WHERE {column} IS NOT NULL")
        assert isinstance(find_witness(*pair, schema), NotRefuted)
    assert find_witness("SELECT n FROM t", "SELECT n FROM t WHERE n IS NOT NULL", schema).refuted


def test_a_generated_column_elsewhere_does_not_end_the_search() -> None:
    refuted(
        "SELECT id FROM best WHERE day LIKE '2024-03%'",
        "SELECT id FROM best WHERE day BETWEEN '2024-03-01' AND '2024-03-31'",
        GENERATED,
    )


@pytest.mark.parametrize(
    ("gold", "prediction"),
    [
        ("SELECT id FROM art WHERE gross > 10", "SELECT id FROM art WHERE gross >= 10"),
        ("SELECT id FROM art WHERE shout = 'PEN'", "SELECT id FROM art WHERE name = 'pen'"),
        ("SELECT net FROM art", "SELECT gross FROM art"),
        ("SELECT * FROM art WHERE net > 5", "SELECT * FROM art WHERE gross > 5"),
        ("SELECT count(shout) FROM art", "SELECT count(DISTINCT shout) FROM art"),
    ],
)
def test_generated_columns_are_computed_by_the_engine(
    gold: str, prediction: str, tmp_path: Path
) -> None:
    result = refuted(gold, prediction, GENERATED, tmp_path)
    for _, net, gross, name, shout in result.instance.rows["art"]:
        assert isinstance(net, int)
        assert isinstance(name, str)
        assert (gross, shout) == (net * 2, name.upper())


@pytest.mark.parametrize(
    ("gold", "prediction"),
    [
        ("SELECT k FROM cfg", "SELECT k FROM cfg WHERE v IS NOT NULL"),
        ("SELECT k FROM cfg WHERE v = x'4142'", "SELECT k FROM cfg"),
        ("SELECT v FROM cfg", "SELECT DISTINCT v FROM cfg"),
        ("SELECT k FROM cfg WHERE w = 1", "SELECT k FROM cfg WHERE w = '1'"),
        ("SELECT k FROM cfg WHERE n > 1", "SELECT k FROM cfg WHERE n > 1.5"),
    ],
)
def test_strict_tables_get_values_of_their_types(
    gold: str, prediction: str, tmp_path: Path
) -> None:
    schema = "CREATE TABLE cfg (k TEXT PRIMARY KEY, v BLOB, w ANY, n REAL, m INT) STRICT"
    refuted(gold, prediction, schema, tmp_path)


@pytest.mark.parametrize(
    ("gold", "prediction"),
    [
        ("SELECT p FROM dear", "SELECT net FROM art"),
        ("SELECT p FROM dear WHERE q = 'pen'", "SELECT p FROM dear WHERE q LIKE 'pen'"),
        ("SELECT p FROM named WHERE p > 77", "SELECT p FROM dear WHERE p > 77"),
        ("SELECT p FROM named ORDER BY p LIMIT 1", "SELECT max(p) FROM named"),
        ("WITH dear AS (SELECT 1 AS p) SELECT p FROM dear", "SELECT p FROM dear"),
    ],
)
def test_views_are_searched_through_their_base_tables(
    gold: str, prediction: str, tmp_path: Path
) -> None:
    views = """
    CREATE VIEW named AS SELECT p FROM dear WHERE q = 'zz';
    CREATE VIEW dear (p, q) AS SELECT net, name FROM art WHERE net > 3;
    """
    refuted(gold, prediction, GENERATED + views, tmp_path)


def test_a_virtual_table_is_a_reason_only_where_it_is_read(tmp_path: Path) -> None:
    path = tmp_path / "notes.sqlite"
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(
            "CREATE TABLE g (a INT NOT NULL); CREATE VIRTUAL TABLE f USING fts5 (x);"
            "CREATE VIEW v AS SELECT x FROM f;"
            "CREATE TRIGGER tr AFTER INSERT ON g BEGIN INSERT INTO f VALUES ('a'); END;"
        )
    schema = read_sqlite(path)
    refuted("SELECT a FROM g", "SELECT DISTINCT a FROM g", schema)
    for read in ("f WHERE f MATCH 'a'", "v"):
        witness = find_witness("SELECT a FROM g", f"SELECT x FROM {read}", schema)
        assert isinstance(witness, NotRefuted)
        assert witness.reason is Reason.UNSUPPORTED_FEATURE
        assert "virtual table" in witness.message or "view 'v'" in witness.message


def test_a_table_that_cannot_be_made_is_a_reason_only_where_it_is_read() -> None:
    good = read_ddl("CREATE TABLE g (a INT NOT NULL); CREATE TABLE h (a INT)", "made")
    odd = replace(good.tables[1], sql="CREATE TABLE h (a INT COLLATE, )")
    schema = replace(good, tables=(good.tables[0], odd))
    refuted("SELECT a FROM g", "SELECT DISTINCT a FROM g", good)
    assert find_witness("SELECT a FROM g", "SELECT DISTINCT a FROM g", schema).refuted
    witness = find_witness("SELECT a FROM g", "SELECT a FROM h", schema)
    assert isinstance(witness, NotRefuted)
    assert witness.reason is Reason.UNSUPPORTED_FEATURE


@pytest.mark.slow
def test_a_database_of_many_tables_is_searched() -> None:
    many = ";".join(f"CREATE TABLE t{n} (a INT, b TEXT UNIQUE)" for n in range(800))
    refuted(
        "SELECT n FROM t", "SELECT DISTINCT n FROM t", f"CREATE TABLE t (n INT NOT NULL);{many}"
    )


def test_rows_on_which_an_expression_fails_are_left_out() -> None:
    schema = """CREATE TABLE t (id INT NOT NULL, doc TEXT NOT NULL,
        kind TEXT AS (json_extract(doc, '$.kind')), CHECK (abs(id) >= 0));"""
    result = refuted("SELECT id FROM t", "SELECT id FROM t WHERE id > 2", schema)
    assert isinstance(result.gold, Answer)
