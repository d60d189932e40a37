"""The profile ``etm_paper``: what it sees, hostile queries, and the published verdicts."""

from __future__ import annotations

import json
import random
from functools import cache
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sqlglot.expressions import Expr

from sqlverdict.errors import UsageError
from sqlverdict.parse.facts import facts_of
from sqlverdict.parse.query import parse
from sqlverdict.parse.schema import Schema
from sqlverdict.parse.schemas.ddl import read_ddl
from sqlverdict.parse.schemas.load import load_schemas
from sqlverdict.prove.etm_paper.constraints import paper_facts
from sqlverdict.prove.etm_paper.etm_paper import paper_form, script_tree
from sqlverdict.prove.etm_paper.shapes import node_text
from sqlverdict.prove.profile import ProofQuestion
from sqlverdict.prove.proof import NotProved, Step
from sqlverdict.prove.prover import prove
from sqlverdict.prove.rule import RULES
from sqlverdict.records import ParseFailure, Query, Reason

PAPER = {name: rule for name, rule in RULES.items() if "etm_paper" in rule.profiles}
SYSTEMS = (
    *(("spider", name) for name in ("DAIL", "C3", "RESDSQL", "RASAT+PICARD")),
    *(("bird", name) for name in ("DAIL", "C3", "RESDSQL")),
)


def joined(left: str, right: str, schema: Schema, off: frozenset[str] = frozenset()) -> bool:
    return prove(left, right, schema, profile="etm_paper", without=off).proved


CORNERS = """
CREATE TABLE t (k INTEGER, v INTEGER);
CREATE TABLE u (k INTEGER, w INTEGER);
CREATE TABLE p (k INTEGER PRIMARY KEY, n INTEGER);
CREATE TABLE q (c INTEGER UNIQUE, n INTEGER);
CREATE TABLE r (k INTEGER REFERENCES p (k), m INTEGER);
CREATE TABLE x (s TEXT);
"""


# The profile


SCHEMA = read_ddl(CORNERS, "corners")


@pytest.mark.parametrize(
    ("left", "right", "expected"),
    [
        ('SELECT k FROM t WHERE v = "dog"', "SELECT k FROM t WHERE v = 'dog'", True),
        ('SELECT k FROM t WHERE v = "w"', "SELECT k FROM t WHERE v = 'w'", False),
        ("SELECT CAST(k AS REAL) FROM t", "SELECT CAST(k AS FLOAT) FROM t", True),
        ("SELECT DISTINCT v FROM t", "SELECT v FROM t", False),
        ("SELECT v FROM t WHERE k = 1", "SELECT v FROM t WHERE k = 2", False),
        ("SELECT v FROM t WHERE k > v", "SELECT v FROM t WHERE v < k", False),
        ("SELECT v, COUNT(*) AS n FROM t GROUP BY v ORDER BY n",
         "SELECT v, COUNT(*) FROM t GROUP BY v ORDER BY COUNT(*)", False),
        ("SELECT v FROM t LEFT JOIN u ON v = w", "SELECT v FROM t JOIN u ON v = w", False),
    ],
)  # fmt: skip
def test_what_the_script_does_and_does_not_see(left: str, right: str, expected: bool) -> None:
    assert joined(left, right, SCHEMA) is expected


def test_a_single_primary_key_is_taken_for_not_null_and_a_partial_index_for_unique() -> None:
    schema = read_ddl(
        "CREATE TABLE a (k TEXT PRIMARY KEY, v INTEGER);"
        "CREATE UNIQUE INDEX some ON a (v) WHERE v > 5;"
        "CREATE TABLE b (k TEXT, l TEXT, PRIMARY KEY (k, l))",
        "keys",
    )
    assert joined("SELECT COUNT(k) FROM a", "SELECT COUNT(*) FROM a", schema)
    assert joined("SELECT DISTINCT v FROM a", "SELECT v FROM a", schema)
    assert not joined("SELECT COUNT(k) FROM b", "SELECT COUNT(*) FROM b", schema)
    assert not joined("SELECT DISTINCT k FROM b", "SELECT k FROM b", schema)


def test_what_sqlite_rejects_does_not_match() -> None:
    proof = prove("SELECT k FROM t", "SELECT missing FROM t", SCHEMA, profile="etm_paper")
    assert isinstance(proof, NotProved)
    assert proof.reason is Reason.EXECUTION_ERROR


def test_an_unknown_rule_cannot_be_switched_off() -> None:
    with pytest.raises(UsageError, match="'paper_nothing'"):
        joined("SELECT k FROM t", "SELECT v FROM t", SCHEMA, off=frozenset({"paper_nothing"}))


def test_a_failed_match_shows_both_forms() -> None:
    proof = prove("SELECT T.K FROM t", "SELECT v FROM t", SCHEMA, profile="etm_paper")
    assert isinstance(proof, NotProved)
    assert proof.gold_form == "SELECT t.k FROM t"
    assert proof.prediction_form == "SELECT t.v FROM t"
    assert "paper_names_ignore_case" in proof.rules


