"""Queries that once came out wrong, each reduced to what it takes."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))
from test_prove_soundness import FACTS, SCHEMA, compare, examine

from sqlverdict.prove.check import check_proof
from sqlverdict.prove.proof import Proof
from sqlverdict.prove.prover import prove

QUERIES = {
    "conditions of the join of two copies": (
        "SELECT b.t_id FROM u AS a JOIN u AS b ON a.id = b.id AND b.t_id IS NOT NULL"
        " WHERE a.s IS NULL"
    ),
    "copies joined on a nullable unique column": "SELECT a.t_id, b.s FROM u AS a JOIN u AS b ON a.s = b.s",
    "the ON of a derived table": (
        "SELECT d.e, v.s FROM u, v JOIN (SELECT w + id AS e FROM u) AS d ON d.e != d.e"
    ),
    "the ON inside EXISTS": (
        "SELECT DISTINCT a.id FROM t AS a WHERE EXISTS (SELECT 1 FROM t AS b JOIN t AS c"
        " ON b.s = c.s WHERE b.s = a.s AND EXISTS (SELECT 1 FROM v WHERE v.s = c.s))"
    ),
    "a product of reals": "SELECT r * r, (r * r) + (r + r) FROM t",
    "a column equal to itself": "SELECT LOWER(s) FROM u WHERE s = s",
    "one row by an aggregate": "SELECT 1 FROM (SELECT SUM(q) AS e FROM x) AS d",
    "one row by an aggregate with HAVING": (
        "SELECT 1 FROM (SELECT SUM(q) AS e FROM x HAVING COUNT(*) > 1) AS d"
    ),
    "an aggregate used in a subquery": (
        "SELECT IIF(NOT EXISTS (SELECT 1 FROM t AS b WHERE b.a = d.e), 1, 2)"
        " FROM (SELECT q, SUM(q) AS e FROM x GROUP BY q) AS d"
    ),
    "a derived table that looks outside": (
        "SELECT v.s FROM v, t WHERE EXISTS (SELECT 1 FROM v AS d JOIN"
        " (SELECT a AS c FROM x, t AS f WHERE f.b > t.b) AS e ON e.c = d.a WHERE d.s = v.s)"
    ),
    "grouping by a column equal to a key": "SELECT COUNT(*) FROM t WHERE b = id GROUP BY b",
    "a constant in GROUP BY": "SELECT SUM(a) FROM t GROUP BY 1 + 0",
    "a negative constant in ORDER BY": "SELECT -1, id FROM t ORDER BY 1, 2",
    "IS with a comparison": "SELECT q FROM x WHERE q IS (1 = 1)",
    "an aggregate of outer columns": "SELECT w, id, (SELECT COUNT(u.id) FROM v) FROM u",
    "conditions before a LEFT JOIN's source": (
        "SELECT t.id FROM t LEFT JOIN v ON t.id AND t.s JOIN u ON t.id = u.t_id"
    ),
    "keys of two tables that determine each other": (
        "SELECT COUNT(q2.t_id), COUNT(*), q2.a FROM u AS q1 LEFT JOIN v AS q2 ON q1.s = q2.s"
        " WHERE 3 > q2.a GROUP BY q2.t_id, q1.s, q2.a"
    ),
    "a derived table beside the equal of an outer column": (
        "SELECT a.id FROM t AS a WHERE EXISTS (SELECT 1 FROM (SELECT w FROM u WHERE w = a.id"
        " LIMIT 2) AS d JOIN t AS b ON b.s IS NOT a.s WHERE b.id = a.id AND d.w > 1)"
    ),
    "an aggregate inside an aggregate": (
        "SELECT COUNT(CASE WHEN (SELECT COUNT(*) FROM u) != t_id THEN 1 END), COUNT(id) FROM u"
    ),
    "OR below AND": "SELECT id FROM t WHERE a > 1 AND (b > 2 OR s = 'a') AND r > 0",
}
PAIRS = {
    "an inner ON before a RIGHT JOIN": (
        "SELECT 1 FROM t JOIN u ON t.a = u.w RIGHT JOIN u AS z ON z.id = t.id",
        "SELECT 1 FROM t CROSS JOIN u RIGHT JOIN u AS z ON z.id = t.id WHERE t.a = u.w",
    ),
    "whose aggregate it is": (
        "SELECT DISTINCT w, id, (SELECT COUNT(*) FROM v) FROM u",
        "SELECT DISTINCT w, id, (SELECT COUNT(u.id) FROM v) FROM u",
    ),
    "a column from around in what an outer join fills": (
        "SELECT t.id, (SELECT COUNT(d.z) FROM u LEFT JOIN (SELECT t.b AS z, a FROM v) AS d"
        " ON d.a = u.id) FROM t",
        "SELECT t.id, (SELECT COUNT(*) FROM u JOIN v AS d ON d.a = u.id WHERE t.b IS NOT NULL)"
        " FROM t",
    ),
    "conditions of a join of copies": (
        "SELECT 1, b.b FROM t AS a JOIN t AS b ON a.id = b.id AND b.b IS NOT 3",
        "SELECT 1, b.b FROM t AS a JOIN t AS b ON a.id = b.id AND b.r IS NOT 3",
    ),
}


@pytest.mark.parametrize("sql", QUERIES.values(), ids=list(QUERIES))
def test_a_query_that_once_came_out_wrong(sql: str) -> None:
    assert examine(sql, FACTS, instances=120) is None


@pytest.mark.parametrize("pair", PAIRS.values(), ids=list(PAIRS))
def test_a_pair_that_was_once_proved_and_is_different(pair: tuple[str, str]) -> None:
    assert compare(*pair, instances=120) is None
    assert not prove(*pair, SCHEMA).proved


def test_columns_are_paired_where_copies_of_a_table_are_told_apart_by_them() -> None:
    gold = "SELECT b.id, a.s, '1' FROM u AS a RIGHT JOIN u AS b ON a.w = b.w"
    prediction = "SELECT '1', a.s, b.id FROM u AS a RIGHT JOIN u AS b ON a.w = b.w"
    proof = prove(gold, prediction, SCHEMA)
    assert isinstance(proof, Proof)
    assert proof.columns == (2, 1, 0)
    assert check_proof(proof, SCHEMA).holds
