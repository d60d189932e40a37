"""Our reading of a query is SQLite's, or the query is refused.

Queries come from a grammar; whatever the prover accepts is written back and run beside the
text, on rows of mixed types.
"""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from random import Random

import pytest

from query_grammar import ROWS, SCHEMA, Grammar
from sqlverdict.parse.query import parse
from sqlverdict.parse.schema import Schema
from sqlverdict.parse.schemas.ddl import read_ddl
from sqlverdict.parse.tokens import Kind, kind, pieces
from sqlverdict.prove.proof import NotProved
from sqlverdict.prove.prover import prove
from sqlverdict.prove.resolve.fidelity import LOST, comparable, loss
from sqlverdict.prove.resolve.query import resolve_in_python
from sqlverdict.prove.resolve.text import resolved_sql
from sqlverdict.prove.resolve.tree import resolve_tree
from sqlverdict.records import Query, Reason

QUERIES = range(800)
PAIRS = range(10_000, 11_200)


@pytest.fixture(scope="module")
def schema() -> Schema:
    return read_ddl(SCHEMA, "grammar")


@pytest.fixture(scope="module")
def database() -> Iterator[sqlite3.Connection]:
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.executescript(SCHEMA + ROWS)
        yield connection


def answer(database: sqlite3.Connection, sql: str) -> list[str] | None:
    """The rows in any order; ``None`` where the query does not run."""
    try:
        return sorted(map(repr, database.execute(sql).fetchall()))
    except (sqlite3.Error, sqlite3.Warning):
        return None


@pytest.mark.slow
def test_what_is_read_answers_as_the_text_does(
    schema: Schema, database: sqlite3.Connection
) -> None:
    count: Counter[str] = Counter()
    wrong = []
    for seed in QUERIES:
        sql = Grammar(seed).query()
        query, rows = parse(sql), answer(database, sql)
        if rows is None or not isinstance(query, Query):
            count["not run, or not parsed"] += 1
            continue
        why = loss(sql, schema)
        count["read" if why is None else "lost" if why == LOST else "refused"] += 1
        if why is None:
            read_text = resolved_sql(resolve_tree(query.tree, schema).tree)
            if answer(database, read_text) != rows:
                wrong.append((sql, read_text))
    assert wrong == []
    assert count["read"] > 80, count
    assert count["lost"] > 10, count


def with_parentheses(sql: str, rng: Random) -> str:
    """The text with a pair of parentheses more, around some words; it may not run."""
    parts = pieces(sql)
    places = [at for at, part in enumerate(parts) if kind(part) is not Kind.SPACE]
    first, last = sorted(rng.sample(places, 2)) if len(places) > 1 else (0, 0)
    return "".join((*parts[:first], "(", *parts[first : last + 1], ")", *parts[last + 1 :]))


@pytest.mark.slow
def test_parentheses_that_change_an_answer_are_never_proved_away(
    schema: Schema, database: sqlite3.Connection
) -> None:
    proved = apart = 0
    wrong = []
    for seed in PAIRS:
        sql = Grammar(seed, depth=seed % 4).query()
        rows = answer(database, sql)
        if rows is None or "LIMIT" in sql:
            continue
        rng = Random(seed)
        for _ in range(6):
            other = with_parentheses(sql, rng)
            others = answer(database, other)
            if others is None:
                continue
            apart += others != rows
            if prove(sql, other, schema).proved:
                proved += 1
                if others != rows:
                    wrong.append((sql, other))
    assert wrong == []
    assert proved > 30
    assert apart > 5


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("b IN ((SELECT b FROM y))", "b IN (SELECT b FROM y)"),
        ("b NOT IN ((SELECT b FROM y))", "b NOT IN (SELECT b FROM y)"),
        ("a IN (((SELECT a FROM u)))", "a IN (SELECT a FROM u)"),
        ("+b = '5'", "b = '5'"),
        ("b = a IN (0, 1)", "b = (a IN (0, 1))"),
        ("a IS NULL = b", "a IS (NULL = b)"),
        ("NOT a IS NULL + 1", "NOT (a IS NULL) + 1"),
        ("CAST(s AS STRING)", "CAST(s AS TEXT)"),
        ("CAST(r AS FLOATING POINT)", "CAST(r AS REAL)"),
        ("a || 1 * 2", "a || (1 * 2)"),
        ("-a COLLATE NOCASE || s", "-(a COLLATE NOCASE || s)"),
        ("s COLLATE NOCASE = 'A'", "s = 'A'"),
        ("a BETWEEN 1 AND 5 = 1", "a BETWEEN 1 AND (5 = 1)"),
        ("a & 1 = 1", "a & (1 = 1)"),
        ("a << 1 + 1", "(a << 1) + 1"),
        ("~a + 1", "~(a + 1)"),
    ],
)
def test_texts_that_answer_differently_are_not_one(
    one: str, other: str, schema: Schema, database: sqlite3.Connection
) -> None:
    for left, right in (
        (f"SELECT id, {one} FROM t", f"SELECT id, {other} FROM t"),
        (f"SELECT id FROM t WHERE {one}", f"SELECT id FROM t WHERE {other}"),
    ):
        if answer(database, left) != answer(database, right):
            assert isinstance(prove(left, right, schema), NotProved), (left, right)


