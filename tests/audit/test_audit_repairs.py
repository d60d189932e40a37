"""Each way to find a better gold: a gold that it changes, with its new answer, and golds it leaves."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import pytest

from sqlverdict.audit.gold_report import SystemAnswer, query_key
from sqlverdict.audit.repair import REPAIRS, CandidateGold, RepairSubject
from sqlverdict.execute.engine import Limits
from sqlverdict.execute.query_runner import QueryRunner
from sqlverdict.parse.query import parse
from sqlverdict.records import Answer, Outcome, Query, Result, Row, Verdict
from sqlverdict.signs.sign import Subject

DATA = """
CREATE TABLE city (id INTEGER PRIMARY KEY, name TEXT, people INTEGER, area REAL, height TEXT);
INSERT INTO city VALUES (1, 'Oslo', 701, 0.1, '9'), (2, 'Bergen', 280, 0.2, '10'),
  (3, 'Hamar', 30, 0.3, '123'), (4, 'Larvik', 30, 0.4, '30'), (5, 'Moss', NULL, 0.5, '25');
CREATE TABLE shop (id INTEGER PRIMARY KEY, city_id INTEGER REFERENCES city (id), kind TEXT);
INSERT INTO shop VALUES (11, 1, 'books'), (12, 1, 'tea'), (13, 2, 'tea'), (14, 2, 'tea');
CREATE TABLE sale (id INTEGER PRIMARY KEY, shop_id INTEGER REFERENCES shop (id), price INTEGER);
INSERT INTO sale VALUES (1, 11, 5), (2, 11, 7), (3, 12, 5), (4, 13, 2);
"""


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("repairs") / "shop.sqlite"
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(DATA)
    return path


@pytest.fixture(scope="module")
def runner() -> Iterator[QueryRunner]:
    runner = QueryRunner("sqlite", Limits(), None)
    yield runner
    runner.close()


@dataclass(frozen=True)
class Change:
    """A gold that a way changes; ``rows`` is the new answer, ``part`` stands in the new text."""

    way: str
    gold: str
    part: str
    rows: list[Row]


CHANGES = (
    Change(
        "distinct_rows",
        "SELECT c.name FROM city AS c JOIN shop AS s ON s.city_id = c.id WHERE s.kind = 'tea'",
        "SELECT DISTINCT",
        [("Bergen",), ("Oslo",)],
    ),
    Change("distinct_count", "SELECT COUNT(kind) FROM shop", "COUNT(DISTINCT kind)", [(2,)]),
    Change(
        "whole_tie",
        "SELECT name FROM city WHERE people > 0 ORDER BY people LIMIT 1",
        "(SELECT MIN(people) FROM city WHERE people > 0)",
        [("Hamar",), ("Larvik",)],
    ),
    Change(
        "whole_tie",
        "SELECT c.name, COUNT(*) AS n FROM city AS c JOIN shop AS s ON s.city_id = c.id "
        "GROUP BY c.id ORDER BY n DESC LIMIT 1",
        "HAVING COUNT(*) = (SELECT COUNT(*)",
        [("Bergen", 2), ("Oslo", 2)],
    ),
    Change(
        "whole_tie",
        "SELECT id FROM city WHERE name = (SELECT name FROM city WHERE people > 0 "
        "ORDER BY people LIMIT 1)",
        "name IN (SELECT name",
        [(3,), (4,)],
    ),
    Change(
        "known_sort_key",
        "SELECT name FROM city ORDER BY people LIMIT 1",
        "NOT people IS NULL",
        [("Hamar",)],
    ),
    Change(
        "uncut_rows", "SELECT kind FROM shop LIMIT 1", "FROM shop", [("books",), *[("tea",)] * 3]
    ),
    Change(
        "cut_before_aggregate",
        "SELECT SUM(people) FROM city ORDER BY people DESC LIMIT 2",
        "LIMIT 2) AS cut_rows",
        [(981,)],
    ),
    Change(
        "cut_before_aggregate",
        "SELECT COUNT(*) FROM city ORDER BY people DESC LIMIT 2",
        "COUNT(cut_value)",
        [(2,)],
    ),
    Change("real_division", "SELECT SUM(people) / COUNT(*) FROM city", "CAST(", [(208.2,)]),
    Change(
        "literal_spelling",
        "SELECT id FROM city WHERE name = 'oslo'",
        "name = 'Oslo'",
        [(1,)],
    ),
    Change(
        "number_order",
        "SELECT name FROM city ORDER BY height DESC LIMIT 1",
        "CAST(height AS REAL)",
        [("Hamar",)],
    ),
    Change(
        "literal_column",
        "SELECT s.id FROM city AS c JOIN shop AS s ON s.city_id = c.id WHERE c.name = 'books'",
        "s.\"kind\" = 'books'",
        [(11,)],
    ),
    Change(
        "declared_join",
        "SELECT s.kind FROM city AS c JOIN shop AS s ON s.id = s.city_id WHERE c.name = 'Oslo'",
        's."city_id" = c."id"',
        [("books",), ("tea",)],
    ),
    Change(
        "needed_tables",
        "SELECT COUNT(s.id) FROM shop AS s JOIN sale AS p ON p.shop_id = s.id",
        "FROM shop AS s",
        [(4,)],
    ),
    Change(
        "needed_tables",
        "SELECT SUM(p.price) FROM city AS c JOIN shop AS s ON s.city_id = c.id "
        "JOIN sale AS p ON p.shop_id = s.id",
        "FROM sale AS p",
        [(19,)],
    ),
    Change(
        "needed_tables",
        "SELECT c.name, p.price FROM city AS c JOIN shop AS s ON s.id = c.id "
        "JOIN sale AS p ON p.id = s.id",
        "c.id = p.id",
        [("Bergen", 7), ("Hamar", 5), ("Larvik", 2), ("Oslo", 5)],
    ),
    Change(
        "or_in_parentheses",
        "SELECT id FROM shop WHERE city_id = 1 AND kind = 'books' OR kind = 'tea'",
        "(kind = 'books' OR kind = 'tea')",
        [(11,), (12,)],
    ),
)

LEAVES = (
    ("distinct_rows", "SELECT name FROM city"),
    ("distinct_rows", "SELECT DISTINCT kind FROM shop"),
    ("distinct_rows", "SELECT kind FROM shop UNION ALL SELECT kind FROM shop"),
    ("distinct_count", "SELECT COUNT(*) FROM shop"),
    ("distinct_count", "SELECT COUNT(DISTINCT kind) FROM shop"),
    ("whole_tie", "SELECT name FROM city ORDER BY people LIMIT 2"),
    ("whole_tie", "SELECT name FROM city ORDER BY people, name LIMIT 1"),
    ("whole_tie", "SELECT name FROM city ORDER BY people LIMIT 1 OFFSET 1"),
    ("known_sort_key", "SELECT name FROM city ORDER BY people DESC LIMIT 1"),
    ("uncut_rows", "SELECT name FROM city ORDER BY people LIMIT 1"),
    ("uncut_rows", "SELECT COUNT(*) FROM city LIMIT 1"),
    ("cut_before_aggregate", "SELECT name FROM city ORDER BY people LIMIT 1"),
    ("cut_before_aggregate", "SELECT SUM(people), COUNT(*) FROM city ORDER BY people LIMIT 2"),
    ("real_division", "SELECT SUM(people) * 1.0 / COUNT(*) FROM city"),
    ("real_division", "SELECT CAST(SUM(people) AS REAL) / COUNT(*) FROM city"),
    ("literal_spelling", "SELECT id FROM city WHERE name = 'Oslo'"),
    ("literal_spelling", "SELECT id FROM city WHERE name = 'Rome'"),
    ("number_order", "SELECT name FROM city ORDER BY people DESC LIMIT 1"),
    ("literal_column", "SELECT id FROM city WHERE name = 'Oslo'"),
    ("literal_column", "SELECT id FROM city WHERE name = 'tea'"),
    ("declared_join", "SELECT s.kind FROM city AS c JOIN shop AS s ON s.city_id = c.id"),
    ("needed_tables", "SELECT c.name, s.kind FROM city AS c JOIN shop AS s ON s.city_id = c.id"),
    ("needed_tables", "SELECT c.name FROM city AS c LEFT JOIN shop AS s ON s.city_id = c.id"),
    (
        "needed_tables",
        "SELECT c.name, p.price FROM city AS c JOIN shop AS s ON s.city_id = c.id "
        "JOIN sale AS p ON p.shop_id = s.id",
    ),
    ("or_in_parentheses", "SELECT id FROM shop WHERE (city_id = 1 AND kind = 'tea') OR id = 14"),
    ("or_in_parentheses", "SELECT id FROM shop WHERE kind = 'tea' OR kind = 'books'"),
)


def gold_of(database: Path, runner: QueryRunner, sql: str) -> RepairSubject:
    def run(text: str) -> Outcome:
        return runner.run(str(database), text)

    query = parse(sql)
    assert isinstance(query, Query)
    return RepairSubject(Subject(query, runner.schema(str(database)), run))


def look(database: Path, runner: QueryRunner, way: str, sql: str) -> list[CandidateGold]:
    return list(REPAIRS.get(way).look(gold_of(database, runner, sql)))


@pytest.mark.parametrize("change", CHANGES, ids=lambda each: f"{each.way} {each.part[:20]}")
def test_a_way_changes_its_gold(database: Path, runner: QueryRunner, change: Change) -> None:
    (candidate,) = look(database, runner, change.way, change.gold)
    assert candidate.source == change.way
    assert change.part in candidate.sql
    answer = runner.run(str(database), candidate.sql)
    assert isinstance(answer, Answer)
    assert sorted(answer.rows, key=repr) == sorted(change.rows, key=repr)


@pytest.mark.parametrize(("way", "gold"), LEAVES)
def test_a_way_leaves_other_golds(database: Path, runner: QueryRunner, way: str, gold: str) -> None:
    assert look(database, runner, way, gold) == []


def test_every_way_has_a_gold_that_it_changes_and_one_that_it_leaves() -> None:
    ways = set(REPAIRS.names()) - {"system_answers"}
    assert {each.way for each in CHANGES} == ways
    assert {way for way, _ in LEAVES} == ways
    assert all(REPAIRS.get(name).title for name in REPAIRS.names())


def test_a_way_changes_no_tree_but_its_copy(database: Path, runner: QueryRunner) -> None:
    for change in CHANGES:
        gold = gold_of(database, runner, change.gold)
        before = gold.query.tree.sql("sqlite")
        for name in REPAIRS.names():
            list(REPAIRS.get(name).look(gold))
        assert gold.query.tree.sql("sqlite") == before


def test_systems_with_one_answer_are_one_candidate_by_proof(
    database: Path, runner: QueryRunner
) -> None:
    gold = "SELECT COUNT(kind) FROM shop"
    queries = {
        "a": "SELECT COUNT(DISTINCT kind) FROM shop",
        "b": "SELECT COUNT(DISTINCT s.kind) FROM shop AS s;",
        "c": "SELECT 2",
        "d": "SELECT COUNT(*) FROM city",
        "e": "SELECT nothing FROM shop",
    }
    schema = runner.schema(str(database))
    answers = []
    for system, sql in queries.items():
        case = Result(0, "1", "shop", "?", (gold,), sql, False, Verdict.INCORRECT)
        outcome = runner.run(str(database), sql)
        answer = outcome if isinstance(outcome, Answer) else None
        answers.append(SystemAnswer(system, case, query_key(sql, schema), answer))
    plain = gold_of(database, runner, gold)
    subject = RepairSubject(plain.subject, answers)
    first, second = REPAIRS.get("system_answers").look(subject)
    assert first.systems == ("a", "b", "c")
    assert first.proved == ("a", "b")
    assert first.sql == queries["a"]
    assert second.systems == ("d",)


def test_a_gold_that_cannot_be_read_has_no_tree() -> None:
    subject = RepairSubject(None)
    assert not subject.is_readable
    with pytest.raises(LookupError):
        _ = subject.query