def replayed(query: Query, schema: Schema, steps: tuple[Step, ...]) -> Expr:
    """Do the steps again, knowing nothing of how they were found."""
    tree = script_tree(query.tree, schema)
    facts = paper_facts(schema, facts_of(schema))
    for step in steps:
        node: Expr = tree
        for name, index in step.path:
            value = node.args[name]
            node = value if index < 0 else value[index]
        replacement = PAPER[step.rule].rewrite(node, facts)
        assert replacement is not None, step
        if not step.path:
            replacement.parent = None
            tree = replacement
            continue
        holder: Expr = tree
        for name, index in step.path[:-1]:
            value = holder.args[name]
            holder = value if index < 0 else value[index]
        name, index = step.path[-1]
        if index < 0:
            holder.set(name, replacement)
        else:
            holder.set(
                name, [*holder.args[name][:index], replacement, *holder.args[name][index + 1 :]]
            )
    return tree


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT T1.N FROM p AS T1 JOIN r AS T2 ON T1.k = T2.k WHERE T2.m IN (1, '2')",
        "SELECT k FROM p EXCEPT SELECT DISTINCT k FROM (SELECT * FROM p WHERE n = (3)) AS d",
        "WITH c AS (SELECT v FROM t WHERE NOT k = 1) SELECT v FROM c WHERE v BETWEEN 1 AND 2",
        "SELECT m FROM r WHERE k IN (SELECT k FROM p WHERE n > 1) ORDER BY m LIMIT 1",
    ],
)
def test_the_steps_can_be_done_again(sql: str) -> None:
    query = parse(sql, "sqlite")
    assert isinstance(query, Query)
    form = paper_form(query, ProofQuestion(query, query, SCHEMA, facts_of(SCHEMA)))
    assert form.steps
    assert node_text(replayed(query, SCHEMA, form.steps)) == form.key


DEEP = "SELECT k FROM t WHERE " + "(" * 400 + "v = 1" + ")" * 400
HOSTILE = [
    "",
    "SELECT",
    "SELECT * FROM",
    "DROP TABLE t",
    "VALUES (1, 2)",
    "SELECT 1",
    "SELECT * FROM (SELECT * FROM t)",
    "SELECT * FROM t, t AS t2, (SELECT 1) AS t3",
    "SELECT * FROM t UNION SELECT * FROM u UNION ALL SELECT * FROM p ORDER BY 1 LIMIT 1",
    "WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c) SELECT n FROM c LIMIT 3",
    "WITH a AS (SELECT 1 AS x), b AS (SELECT * FROM a, a AS a2) SELECT * FROM b, b AS b2",
    "WITH t AS (SELECT * FROM t) SELECT * FROM t",
    "SELECT k AS k, v AS k FROM t WHERE k IN (SELECT k AS v FROM t AS k) GROUP BY k ORDER BY k",
    "SELECT k AS t FROM t AS k WHERE k.k = (SELECT MAX(k) FROM t AS k)",
    "SELECT k, k FROM t ORDER BY k LIMIT 1",
    "SELECT COUNT(*), COUNT(DISTINCT k, v) FROM t",
    "SELECT IIF(k, v, NULL), CASE k WHEN 1 THEN 2 END FROM t WHERE k LIKE '%' OR k LIKE v",
    "SELECT k FROM t WHERE k IN () OR k NOT IN () OR (k, v) IN (SELECT k, v FROM t)",
    "SELECT SUBSTR(v, -2), SUBSTR(v, k) FROM t WHERE SUBSTR(v, 1, k) = '1' AND SUBSTR(v, 2) > 3",
    "SELECT k FROM t WHERE v = '1e999' OR v = 1e999 OR v = '٣' OR v = 'nan'",
    "SELECT r.m FROM r JOIN r AS r2 ON r.k = r2.k JOIN p ON p.k = r.k AND p.k = r2.k",
    "SELECT k FROM p WHERE k = k OR 1 = 1 AND NOT NOT k = k",
    "SELECT ROW_NUMBER() OVER (PARTITION BY k ORDER BY v) FROM t",
    DEEP,
    "SELECT k FROM t WHERE " + " AND ".join(f"v != {n}" for n in range(1500)),
    "SELECT k FROM t WHERE v IN (" + ", ".join(map(str, range(1500))) + ")",
    "SELECT " + "-" * 2 + "1",
    "WITH c0 AS (SELECT k FROM t), "
    + ", ".join(f"c{n} AS (SELECT a.k FROM c{n - 1} AS a, c{n - 1} AS b)" for n in range(1, 16))
    + " SELECT k FROM c15",
]


@pytest.mark.parametrize("number", range(len(HOSTILE)))
def test_no_query_makes_it_fail(number: int) -> None:
    sql = HOSTILE[number]
    for other in ("SELECT k FROM t", f"{sql} ", HOSTILE[number - 1]):
        first = prove(sql, other, SCHEMA, profile="etm_paper")
        second = prove(other, sql, SCHEMA, profile="etm_paper")
        assert first.proved == second.proved


