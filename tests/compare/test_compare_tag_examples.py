"""Every tag holds for its example, tags of names are SQLite's, and no text makes tags fail."""

from __future__ import annotations

import random
import sqlite3
from contextlib import closing

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from query_grammar import SCHEMA as GRAMMAR_SCHEMA
from query_grammar import Grammar
from sqlverdict.compare.tags import EXAMPLES_SCHEMA, TAGS, find_tags
from sqlverdict.evidence_parts import LONGEST_DETAIL, Tag
from sqlverdict.parse.schema import Schema
from sqlverdict.parse.schemas.ddl import read_ddl
from sqlverdict.parse.tokens import solid

SCHEMA = read_ddl(EXAMPLES_SCHEMA, "league")
OF_QUERIES = [name for name, kind in TAGS.items() if kind.gold]
NOT_TAGGED = {
    "unknown_table",
    "unknown_column",
    "misplaced_column",
    "unread_table",
    "unused_alias",
    "ambiguous_column",
    "unknown_function",
    "aggregate_misplaced",
    "refused",
    "syntax_error",
    "several_statements",
}
"""Tags that say that SQLite refuses the prediction."""

QUERIES = sorted(
    {sql for kind in TAGS.values() if kind.gold for sql in (kind.gold, kind.prediction)}
)
HOSTILE = (
    "'", '"', "`", "[", "(", ")", "((((", ";", "--", "/*", "*", ".", "..", ",", "NULL", "1e999999999",
    "-9223372036854775808", "'\\'", '"no column"', "UNION", "SELECT", "FROM", "WITH x AS (SELECT 1)",
    "OVER ()", "FILTER (WHERE 1)", "?", ":a", "\x00", "\ud800", "é", "🂡", "NATURAL JOIN", "VALUES (1)",
    "CASE", "END", "IN ()", "IS NOT", "COLLATE nocase", "x'00'", "LIMIT -1", "player.*", "\N{BOM}",
)  # fmt: skip


def names(gold: str, prediction: str, schema: Schema | None = SCHEMA) -> set[str]:
    return {tag.name for tag in find_tags(gold, prediction, schema)}


def runs(sql: str) -> bool:
    with closing(sqlite3.connect(":memory:")) as connection, connection:
        connection.executescript(EXAMPLES_SCHEMA)
        try:
            connection.execute(sql)
        except sqlite3.Error:
            return False
    return True


@pytest.mark.parametrize("name", OF_QUERIES)
def test_a_tag_holds_for_its_example(name: str) -> None:
    kind = TAGS[name]
    assert runs(kind.gold)
    assert name in names(kind.gold, kind.prediction)
    assert runs(kind.prediction) != bool(names(kind.gold, kind.prediction) & NOT_TAGGED)
    if name != "same_trees":
        assert name not in names(kind.gold, kind.gold)


def test_tags_without_an_example_are_those_of_results() -> None:
    without = {name for name, kind in TAGS.items() if not kind.gold}
    assert all(TAGS[name].clause == "result" for name in without - {"fails"})


def test_the_meaning_of_a_tag_is_one_line_and_its_own() -> None:
    meanings = [kind.meaning for kind in TAGS.values()]
    assert len(set(meanings)) == len(meanings)
    assert all("\n" not in one and not one.endswith(".") for one in meanings)


@pytest.mark.parametrize("sql", QUERIES)
def test_names_are_looked_up_only_with_a_schema_and_for_sqlite(sql: str) -> None:
    gold = "SELECT name FROM player"
    of_names = NOT_TAGGED - {"syntax_error", "several_statements"}
    assert not names(gold, sql, None) & of_names
    results = {tag.name for tag in find_tags(gold, sql, SCHEMA, dialect="mysql")}
    assert not results & of_names


def test_a_detail_is_short_whatever_the_query() -> None:
    long = "x" * 50_000
    tags = find_tags("SELECT name FROM player", f"SELECT name FROM player WHERE name = '{long}'")
    assert [tag.name for tag in tags] == ["condition_extra"]
    assert len(tags[0].detail) == LONGEST_DETAIL
    assert Tag("ties", "short").detail == "short"


def test_columns_are_followed_through_derived_tables_and_common_table_expressions() -> None:
    plain = "SELECT name FROM player WHERE weight > 5"
    for sql in (
        "SELECT d.n FROM (SELECT name AS n, weight AS w FROM player) AS d WHERE d.w > 5",
        "WITH d AS (SELECT * FROM player) SELECT name FROM d WHERE weight > 5",
        "WITH d AS (SELECT * FROM player), e AS (SELECT * FROM d) SELECT e.name FROM e "
        "WHERE e.weight > 5",
    ):
        assert names(plain, sql) == {"subquery_extra"}