def test_a_scalar_in_parentheses_is_refused(schema: Schema) -> None:
    sql = "SELECT id FROM t WHERE b IN ((SELECT b FROM y))"
    assert loss(sql, schema) == LOST
    proof = prove(sql, "SELECT t.id FROM t WHERE t.b IN ((SELECT y.b FROM y))", schema)
    assert isinstance(proof, NotProved)
    assert proof.reason is Reason.UNSUPPORTED_FEATURE


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT id FROM t WHERE NOT a IS NULL AND s NOT IN ('a') AND b NOT BETWEEN 1 AND 2",
        "SELECT a IS NOT NULL, a NOTNULL FROM t",
        "SELECT NOT a IS NULL, NOT (a IS 5) FROM t",
        "SELECT t.id FROM t, u WHERE t.id = u.id",
        "SELECT t.id FROM t CROSS JOIN u WHERE t.id = u.id",
        "SELECT t.id FROM t LEFT JOIN u ON t.id = u.id JOIN y ON y.b = t.a",
        "SELECT substr(s, 1), substring(s, 1, 1), ifnull(a, 0), iif(a, 1, 2) FROM t",
        "SELECT CAST(a AS DECIMAL(10, 2)), CAST(a AS VARCHAR(3)), CAST(a AS DOUBLE) FROM t",
        "SELECT a AS x, count(*) AS n FROM t GROUP BY x HAVING n > 1 ORDER BY n DESC, 1 LIMIT 2",
        "WITH w AS (SELECT id, a FROM t) SELECT x.id FROM w AS x JOIN w AS y ON x.a = y.a",
        "WITH w(p) AS (SELECT max(a) FROM t) SELECT id FROM t WHERE a = (SELECT p FROM w)",
        "SELECT id FROM t WHERE a IN (SELECT a FROM u UNION SELECT 5) AND EXISTS (SELECT 1 FROM y)",
        'SELECT "group" FROM "order" WHERE "x y" > 1 AND "it""s" = "no such"',
        "SELECT * FROM t NATURAL JOIN u",
        "SELECT [a], `s`, .5, 1e3, 0x1F, x'35', 'it''s' FROM t -- done",
        "SELECT id, rank() OVER (PARTITION BY a ORDER BY r DESC) FROM t",
        "SELECT count(DISTINCT a) FILTER (WHERE s LIKE 'a%' ESCAPE '!') FROM t",
    ],
)
def test_what_people_write_is_read(sql: str, schema: Schema) -> None:
    assert loss(sql, schema) is None


@pytest.mark.parametrize("number", ["1 COLLATE NOCASE", "likely(1)", "(1) COLLATE RTRIM"])
@pytest.mark.parametrize("clause", ["GROUP BY", "ORDER BY"])
def test_a_number_in_disguise_is_no_constant(clause: str, number: str, schema: Schema) -> None:
    """SQLite takes it for an ordinal: the first column decides, not a constant."""
    assert loss(f"SELECT a FROM t {clause} {number}", schema) is not None


def test_notes_for_people_in_a_program_do_not_count() -> None:
    """Newer versions of SQLite name the alias of a table in them."""
    programs = [
        comparable([(0, "Explain", 7, 0, 0, f"BLOOM FILTER ON {alias} (id=?)", 0, None)])
        for alias in ("a", "a.2")
    ]
    assert programs[0] == programs[1]
    assert comparable([(0, "Add", 1, 2, 3, None, 0, None)]) != programs[0]


def test_a_query_that_was_rewritten_is_read_anew_all_the_same(schema: Schema) -> None:
    query = parse("SELECT 1 AS one ORDER BY one LIMIT 2")
    assert isinstance(query, Query)
    first = resolve_in_python(query.tree, schema)
    text = resolved_sql(first.tree)
    first.tree.set("order", None)
    first.bases["x.1"] = "x"
    second = resolve_in_python(query.tree, schema)
    assert resolved_sql(second.tree) == text
    assert "x.1" not in second.bases