WORDS = [
    "SELECT",
    "DISTINCT",
    "FROM",
    "WHERE",
    "GROUP",
    "BY",
    "HAVING",
    "ORDER",
    "LIMIT",
    "JOIN",
    "LEFT",
    "ON",
    "AS",
    "AND",
    "OR",
    "NOT",
    "IN",
    "BETWEEN",
    "LIKE",
    "IS",
    "NULL",
    "UNION",
    "INTERSECT",
    "EXCEPT",
    "COUNT",
    "MAX",
    "MIN",
    "SUM",
    "CASE",
    "WHEN",
    "THEN",
    "ELSE",
    "END",
    "CAST",
    "IIF",
    "t",
    "u",
    "p",
    "k",
    "v",
    "w",
    "n",
    "m",
    "s",
    "x",
    "(",
    ")",
    ",",
    ".",
    "*",
    "=",
    "<",
    ">",
    "+",
    "-",
    "1",
    "2",
    "0",
    "1.0",
    "'1'",
    "'%'",
    '"k"',
    '"dog"',
    "`v`",
]


@given(st.lists(st.sampled_from(WORDS), max_size=25))
def test_no_heap_of_words_makes_it_fail(words: list[str]) -> None:
    sql = "SELECT " + " ".join(words)
    assert not prove(sql, "SELECT n, n, n FROM p", SCHEMA, profile="etm_paper").proved


CONDITIONS = st.recursive(
    st.sampled_from(
        (
            *("k = 1", "v > '2'", "k BETWEEN 1 AND v", "v IN (1, 2)", "k IS NOT NULL"),
            *("NOT v = k", "k = (SELECT MAX(k) FROM t)", "v LIKE 'a%'"),
            "k IN (SELECT k FROM p WHERE n > 1)",
        )
    ),
    lambda inner: st.builds("({0}) {1} ({2})".format, inner, st.sampled_from(("AND", "OR")), inner),
    max_leaves=6,
)


@pytest.mark.slow
@settings(max_examples=30)
@given(CONDITIONS, CONDITIONS)
def test_neither_the_order_of_the_pair_nor_what_came_before_counts(one: str, two: str) -> None:
    left, right = f"SELECT v FROM t WHERE {one}", f"SELECT t.v FROM t WHERE {two}"
    before = joined(left, right, SCHEMA)
    joined(right, "SELECT n FROM p WHERE k > 0", SCHEMA)
    assert joined(right, left, SCHEMA) is before
    assert joined(left, f"SELECT V FROM T WHERE ({one})", SCHEMA)


# The published verdicts


@cache
def schema_of(root: Path, bench: str, db_id: str) -> Schema:
    folder = root / bench / ("database" if bench == "spider" else "databases")
    file = folder / db_id / f"{db_id}.sqlite"
    other = root / bench / ("tables.json" if bench == "spider" else "ddl.json")
    return load_schemas(file if file.is_file() else other, db_id)[db_id]


def real_pairs(
    root: Path, bench: str, system: str, every: int
) -> list[tuple[str, str, Schema, bool]]:
    golds = (root / bench / ("dev_gold.sql" if bench == "spider" else "etm_gold.txt")).read_text()
    lines = (root / bench / "predictions" / "dev" / f"{system}.txt").read_text().splitlines()
    verdicts = (root / "etm_reference" / f"{bench}_dev_{system}.jsonl").read_text().splitlines()
    results = []
    for line, sql, verdict in list(zip(golds.splitlines(), lines, verdicts, strict=True))[::every]:
        gold, db_id = line.rsplit("\t", 1)
        results.append((gold, sql, schema_of(root, bench, db_id), json.loads(verdict)["etm"]))
    return results


@pytest.mark.data
@pytest.mark.parametrize(("bench", "system"), SYSTEMS)
def test_it_agrees_with_the_published_verdicts(data_root: Path, bench: str, system: str) -> None:
    pairs = real_pairs(data_root, bench, system, every=12)
    agreed = [joined(gold, sql, schema) == verdict for gold, sql, schema, verdict in pairs]
    assert sum(agreed) >= 0.985 * len(pairs)


@pytest.mark.data
def test_the_order_of_lines_and_of_pairs_does_not_count(data_root: Path) -> None:
    pairs = real_pairs(data_root, "spider", "C3", every=20)
    forwards = [joined(gold, sql, schema) for gold, sql, schema, _ in pairs]
    places = list(range(len(pairs)))
    random.Random(4).shuffle(places)
    for word in places:
        gold, sql, schema, _ = pairs[word]
        assert joined(sql, gold, schema) is forwards[word]


@pytest.mark.data
def test_real_derivations_can_be_done_again(data_root: Path) -> None:
    for gold, _, schema, _ in real_pairs(data_root, "bird", "DAIL", every=90):
        query = parse(gold, "sqlite")
        assert not isinstance(query, ParseFailure)
        form = paper_form(query, ProofQuestion(query, query, schema, facts_of(schema)))
        assert node_text(replayed(query, schema, form.steps)) == form.key
