"""Relations of shape: where they hold, where they stay silent, what their proofs say."""

from __future__ import annotations

import json
import sqlite3
import subprocess
import sys
from typing import Any

import pytest
from msgspec import structs

from sqlverdict.compare.preset import QueryPair
from sqlverdict.compare.related.relate import MOST_CELLS, relate, verify_relation
from sqlverdict.compare.relation import RELATIONS
from sqlverdict.errors import UnknownMember
from sqlverdict.files.sqlite import open_in_memory
from sqlverdict.records import Answer, Contract, Failure, Outcome, Reason, Relation, Row

PLAIN = QueryPair("SELECT * FROM t", "SELECT * FROM u")
ORDERED = QueryPair("SELECT * FROM t ORDER BY a", "SELECT * FROM u")


def answer(rows: list[Row]) -> Answer:
    width = len(rows[0]) if rows else 0
    return Answer(tuple(f"c{i}" for i in range(width)), rows)


def related(gold: list[Row], prediction: list[Row], pair: QueryPair = PLAIN) -> dict[str, Any]:
    """The relations found, by kind; each proof is checked after a trip through JSON."""
    left, right = answer(gold), answer(prediction)
    result = relate(left, right, pair)
    for relation in result:
        text = json.dumps(relation.detail, allow_nan=False)
        assert json.loads(text) == relation.detail
        assert verify_relation(Relation(relation.kind, json.loads(text)), left, right, pair)
    assert len({relation.kind for relation in result}) == len(result)
    return {relation.kind: relation.detail for relation in result}


PEOPLE: list[Row] = [("Ann", 31, 1.5), ("Bob", 44, 2.5), ("Cyd", 31, 4.0)]


@pytest.mark.parametrize(
    ("gold", "prediction"),
    [
        ([], []),
        ([], [(1,)]),
        ([(1,)], []),
        ([(1,)], [(1,)]),
        ([(1,), (2,)], [(2,), (1,)]),
        ([("a",)], [("b",)]),
        ([(12,)], [(13,)]),
        ([(12, "x")], [(13, "y")]),
        ([("abc",)], [(7,)]),
        ([(None,)], [(0,)]),
        ([(None,)], [("",)]),
        ([(b"\xff\xfe",)], [("x",)]),
        ([(float("nan"),)], [(1.0,)]),
        ([(1e300,)], [(1e302,)]),
        ([(10**400,)], [(10**402,)]),
        ([(0,), (0,)], [(0.0,), (100,)]),
    ],
)
def test_nothing_is_claimed(gold: list[Row], prediction: list[Row]) -> None:
    assert related(gold, prediction) == {}


def test_column_permutation() -> None:
    prediction: list[Row] = [(row[2], row[0], row[1]) for row in PEOPLE]
    relation = related(PEOPLE, prediction)
    assert relation == {"column_permutation": {"columns": [1, 2, 0], "order": "free"}}
    assert related(PEOPLE, prediction[::-1], ORDERED)["column_permutation"]["order"] == "other"
    assert related(PEOPLE, prediction, ORDERED)["column_permutation"]["order"] == "same"


def test_column_permutation_does_not_tear_rows() -> None:
    assert related([(1, 2), (3, 4)], [(2, 3), (4, 1)]) == {}


def test_extra_columns_keeps_the_association() -> None:
    prediction: list[Row] = [(9, row[1], "x", row[0], row[2]) for row in PEOPLE]
    assert related(PEOPLE, prediction) == {
        "extra_columns": {"columns": [3, 1, 4], "extra": [0, 2], "order": "free"}
    }
    torn: list[Row] = [("Ann", 44, 1.5, 0), ("Bob", 31, 2.5, 0), ("Cyd", 31, 4.0, 0)]
    assert related(PEOPLE, torn) == {}


def test_extra_columns_finds_the_one_of_two_like_columns_that_fits() -> None:
    gold: list[Row] = [("Ann", 31), ("Bob", 44)]
    prediction: list[Row] = [(44, "Ann", 31), (31, "Bob", 44)]
    assert related(gold, prediction)["extra_columns"]["columns"] == [1, 2]


