"""A proof names the choices that both queries leave to the engine."""

from __future__ import annotations

import pytest

from sqlverdict.parse.schemas.ddl import read_ddl
from sqlverdict.prove.evidence import derivation_evidence
from sqlverdict.prove.proof import Proof
from sqlverdict.prove.prover import prove
from sqlverdict.prove.reasoning.open_choices import ANY_ROW, FIRST_ROW, TIED_ROWS, WINDOW_TIES
from sqlverdict.report.one_run.case import piece_lines

SCHEMA = read_ddl(
    """
    CREATE TABLE singer (id INTEGER PRIMARY KEY, name TEXT, age INTEGER, country TEXT);
    CREATE TABLE concert (singer_id INTEGER NOT NULL REFERENCES singer (id), year INTEGER);
    """,
    "made",
)


def choices(sql: str) -> tuple[str, ...]:
    """What a proof that a query and its copy with a renamed table agree leaves open."""
    proof = prove(sql, sql.replace("FROM singer", "FROM singer AS s", 1), SCHEMA)
    assert isinstance(proof, Proof)
    return proof.open_choices


@pytest.mark.parametrize(
    ("sql", "choice"),
    [
        ("SELECT name FROM singer LIMIT 1", TIED_ROWS),
        ("SELECT name FROM singer ORDER BY age LIMIT 1", TIED_ROWS),
        ("SELECT name FROM singer ORDER BY age LIMIT -1 OFFSET 1", TIED_ROWS),
        ("SELECT country FROM singer GROUP BY country ORDER BY count(*) LIMIT 1", TIED_ROWS),
        (
            "SELECT name, age FROM singer UNION SELECT name, 1 FROM singer ORDER BY 1 LIMIT 2",
            TIED_ROWS,
        ),
        ("SELECT country, age, count(*) FROM singer GROUP BY country", ANY_ROW),
        ("SELECT name, max(age) FROM singer", ANY_ROW),
        ("SELECT id FROM singer WHERE age = (SELECT age FROM singer WHERE name = 'n')", FIRST_ROW),
        ("SELECT id, row_number() OVER (ORDER BY age) FROM singer", WINDOW_TIES),
    ],
)
def test_what_no_key_decides_is_named(sql: str, choice: str) -> None:
    assert choices(sql) == (choice,)


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT name FROM singer ORDER BY age, id LIMIT 1",
        "SELECT name FROM singer ORDER BY name LIMIT 1",
        "SELECT DISTINCT age FROM singer ORDER BY age LIMIT 3",
        "SELECT max(age) FROM singer LIMIT 1",
        "SELECT country, count(*) FROM singer GROUP BY country ORDER BY country LIMIT 1",
        "SELECT count(*) FROM singer GROUP BY country ORDER BY count(*) LIMIT 1",
        "SELECT name, count(*) FROM singer GROUP BY id",
        "SELECT name, max(id) FROM singer",
        "SELECT name, count(*) FROM singer JOIN concert ON id = singer_id GROUP BY singer_id",
        "SELECT name FROM singer WHERE age = (SELECT max(age) FROM singer)",
        "SELECT name FROM singer WHERE age = (SELECT age FROM singer WHERE id = 3)",
        "SELECT name FROM singer WHERE id IN (SELECT singer_id FROM concert)",
        "SELECT name FROM singer UNION SELECT country FROM singer ORDER BY 1 LIMIT 2",
        "SELECT id, rank() OVER (ORDER BY age) FROM singer",
    ],
)
def test_what_the_schema_decides_is_not_named(sql: str) -> None:
    assert choices(sql) == ()


def test_the_reader_sees_what_is_left_open() -> None:
    gold = "SELECT name FROM singer ORDER BY age LIMIT 1"
    evidence = derivation_evidence(prove(gold, gold.replace("name", "singer.name", 1), SCHEMA))
    assert f"both leave open {TIED_ROWS}" in piece_lines(evidence)
