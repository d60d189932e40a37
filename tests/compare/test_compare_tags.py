"""Tags: what differs between two queries, and nothing where only the spelling does."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sqlverdict.compare.query.parts import parts_of_both
from sqlverdict.compare.relation import RELATIONS
from sqlverdict.compare.tag_labels import (
    DIFFERENCE_LABELS,
    DIFFERENCES,
    ERROR_LABELS,
    ERRORS,
    difference_labels,
    error_labels,
)
from sqlverdict.compare.tags import TAGS, clauses_of, find_tags, is_nullable
from sqlverdict.evidence_parts import Tag
from sqlverdict.parse.query import parse
from sqlverdict.parse.schema import Schema
from sqlverdict.parse.schemas.ddl import read_ddl
from sqlverdict.records import Query

DDL = """
CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT NOT NULL, team_id INTEGER, born TEXT,
    weight REAL, FOREIGN KEY (team_id) REFERENCES team (id));
CREATE TABLE team (id INTEGER PRIMARY KEY, name TEXT NOT NULL, city TEXT, code TEXT);
CREATE TABLE game (id INTEGER PRIMARY KEY, team_id INTEGER NOT NULL, score INTEGER, day TEXT);
"""


@pytest.fixture(scope="module")
def schema() -> Schema:
    return read_ddl(DDL, "league")


def names(gold: str, prediction: str, schema: Schema | None = None) -> set[str]:
    return {tag.name for tag in find_tags(gold, prediction, schema)}


SAME = [
    ("SELECT name FROM player", "select T1.NAME from player as T1;"),
    ("SELECT name FROM player WHERE weight > 5 AND born = 'x'",
     "SELECT name FROM player WHERE born = 'x' AND 5 < weight"),
    ("SELECT name FROM player WHERE weight BETWEEN 1 AND 2",
     "SELECT name FROM player WHERE weight >= 1 AND weight <= 2"),
    ("SELECT name FROM player WHERE team_id IN (1, 2)",
     "SELECT name FROM player WHERE team_id = 2 OR team_id = 1"),
    ("SELECT name FROM player WHERE weight = '8.0'", "SELECT name FROM player WHERE weight = 8"),
    ("SELECT CAST(SUM(weight) AS REAL) / 2 FROM player",
     "SELECT SUM(weight) * 1.0 / 2 FROM player"),
    ("SELECT COUNT(CASE WHEN weight > 1 THEN 1 END) FROM player",
     "SELECT COUNT(CASE WHEN weight > 1 THEN 1 ELSE NULL END) AS n FROM player"),
    ("SELECT p.name FROM player p JOIN team t ON p.team_id = t.id WHERE t.id = 3",
     "SELECT p.name FROM team t JOIN player p ON t.id = p.team_id WHERE p.team_id = 3"),
    ("SELECT name AS n FROM player ORDER BY n LIMIT 3 OFFSET 0",
     "SELECT name FROM player ORDER BY name LIMIT 3"),
    ('SELECT name FROM team WHERE city = "Rome"', "SELECT name FROM team WHERE city = 'Rome'"),
]  # fmt: skip


@pytest.mark.parametrize(("gold", "prediction"), SAME)
def test_spelling_is_no_difference(gold: str, prediction: str, schema: Schema) -> None:
    assert names(gold, prediction, schema) == {"same_trees"}


DIFFERENT = [
    ("SELECT name FROM player", "SELECT name FROM team",
     {"other_tables", "same_name_column"}),
    ("SELECT name FROM team", "SELECT city FROM team", {"other_columns"}),
    ("SELECT name FROM team", "SELECT id FROM team", {"key_for_name"}),
    ("SELECT id FROM team", "SELECT team_id FROM player", {"other_tables", "other_columns"}),
    ("SELECT p.name FROM player p JOIN team t ON p.team_id = t.id",
     "SELECT p.name FROM player p JOIN team t ON p.id = t.id", {"other_join", "unrelated_join"}),
    ("SELECT p.name FROM player p JOIN team t ON p.team_id = t.id",
     "SELECT p.name FROM player p, team t WHERE t.id = p.team_id AND t.city = 'X'",
     {"condition_extra"}),
    ("SELECT name FROM player WHERE team_id IN (SELECT id FROM team WHERE city = 'X')",
     "SELECT p.name FROM player p JOIN team t ON p.team_id = t.id WHERE t.city = 'X'",
     {"subquery_missing"}),
    ("SELECT p.name FROM player p JOIN game g ON p.team_id = g.team_id",
     "SELECT p.name FROM player p JOIN game g USING (team_id)", set()),
    ("SELECT p.name FROM player p JOIN team t ON p.team_id = t.id",
     "SELECT p.name FROM player p LEFT JOIN team t ON p.team_id = t.id", {"outer_join"}),
    ("SELECT name FROM player WHERE weight > 5", "SELECT name FROM player", {"condition_missing"}),
    ("SELECT name FROM player", "SELECT name FROM player WHERE weight > 5", {"condition_extra"}),
    ("SELECT name FROM player WHERE weight > 5", "SELECT name FROM player WHERE weight > 6",
     {"value_changed"}),
    ("SELECT name FROM player WHERE weight > 5", "SELECT name FROM player WHERE weight >= 5",
     {"operator_changed"}),
    ("SELECT name FROM player WHERE name = 'Al'", "SELECT name FROM player WHERE name LIKE '%Al%'",
     {"operator_changed"}),
    ("SELECT name FROM player WHERE name LIKE 'Al'",
     "SELECT name FROM player WHERE name LIKE '%al%'", {"value_spelling"}),
    ("SELECT name FROM game JOIN team ON team_id = team.id WHERE day = '2010-07-19'",
     "SELECT name FROM game JOIN team ON team_id = team.id WHERE day = '2010-07-19 00:00:00'",
     {"value_spelling"}),
    ("SELECT name FROM player WHERE weight > 5", "SELECT name FROM player WHERE weight < 6 + 1",
     {"condition_changed"}),
    ("SELECT name FROM team WHERE city = 'X'", "SELECT name FROM team WHERE code = 'X'",
     {"column_changed"}),
    ("SELECT COUNT(*) FROM player", "SELECT COUNT(weight) FROM player",
     {"nullable_count", "count_object"}),
    ("SELECT COUNT(*) FROM player", "SELECT COUNT(name) FROM player", set()),
    ("SELECT COUNT(*) FROM player p LEFT JOIN game g ON p.team_id = g.team_id",
     "SELECT COUNT(g.id) FROM player p LEFT JOIN game g ON p.team_id = g.team_id",
     {"count_object"}),
    ("SELECT COUNT(*) FROM player p JOIN team t ON p.team_id = t.id",
     "SELECT COUNT(p.team_id) FROM player p JOIN team t ON p.team_id = t.id", set()),
    ("SELECT AVG(weight) FROM player", "SELECT SUM(weight) / COUNT(id) FROM player",
     {"nullable_average", "other_outputs"}),
    ("SELECT name FROM player ORDER BY weight LIMIT 1",
     "SELECT name FROM player WHERE weight IS NOT NULL ORDER BY weight LIMIT 1",
     {"null_condition"}),
    ("SELECT name FROM player WHERE weight > 1",
     "SELECT name FROM player WHERE weight > 1 AND weight IS NOT NULL", set()),
    ("SELECT name FROM player", "SELECT name FROM player WHERE name IS NOT NULL", set()),
    ("SELECT name FROM player WHERE weight = (SELECT MAX(weight) FROM player)",
     "SELECT name FROM player ORDER BY weight DESC LIMIT 1", {"ties", "subquery_missing"}),
    ("SELECT name FROM player WHERE weight = (SELECT MAX(weight) FROM player)",
     "SELECT name FROM player ORDER BY weight DESC LIMIT 7",
     {"ties", "limit_extra", "subquery_missing"}),
    ("SELECT name FROM player WHERE team_id IN (SELECT id FROM team WHERE city = 'X')",
     "SELECT name FROM player WHERE team_id = (SELECT id FROM team WHERE city = 'X')",
     {"scalar_subquery"}),
    ("SELECT DISTINCT name FROM player", "SELECT name FROM player", {"distinct_missing"}),
    ("SELECT COUNT(name) FROM player", "SELECT COUNT(DISTINCT name) FROM player",
     {"distinct_extra", "count_object"}),
    ("SELECT team_id, SUM(weight) FROM player GROUP BY team_id",
     "SELECT team_id, weight FROM player", {"aggregate_missing", "group_missing", "other_outputs"}),
    ("SELECT name FROM player", "SELECT name FROM player GROUP BY name", {"group_extra"}),
    ("SELECT COUNT(*) FROM player GROUP BY team_id", "SELECT COUNT(*) FROM player GROUP BY born",
     {"group_keys"}),
    ("SELECT team_id FROM game GROUP BY team_id HAVING COUNT(*) > 2",
     "SELECT team_id FROM game GROUP BY team_id HAVING COUNT(*) > 3", {"having_differs"}),
    ("SELECT name FROM player ORDER BY weight", "SELECT name FROM player", {"order_missing"}),
    ("SELECT name FROM player ORDER BY weight", "SELECT name FROM player ORDER BY weight DESC",
     {"order_keys"}),
    ("SELECT name FROM player LIMIT 3", "SELECT name FROM player LIMIT 4", {"limit_differs"}),
    ("SELECT name FROM player", "SELECT name FROM player LIMIT 4", {"limit_extra"}),
    ("SELECT name FROM player UNION SELECT name FROM team",
     "SELECT name FROM player UNION ALL SELECT name FROM team", {"set_operation"}),
    ("SELECT name, born FROM player", "SELECT born, name FROM player", {"output_order"}),
    ("SELECT name FROM player", "SELECT name, born FROM player", {"more_outputs"}),
    ("SELECT name, born FROM player", "SELECT name FROM player", {"fewer_outputs"}),
    ("SELECT name FROM player WHERE id = (SELECT id FROM player ORDER BY born LIMIT 1)",
     "SELECT name FROM player ORDER BY born LIMIT 1", {"first_row_subquery", "subquery_missing"}),
    ("SELECT name FROM player WHERE team_id IN (SELECT id FROM team WHERE id = 3)",
     "SELECT name FROM player WHERE team_id = (SELECT id FROM team WHERE id = 3)", set()),
    ("SELECT team_id, COUNT(*) FROM player GROUP BY team_id",
     "SELECT t.id, COUNT(*) FROM player p JOIN team t ON p.team_id = t.id GROUP BY t.id, t.name",
     {"other_tables"}),
    ("SELECT x.name FROM (SELECT name, weight FROM player) x WHERE x.weight > 5",
     "SELECT name FROM player WHERE weight > 5", {"subquery_missing"}),
    ("SELECT * FROM team", "SELECT id, name, city, code FROM team", set()),
    ("SELECT name FROM team WHERE code = '0017'", "SELECT name FROM team WHERE code = '17'",
     {"value_changed"}),
]  # fmt: skip


@pytest.mark.parametrize(("gold", "prediction", "expected"), DIFFERENT)
def test_each_difference_has_its_tag(
    gold: str, prediction: str, expected: set[str], schema: Schema
) -> None:
    assert names(gold, prediction, schema) == (expected or {"same_trees"})


def test_a_condition_beside_the_join_of_the_same_tables_is_a_condition(schema: Schema) -> None:
    gold = (
        "SELECT t.name FROM game g JOIN team t ON g.team_id = t.id WHERE g.day = t.code "
        "AND g.score = 1"
    )
    prediction = "SELECT t.name FROM game g JOIN team t ON g.team_id = t.id WHERE g.score = 1"
    assert names(gold, prediction, schema) == {"condition_missing"}


def test_columns_of_an_unknown_table_may_be_any_of_that_name() -> None:
    gold = "SELECT city FROM player p JOIN team t ON p.team_id = t.id"
    prediction = "SELECT t.city FROM player p JOIN team t ON p.team_id = t.id"
    assert "other_columns" not in names(gold, prediction)


def test_without_a_schema_every_column_may_be_null(schema: Schema) -> None:
    gold, prediction = "SELECT COUNT(*) FROM player", "SELECT COUNT(name) FROM player"
    assert "nullable_count" in names(gold, prediction)
    assert "nullable_count" not in names(gold, prediction, schema)
    assert is_nullable("player.weight", schema)
    assert is_nullable("?.name", schema)
    assert not is_nullable("PLAYER.Name", schema)


def test_results_speak_before_queries() -> None:
    tags = find_tags("SELECT a, b FROM t", "SELECT b, a FROM t", relations=["column_permutation"])
    assert [tag.name for tag in tags] == ["column_order", "output_order"]
    assert clauses_of(tags) == ("select",)
    failed = find_tags("SELECT a FROM t", "SELECT x FROM u", reasons=["EXECUTION_ERROR"])
    assert [tag.name for tag in failed] == ["fails", "other_tables", "other_columns"]


@pytest.mark.parametrize(
    ("sql", "tag"),
    [
        ("SELEC 1", "syntax_error"),
        ("", "not_read"),
        ("DROP TABLE t", "not_read"),
        ("SELECT 1; SELECT 2", "several_statements"),
    ],
)
def test_what_cannot_be_parsed_is_said(sql: str, tag: str) -> None:
    assert names("SELECT 1", sql) == {tag}
    assert names(sql, "SELECT 1") == {"not_read"}


def test_a_parsed_query_is_not_changed(schema: Schema) -> None:
    query = parse("SELECT p.name FROM player p JOIN team t ON p.team_id = t.id WHERE t.id > 1")
    assert isinstance(query, Query)
    before = repr(query.tree)
    parts_of_both(query, query, schema)
    assert repr(query.tree) == before


QUERIES = sorted({sql for pair in [*SAME, *((g, p) for g, p, _ in DIFFERENT)] for sql in pair})


@given(st.sampled_from(QUERIES), st.sampled_from(QUERIES))
def test_swapping_the_two_swaps_the_tags(gold: str, prediction: str) -> None:
    swapped = {
        "condition_missing": "condition_extra",
        "aggregate_missing": "aggregate_extra",
        "group_missing": "group_extra",
        "distinct_missing": "distinct_extra",
        "limit_missing": "limit_extra",
        "order_missing": "order_extra",
        "fewer_outputs": "more_outputs",
        "function_missing": "function_extra",
        "subquery_missing": "subquery_extra",
    }
    swapped |= {there: here for here, there in swapped.items()}
    there = names(gold, prediction)
    assert {swapped.get(name, name) for name in there} == names(prediction, gold)
    assert (there == {"same_trees"}) or "same_trees" not in there


@given(st.sampled_from(QUERIES))
def test_a_query_does_not_differ_from_itself(sql: str) -> None:
    assert names(sql, sql) == {"same_trees"}


def test_every_tag_is_in_the_table_and_every_label_known() -> None:
    of_relations = {relation.tag for _, relation in RELATIONS.items()}
    assert of_relations | set(ERROR_LABELS) | set(DIFFERENCE_LABELS) <= set(TAGS)
    assert set(ERROR_LABELS.values()) < set(ERRORS)
    assert set(DIFFERENCE_LABELS.values()) < set(DIFFERENCES)


def test_labels_of_wrong_predictions() -> None:
    tags = [Tag("ties"), Tag("other_tables"), Tag("other_outputs")]
    assert error_labels(tags) == ("schema_linking", "several_rows")
    assert error_labels([Tag("other_outputs")]) == ("other_fatal",)


def test_a_right_prediction_blames_the_gold_only_where_nothing_else_explains() -> None:
    assert difference_labels([Tag("extra_columns"), Tag("condition_extra")]) == (
        "output_structure",
    )
    assert difference_labels([Tag("condition_extra")]) == ("wrong_gold",)
    assert difference_labels([Tag("more_outputs"), Tag("condition_extra")]) == (
        "output_structure",
        "wrong_gold",
    )
    assert difference_labels([Tag("representation")]) == ("value_representation",)
    assert difference_labels([Tag("tied_rows"), Tag("ties")]) == ("several_answers",)
    assert difference_labels([Tag("other_outputs")]) == ("other_minor",)