@pytest.mark.parametrize(
    ("rows", "is_weak"),
    [
        ([(1,)], True),
        ([(0,)], True),
        ([(None,)], True),
        ([("Y",)], True),
        ([(100,)], True),
        ([(1, 0)], True),
        ([("USA",), ("USA",)], True),
        ([("USA",)], False),
        ([(31,)], False),
        ([(1, "Ann")], False),
        ([(1,), (2,)], False),
    ],
)
def test_a_proof_that_may_be_chance_is_weak(rows: list[Row], is_weak: bool) -> None:
    relation = related(rows, [(*row, "other") for row in rows])
    assert relation["extra_columns"].get("weak", False) is is_weak


def test_missing_columns() -> None:
    prediction: list[Row] = [(row[1], row[0]) for row in PEOPLE]
    assert related(PEOPLE, prediction) == {
        "missing_columns": {"columns": [1, 0, None], "missing": [2], "order": "free"}
    }
    assert related(PEOPLE, [("Ann", 31), ("Bob", 44), ("Cyd", 30)]) == {}


def test_rows_of_nulls_alone() -> None:
    gold: list[Row] = [*PEOPLE, (None, None, None)]
    relation = related(gold, PEOPLE)
    assert list(relation) == ["null_rows", "row_subset"]
    assert relation["null_rows"] == {
        "columns": [0, 1, 2],
        "gold_rows": 1,
        "prediction_rows": 0,
        "order": "same",
    }
    backwards = related(PEOPLE, [(None, None, None), *reversed(PEOPLE), (None, None, None)])
    assert (backwards["null_rows"]["prediction_rows"], backwards["null_rows"]["order"]) == (
        2,
        "other",
    )
    assert "null_rows" not in related([*PEOPLE, ("Dan", None, None)], PEOPLE)
    assert "null_rows" not in related([(None,), (None,)], [(None,)]), "nothing is left"


def test_row_subset_and_superset() -> None:
    prediction: list[Row] = [(44, "Bob", 2.5)]
    assert related(PEOPLE, prediction) == {
        "row_subset": {
            "columns": [1, 0, 2],
            "missing": 2,
            "examples": [["Ann", 31, 1.5], ["Cyd", 31, 4.0]],
        }
    }
    assert related(prediction, PEOPLE) == {
        "row_superset": {
            "columns": [1, 0, 2],
            "extra": 2,
            "examples": [[31, "Ann", 1.5], [31, "Cyd", 4.0]],
        }
    }
    assert related(PEOPLE, [("Ann", 44, 1.5)]) == {}


def test_row_subset_counts_repetitions() -> None:
    assert related([("a",), ("b",), ("c",)], [("a",), ("a",)]) == {}
    assert related([(5,), (6,), (7,)], [(5,)])["row_subset"]["weak"] is True


def test_row_examples_are_json() -> None:
    gold: list[Row] = [(b"\x00\xff",), (float("inf"),), ("\ud800",), ("kept",)]
    relation = related(gold, [("kept",)])
    assert relation["row_subset"]["examples"] == [["x'00ff'"], ["inf"], ["?"]]


def test_duplicates_only() -> None:
    gold: list[Row] = [("a", 1), ("a", 1), ("b", 2)]
    assert related(gold, [("a", 1), ("b", 2)]) == {
        "duplicates_only": {
            "columns": [0, 1],
            "gold_rows": 3,
            "prediction_rows": 2,
            "distinct": 2,
            "examples": [{"row": ["a", 1], "gold": 2, "prediction": 1}],
        }
    }
    assert list(related(gold, [(1, "a"), (2, "b"), (2, "b")])) == ["duplicates_only"]
    assert "duplicates_only" not in related(gold, [("a", 1), ("c", 2)])


