"""Texts that would take the machine are refused before anybody parses them."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from sqlglot import parse_one

from sqlverdict.parse.measure import MOST_LEVELS, MOST_TOKENS, too_deep, too_large
from sqlverdict.parse.query import parse
from sqlverdict.records import ParseFailure, Query, Reason


def chain(levels: int, use: Callable[[str], str]) -> str:
    ctes = ["c0 AS (SELECT 1 AS a)"]
    ctes += [f"c{n} AS ({use(f'c{n - 1}')})" for n in range(1, levels)]
    return f"WITH {', '.join(ctes)} SELECT a FROM c{levels - 1}"


USES: dict[str, Callable[[str], str]] = {
    "comma": lambda c: f"SELECT x.a FROM {c} x, {c} y",
    "join": lambda c: f"SELECT x.a FROM {c} x JOIN {c} y ON x.a = y.a",
    "star": lambda c: f"SELECT * FROM {c} x, {c} y",
    "in": lambda c: f"SELECT a FROM {c} WHERE a IN (SELECT a FROM {c})",
    "quoted": lambda c: f'SELECT x.a FROM "{c}" x, [{c}] y',
    "back quotes": lambda c: f"SELECT x.a FROM `{c.upper()}` x, {c.upper()} y",
    "parentheses": lambda c: f"SELECT x.a FROM ({c}) x, ({c} y)",
    "union": lambda c: f"SELECT a FROM {c} UNION ALL SELECT a FROM {c}",
    "table-valued": lambda c: f"SELECT a FROM (SELECT a FROM {c}) x JOIN (SELECT a FROM {c}) y",
}


@pytest.mark.parametrize("use", USES)
def test_a_chain_that_doubles_is_refused(use: str) -> None:
    sql = chain(25, USES[use])
    assert len(sql) < 2_500
    query = parse(sql)
    assert isinstance(query, ParseFailure)
    assert query.reason is Reason.BUDGET_EXHAUSTED


@pytest.mark.parametrize("use", ["comma", "in", "union"])
def test_a_short_chain_is_read(use: str) -> None:
    assert isinstance(parse(chain(6, USES[use])), Query)


@pytest.mark.slow
@pytest.mark.parametrize(
    "sql",
    [
        "SELECT id FROM t WHERE id IN (" + ",".join(["1"] * 99_900) + ")",
        "SELECT " + ", ".join(["a"] * MOST_TOKENS) + " FROM t",
        " UNION ".join(["SELECT id FROM t"] * 1_000),
        "SELECT c FROM t WHERE " + " AND ".join(["1"] * 985),
        "SELECT c FROM t WHERE " + " OR ".join(["c = 1"] * (2 * MOST_LEVELS)),
        "SELECT " + " || ".join(["a"] * (2 * MOST_LEVELS)) + " FROM t",
        "SELECT " + " || ".join(["a"] * (MOST_LEVELS + 1)) + " FROM t",
        # A chain and what is nested in its first part count together.
        "SELECT c FROM t WHERE " + " || ".join(["c"] * 300) + " AND c" * 300,
    ],
)
def test_long_lists_and_deep_trees_are_refused(sql: str) -> None:
    query = parse(sql)
    assert isinstance(query, ParseFailure)
    assert query.reason is Reason.BUDGET_EXHAUSTED


@pytest.mark.parametrize("word", ["AND", "OR"])
def test_a_part_of_a_chain_is_half_a_level(word: str) -> None:
    start, most = "SELECT c FROM t WHERE ", 2 * MOST_LEVELS - 10
    assert isinstance(parse(start + f" {word} ".join(["c = 1"] * most)), Query)
    # Parentheses make levels of it.
    nested = start + "c = 1" + f" {word} (c = 1" * 250 + ")" * 250
    assert isinstance(parse(nested), ParseFailure)


def test_a_chain_of_set_operations_is_read_as_far_as_sqlite_compiles_one() -> None:
    words = [" UNION ", " EXCEPT ", " UNION ALL "]
    part = "SELECT id FROM t"
    assert isinstance(parse(part + "".join(words[n % 3] + part for n in range(499))), Query)


@pytest.mark.parametrize("piece", ["- ", "+ ", "NOT ", "a+", "a.b||", "a->"])
def test_no_short_text_makes_a_deep_tree(piece: str) -> None:
    """Short texts are not measured: a level takes at least one character."""
    sql = f"SELECT {piece * ((MOST_LEVELS // 2 - 20) // len(piece))}a FROM t"
    assert len(sql) <= MOST_LEVELS // 2
    tree = parse_one(sql, read="sqlite")
    assert too_deep(tree) is None


def test_what_people_write_is_read() -> None:
    in_list = ", ".join(map(str, range(2_000)))
    for sql in (
        f"SELECT id FROM t WHERE id IN ({in_list})",
        "SELECT c FROM t WHERE " + " OR ".join(f"c = {n}" for n in range(100)),
        " UNION ".join(["SELECT id FROM t"] * 50),
        "SELECT t0.a FROM t t0 " + " ".join(f"JOIN t t{n} ON t{n}.a = t0.a" for n in range(1, 30)),
    ):
        assert too_large(sql) is None
        assert isinstance(parse(sql), Query)