def test_a_query_that_reads_itself_ends() -> None:
    sql = "WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r WHERE n < 9) SELECT n FROM r"
    assert names(sql, sql) == {"same_trees"}
    assert "other_tables" in names("SELECT name FROM player", sql)


CHAINS = {
    "conditions": " AND ".join(f"weight > {n}" for n in range(300)),
    "choices": " OR ".join(f"weight > {n}" for n in range(300)),
    "texts": "name = " + " || ".join(["name"] * 300),
    "sums": "weight = " + " + ".join(["goals"] * 300),
    "values": f"id IN ({', '.join(map(str, range(5_000)))})",
    "subqueries": " AND ".join(
        f"id = (SELECT id FROM team WHERE city = '{n}')" for n in range(200)
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", CHAINS)
def test_long_queries_are_read(name: str) -> None:
    sql = f"SELECT name FROM player WHERE {CHAINS[name]}"
    assert names(sql, sql) == {"same_trees"}
    other = "scalar_subquery" if name == "subqueries" else "condition_extra"
    assert other in names("SELECT name FROM player", sql)


def test_common_table_expressions_in_a_long_row_are_read() -> None:
    row = "".join(f", a{n} AS (SELECT * FROM a{n - 1})" for n in range(1, 300))
    sql = f"WITH a0 AS (SELECT * FROM player){row} SELECT name FROM a299"
    assert names("SELECT name FROM player", sql) >= {"subquery_extra"}


def test_the_depth_of_the_stack_does_not_show() -> None:
    sql = f"SELECT name FROM player WHERE {CHAINS['texts']}"
    gold = "SELECT name FROM player WHERE weight > 1"

    def below(levels: int) -> tuple[Tag, ...]:
        return below(levels - 1) if levels else find_tags(gold, sql, SCHEMA)

    assert below(300) == find_tags(gold, sql, SCHEMA)


def mutated(sql: str, seed: int) -> str:
    """A text with some tokens dropped, doubled, moved, or replaced by hostile ones."""
    source = random.Random(seed)
    tokens = list(solid(sql))
    for _ in range(source.randint(1, 4)):
        index = source.randrange(len(tokens) + 1)
        match source.randrange(5):
            case 0 if tokens:
                tokens.pop(index - 1)
            case 1 if tokens:
                tokens.insert(index, source.choice(tokens))
            case 2:
                source.shuffle(tokens)
            case 3:
                tokens[index : index + 1] = [source.choice(HOSTILE)]
            case _:
                tokens.insert(index, source.choice(HOSTILE))
    return " ".join(tokens)


@given(st.sampled_from(QUERIES), st.sampled_from(QUERIES), st.integers(0, 10**6))
def test_no_mutated_text_makes_tags_fail(gold: str, prediction: str, seed: int) -> None:
    changed = mutated(prediction, seed)
    for pair in ((gold, changed), (changed, gold), (changed, changed)):
        for schema in (SCHEMA, None):
            tags = find_tags(*pair, schema)
            assert tags
            assert {tag.name for tag in tags} <= TAGS.keys()
            assert all(len(tag.detail) <= LONGEST_DETAIL for tag in tags)
    assert names(changed, changed) in ({"same_trees"}, {"not_read"})


@given(st.text(max_size=60))
@example("\ud800")
@example("\x00")
@example("SELECT '\x00'")
def test_no_text_at_all_makes_tags_fail(text: str) -> None:
    for pair in ((text, "SELECT 1"), ("SELECT 1", text), (text, text)):
        assert {tag.name for tag in find_tags(*pair, SCHEMA)} <= TAGS.keys()


RANDOM_SCHEMA = read_ddl(GRAMMAR_SCHEMA, "random")


@given(st.integers(0, 10**9), st.integers(0, 10**9))
def test_random_queries_have_tags_and_do_not_differ_from_themselves(one: int, other: int) -> None:
    first, second = (Grammar(seed).query() for seed in (one, other))
    assert names(first, first, RANDOM_SCHEMA) in ({"same_trees"}, {"not_read"})
    result = names(first, second, RANDOM_SCHEMA)
    assert result
    assert ("same_trees" not in result) or result == {"same_trees"}


@given(st.integers(0, 10**9))
def test_tags_of_names_are_what_sqlite_says(seed: int) -> None:
    sql = Grammar(seed).query()
    result = names("SELECT b FROM y", sql, RANDOM_SCHEMA)
    with closing(sqlite3.connect(":memory:")) as connection, connection:
        connection.executescript(GRAMMAR_SCHEMA)
        try:
            connection.execute(f"EXPLAIN {sql}")
        except sqlite3.Error:
            assert result & {*NOT_TAGGED, "not_read"}
        else:
            assert not result & NOT_TAGGED