def test_order_only_where_gold_orders() -> None:
    gold: list[Row] = [(1,), (2,), (3,)]
    prediction: list[Row] = [(1,), (3,), (2,)]
    assert related(gold, prediction, ORDERED) == {"order_only": {"first": 1, "rows": [[2], [3]]}}
    assert related(gold, prediction, PLAIN) == {}
    respect = structs.replace(PLAIN, contract=Contract(order="respect"))
    assert list(related(gold, prediction, respect)) == ["order_only"]
    ignore = structs.replace(ORDERED, contract=Contract(order="ignore"))
    assert related(gold, prediction, ignore) == {}


@pytest.mark.parametrize(
    ("sql", "ordered"),
    [
        ("SELECT a FROM t order  by a", True),
        ("WITH x AS (SELECT 1) SELECT * FROM x ORDER/**/BY 1 LIMIT 3", True),
        ("SELECT a FROM (SELECT a FROM t ORDER BY a)", False),
        ("SELECT row_number() OVER (ORDER BY a) FROM t", False),
        ("SELECT 'x ORDER BY a' FROM t -- ORDER BY a", False),
    ],
)
def test_an_order_by_counts_on_the_outside_only(sql: str, ordered: bool) -> None:
    relation = related([(1,), (2,)], [(2,), (1,)], QueryPair(sql))
    assert ("order_only" in relation) is ordered


class Shop:
    """A database for ties: b and c share second place."""

    def __init__(self) -> None:
        self.connection = open_in_memory()
        self.connection.executescript(
            "CREATE TABLE t (name TEXT, points INT);"
            "INSERT INTO t VALUES ('a', 9), ('b', 7), ('c', 7), ('d', 7), ('e', 5);"
        )
        self.probes: list[str] = []

    def run(self, sql: str) -> Outcome:
        try:
            cursor = self.connection.execute(sql)
        except sqlite3.Error as error:
            return Failure(Reason.EXECUTION_ERROR, str(error))
        return Answer(tuple(d[0] for d in cursor.description), cursor.fetchall())

    def probe(self, sql: str) -> Outcome:
        self.probes.append(sql)
        return self.run(sql)

    def related(self, gold: str, prediction: str) -> dict[str, Any]:
        left, right = self.run(gold), self.run(prediction)
        assert isinstance(left, Answer)
        assert isinstance(right, Answer)
        return related(left.rows, right.rows, QueryPair(gold, prediction, probe=self.probe))


TOP_2 = "SELECT name, points FROM t ORDER BY points DESC LIMIT 2"
TOP_3 = "SELECT name, points FROM t ORDER BY points DESC LIMIT 3"
WITH_TIES = "SELECT points, name FROM t WHERE points >= 7"


def test_tie_superset() -> None:
    relation = Shop().related(TOP_2, WITH_TIES)
    assert list(relation) == ["tie_superset", "row_superset"]
    assert relation["tie_superset"] == {
        "columns": [1, 0],
        "limited": "gold",
        "limit": 2,
        "offset": 0,
        "key": [7],
        "tied": 3,
        "extra": 2,
    }


def test_tie_superset_mirrored() -> None:
    relation = Shop().related(WITH_TIES, TOP_2)
    assert list(relation) == ["tie_superset", "row_subset"]
    assert relation["tie_superset"]["limited"] == "prediction"


@pytest.mark.parametrize(
    ("gold", "prediction"),
    [
        ("SELECT name FROM t ORDER BY points DESC LIMIT 1", "SELECT name FROM t WHERE points > 5"),
        ("SELECT name FROM t ORDER BY points DESC LIMIT 2", "SELECT name FROM t"),
        (TOP_2, TOP_3),
        ("SELECT name FROM t ORDER BY points LIMIT 2 OFFSET 2", "SELECT name FROM t"),
        ("SELECT name FROM t LIMIT 2", "SELECT name FROM t"),
        ("SELECT name FROM t ORDER BY random() LIMIT 1", "SELECT name FROM t"),
    ],
)
def test_no_tie_superset(gold: str, prediction: str) -> None:
    assert "tie_superset" not in Shop().related(gold, prediction)


