"""The rules of the ETM paper, file by file: their pairs, and the corners that Limits name."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from typing import Any

import pytest

from sqlverdict.parse.facts import Fact, Typed, facts_of
from sqlverdict.parse.schema import Schema
from sqlverdict.parse.schema_ddl import read_ddl
from sqlverdict.prove.paper.order import NUMBERED, PREPARING
from sqlverdict.prove.proof import NotProved, Proof
from sqlverdict.prove.prover import prove
from sqlverdict.prove.rule import RULES, SECTIONS, Pair, Rule

PAPER = {name: rule for name, rule in RULES.items() if "etm_paper" in rule.profiles}


def facts_for(rule: Rule, pair: Pair) -> tuple[Schema, frozenset[Fact]]:
    schema = read_ddl(rule.schema, rule.name)
    typed = {fact for fact in facts_of(schema) if isinstance(fact, Typed)}
    return schema, frozenset({*typed, *pair.given})


def pairs_of(kind: str) -> list[Any]:
    return [
        pytest.param(rule, pair, id=f"{name}-{number}")
        for name, rule in PAPER.items()
        for number, pair in enumerate(getattr(rule, kind))
    ]


def test_every_rule_of_the_paper_has_one_file() -> None:
    numbers = sorted(number for rule in PAPER.values() for number in rule.paper)
    assert numbers == sorted((*PREPARING, *NUMBERED))


@pytest.mark.parametrize("name", PAPER)
def test_a_rule_is_documented_and_says_that_it_is_heuristic(name: str) -> None:
    rule = PAPER[name]
    assert name.startswith("paper_")
    assert rule.trust == "heuristic"
    assert rule.profiles == ("etm_paper",)
    assert tuple(rule.sections) == SECTIONS
    assert all(rule.sections.values())
    assert rule.equal
    assert all(pair.because for pair in rule.different)


@pytest.mark.parametrize(("rule", "pair"), pairs_of("equal"))
def test_a_rule_joins_its_pairs_and_is_needed_for_it(rule: Rule, pair: Pair) -> None:
    schema, facts = facts_for(rule, pair)
    found = prove(pair.left, pair.right, schema, facts=facts, profile="etm_paper")
    assert isinstance(found, Proof), found
    assert rule.name in found.rules
    assert found.trust == "heuristic"
    off = frozenset({rule.name})
    without = prove(pair.left, pair.right, schema, facts=facts, profile="etm_paper", without=off)
    assert not without.proved


@pytest.mark.parametrize(("rule", "pair"), pairs_of("different"))
def test_different_pairs_stay_apart(rule: Rule, pair: Pair) -> None:
    schema, facts = facts_for(rule, pair)
    found = prove(pair.left, pair.right, schema, facts=facts, profile="etm_paper")
    assert isinstance(found, NotProved), found
    assert found.reason is None


UNSOUND = {
    "paper_column_order_is_free": (
        "SELECT k, v FROM t UNION SELECT k, w FROM u",
        "SELECT v, k FROM t UNION SELECT k, w FROM u",
        ("INSERT INTO t VALUES (1, 2)", "INSERT INTO u VALUES (1, 2)"),
    ),
    "paper_aliases_mean_their_table": (
        "SELECT a.k FROM t AS a JOIN t AS b ON a.v < b.v",
        "SELECT b.k FROM t AS a JOIN t AS b ON a.v < b.v",
        ("INSERT INTO t VALUES (1, 1), (2, 2)",),
    ),
    "paper_joins_commute": (
        "SELECT t.v FROM t NATURAL JOIN u",
        "SELECT t.v FROM t JOIN u",
        ("INSERT INTO t VALUES (1, 1)", "INSERT INTO u VALUES (2, 1), (3, 1)"),
    ),
    "paper_operands_commute": (
        "SELECT k FROM t WHERE k = v = 1",
        "SELECT k FROM t WHERE 1 = v = k",
        ("INSERT INTO t VALUES (2, 2)",),
    ),
    "paper_output_names_do_not_count": (
        "SELECT v AS k FROM t WHERE k = 1",
        "SELECT v AS w FROM t WHERE w = 1",
        ("INSERT INTO t VALUES (1, 5)",),
    ),
    "paper_extreme_row_is_first_row": (
        "SELECT k FROM p WHERE k = (SELECT MAX(k) FROM p WHERE n = 1)",
        "SELECT k FROM p ORDER BY k DESC LIMIT 1",
        ("INSERT INTO p VALUES (1, 1), (2, 2)",),
    ),
    "paper_distinct_over_unique": (
        "SELECT DISTINCT c FROM q",
        "SELECT c FROM q",
        ("INSERT INTO q VALUES (NULL, 1), (NULL, 2)",),
    ),
    "paper_set_operation_is_a_condition": (
        "SELECT k FROM p WHERE n > 1 UNION ALL SELECT k FROM p WHERE n > 2",
        "SELECT k FROM p WHERE n > 1 OR n > 2",
        ("INSERT INTO p VALUES (1, 3)",),
    ),
    "paper_group_by_unique_needs_no_more": (
        "SELECT COUNT(*) FROM q GROUP BY c, n",
        "SELECT COUNT(*) FROM q GROUP BY c",
        ("INSERT INTO q VALUES (NULL, 1), (NULL, 2)",),
    ),
    "paper_except_is_not_in": (
        "SELECT k FROM p EXCEPT SELECT w FROM u",
        "SELECT k FROM p WHERE k NOT IN (SELECT w FROM u)",
        ("INSERT INTO p VALUES (1, 1)", "INSERT INTO u VALUES (1, NULL)"),
    ),
    "paper_count_of_not_null_is_count_star": (
        "SELECT COUNT(p.k) FROM t LEFT JOIN p ON t.k = p.k",
        "SELECT COUNT(*) FROM t LEFT JOIN p ON t.k = p.k",
        ("INSERT INTO t VALUES (1, 1)",),
    ),
    "paper_not_null_test_is_idle": (
        "SELECT t.k FROM t LEFT JOIN p ON t.k = p.k WHERE p.k IS NOT NULL",
        "SELECT t.k FROM t LEFT JOIN p ON t.k = p.k",
        ("INSERT INTO t VALUES (1, 1)",),
    ),
    "paper_count_case_is_sum_case": (
        "SELECT COUNT(CASE WHEN v > 1 THEN 1 END) FROM t",
        "SELECT SUM(CASE WHEN v > 1 THEN 1 ELSE 0 END) FROM t",
        (),
    ),
    "paper_first_value_is_extreme": (
        "SELECT v FROM t ORDER BY v LIMIT 1",
        "SELECT MIN(v) FROM t",
        ("INSERT INTO t VALUES (1, NULL), (2, 5)",),
    ),
    "paper_quoted_number_is_number": (
        "SELECT k FROM t WHERE SUBSTR('2012', 1, 4) = '2012'",
        "SELECT k FROM t WHERE SUBSTR('2012', 1, 4) = 2012",
        ("INSERT INTO t VALUES (1, 1)",),
    ),
    "paper_in_key_is_join": (
        "SELECT m FROM r WHERE k IN (SELECT k FROM p LIMIT 1)",
        "SELECT r.m FROM p JOIN r ON p.k = r.k",
        ("INSERT INTO p VALUES (1, 1), (2, 2)", "INSERT INTO r VALUES (1, 1), (2, 2)"),
    ),
    "paper_join_to_parent_is_idle": (
        "SELECT r.m FROM p JOIN r ON p.k = r.k",
        "SELECT m FROM r",
        ("INSERT INTO r VALUES (NULL, 1)",),
    ),
    "paper_prefix_and_rest_is_whole": (
        "SELECT s FROM x WHERE SUBSTR(s, 1, 1) = 'a' AND SUBSTR(s, 2, 1) > 'b'",
        "SELECT s FROM x WHERE s > 'ab'",
        ("INSERT INTO x VALUES ('abc')",),
    ),
    "paper_like_prefix_is_substr": (
        "SELECT s FROM x WHERE s LIKE 'a%'",
        "SELECT s FROM x WHERE SUBSTR(s, 1, 1) = 'a'",
        ("INSERT INTO x VALUES ('Ab')",),
    ),
    "paper_julianday_keeps_order": (
        "SELECT s FROM x ORDER BY JULIANDAY(s) LIMIT 1",
        "SELECT s FROM x ORDER BY s LIMIT 1",
        ("INSERT INTO x VALUES ('2020-01-01'), ('9/1/2020')",),
    ),
    "paper_joined_columns_are_equal": (
        "SELECT x.s FROM x JOIN t ON x.s = t.k",
        "SELECT t.k FROM x JOIN t ON x.s = t.k",
        ("INSERT INTO x VALUES ('1.0')", "INSERT INTO t VALUES (1, 1)"),
    ),
    "paper_in_own_table_is_condition": (
        "SELECT v FROM t WHERE k IN (SELECT k FROM t WHERE v = 5)",
        "SELECT v FROM t WHERE v = 5",
        ("INSERT INTO t VALUES (1, 5), (1, 6)",),
    ),
    "paper_same_operands_are_one": (
        "SELECT v FROM t UNION SELECT v FROM t",
        "SELECT v FROM t",
        ("INSERT INTO t VALUES (1, 5), (2, 5)",),
    ),
    "paper_left_join_null_is_not_in": (
        "SELECT t.v FROM t LEFT JOIN u ON t.k = u.k WHERE u.k IS NULL",
        "SELECT v FROM t WHERE k NOT IN (SELECT k FROM u)",
        ("INSERT INTO t VALUES (1, 1)", "INSERT INTO u VALUES (NULL, 1)"),
    ),
    "paper_equal_to_itself_is_true": (
        "SELECT v FROM t WHERE k = k",
        "SELECT v FROM t",
        ("INSERT INTO t VALUES (NULL, 1)",),
    ),
}
CORNERS = """
CREATE TABLE t (k INTEGER, v INTEGER);
CREATE TABLE u (k INTEGER, w INTEGER);
CREATE TABLE p (k INTEGER PRIMARY KEY, n INTEGER);
CREATE TABLE q (c INTEGER UNIQUE, n INTEGER);
CREATE TABLE r (k INTEGER REFERENCES p (k), m INTEGER);
CREATE TABLE x (s TEXT);
"""


@pytest.mark.parametrize("name", UNSOUND)
def test_the_corner_that_limits_name_is_real(name: str) -> None:
    left, right, rows = UNSOUND[name]
    schema = read_ddl(CORNERS, "corners")
    found = prove(left, right, schema, profile="etm_paper")
    assert isinstance(found, Proof), found
    assert name in found.rules
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.executescript(CORNERS)
        for row in rows:
            connection.execute(row)
        answers = [connection.execute(sql).fetchall() for sql in (left, right)]
    assert repr(answers[0]) != repr(answers[1])