def test_ties_are_probed_only_where_the_rows_suggest_one() -> None:
    shop = Shop()
    shop.related(TOP_2, "SELECT name, points + 1 FROM t WHERE points >= 7")
    shop.related(TOP_2, "SELECT points, name FROM t WHERE points = 9")
    shop.related("SELECT name FROM t WHERE points = 9", "SELECT name FROM t")
    assert shop.probes == []


def test_a_probe_that_fails_claims_nothing() -> None:
    def fail(sql: str) -> Outcome:
        return Failure(Reason.EXECUTION_TIMEOUT, "too slow")

    shop = Shop()
    left, right = shop.run(TOP_2), shop.run("SELECT name, points FROM t WHERE points >= 7")
    assert isinstance(left, Answer)
    assert isinstance(right, Answer)
    pair = QueryPair(TOP_2, "", probe=fail)
    assert [relation.kind for relation in relate(left, right, pair)] == ["row_superset"]


def test_verify_rejects_other_proofs() -> None:
    gold, prediction = answer([("Ann", 0.31), ("Bob", 0.44)]), answer([(31, "Ann"), (44, "Bob")])
    (relation,) = relate(gold, prediction, PLAIN)
    assert relation.kind == "scale"
    good = dict(relation.detail)
    entry = good["changed"][0]
    for wrong in (
        {**good, "columns": [0, 1]},
        {**good, "columns": [1, 1]},
        {**good, "columns": [1]},
        {**good, "order": "same"},
        {**good, "weak": True},
        {**good, "extra": [1]},
        {**good, "changed": []},
        {**good, "changed": [{**entry, "factor": 1000}]},
        {**good, "changed": [{**entry, "factor": 7}]},
        {**good, "changed": [{**entry, "gold": 0}]},
        {"columns": [1, 0]},
        {},
    ):
        assert not verify_relation(Relation("scale", wrong), gold, prediction, PLAIN), wrong
    assert not verify_relation(relation, gold, answer([(31, "Ann"), (45, "Bob")]), PLAIN)
    assert not verify_relation(relation, gold, answer([]), PLAIN)


def test_verify_knows_its_kinds() -> None:
    with pytest.raises(UnknownMember) as unknown:
        verify_relation(Relation("twins"), answer([(1,)]), answer([(2,)]), PLAIN)
    assert (unknown.value.kind, unknown.value.name) == ("relation", "twins")
    for kind in RELATIONS.names():
        assert not verify_relation(Relation(kind), answer([(1,)]), answer([(2,)]), PLAIN)


@pytest.mark.slow
def test_above_the_cap_only_cheap_relations() -> None:
    height = MOST_CELLS // 4 + 1
    gold: list[Row] = [(i, i % 7) for i in range(height)]
    assert list(related(gold, [(row[1], row[0]) for row in gold])) == ["column_permutation"]
    assert list(related(gold, [(*row, 1) for row in gold])) == ["extra_columns"]
    assert list(related(gold, gold[1:])) == ["row_subset"]
    assert list(related(gold, [*gold, gold[0]])) == ["duplicates_only"]
    assert related(gold, [(str(row[0]), row[1]) for row in gold]) == {}
    small = gold[: height - 2]
    assert list(related(small, [(str(row[0]), row[1]) for row in small])) == ["formats"]


def test_many_like_columns_end_soon() -> None:
    """Thirty columns of like content: the search gives up rather than trying all orders."""
    gold: list[Row] = [tuple((i * j) % 2 for j in range(30)) for i in range(40)]
    prediction: list[Row] = [tuple((i * j + j) % 2 for j in range(32)) for i in range(40)]
    related(gold, prediction)


def test_the_import_stays_light() -> None:
    script = "import sys, sqlverdict.compare.related.relate; sys.exit('sqlglot' in sys.modules)"
    subprocess.run([sys.executable, "-c", script], check=True)
