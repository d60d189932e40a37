"""Texts of which PostgreSQL's parser forgets the parentheses: they are sent with them."""

from __future__ import annotations

import pytest
from postgres_parts import session

from sqlverdict.records import Answer, Failure, Reason

pytest.importorskip("postgast", reason="PostgreSQL's parser is not installed: extra 'postgres'")

from sqlverdict.execute.engines.postgres.sandbox import canonical

FORMS = (
    *("NOT {}", "{} IS NULL", "{} IS NOT NULL", "{} IS TRUE", "- {}", "{}::text", "{} IS JSON"),
    *('{} COLLATE "C"', "{} AT TIME ZONE 'x'", "{}[1]", "({}).f", "CASE {} WHEN 1 THEN 2 END"),
    *("{} AND {}", "{} = {}", "{} < {}", "{} + {}", "{} || {}", "{} LIKE {}", "{} NOT LIKE {}"),
    *("{} IN ({})", "{} BETWEEN {} AND {}", "{} IS DISTINCT FROM {}", "{} = ANY ({})", "{} -> {}"),
    *("{} IN (SELECT {})", "{} = ANY (SELECT {})", "({}, {}) = (1, 2)", "POSITION({} IN {})"),
)


@pytest.mark.parametrize("outer", FORMS)
def test_every_operand_may_stand_in_parentheses(outer: str) -> None:
    for inner in FORMS:
        operand = inner.replace("{}", "b")
        for number in range(outer.count("{}")):
            operands = ["a"] * outer.count("{}")
            operands[number] = f"({operand})"
            sql = f"SELECT {outer.format(*operands)} FROM t"
            assert isinstance(canonical(sql), str), sql


@pytest.mark.parametrize(
    ("sql", "rows"),
    [
        ("SELECT (NOT b) IS NULL, NOT b IS NULL FROM (SELECT NULL::boolean) t(b)", [(1, 0)]),
        ("SELECT x FROM (VALUES (1), (2)) t(x) WHERE (x = 1 AND NULL) IS NULL", [(1,)]),
        ("SELECT ('a' LIKE 'a') IN (true), 'b' BETWEEN ('a' COLLATE \"C\") AND 'c'", [(1, 1)]),
        (
            "SELECT (NOT x) IN (false) /* it's -- */ AND 'a;b' <> '' FROM (SELECT true) t(x);",
            [(1,)],
        ),
    ],
)
def test_such_a_text_means_on_the_server_what_it_says(
    sql: str, rows: list[tuple[int, ...]], postgres_database: str
) -> None:
    with session(postgres_database) as opened:
        outcome = opened.run(sql)
    assert isinstance(outcome, Answer), outcome
    assert outcome.rows == rows


@pytest.mark.parametrize(
    "value",
    [r"E'\''", "$$'$$", r"U&'\0061'", r"'\'", 'U&"a"', "0x1F", "1_000", "$1", "é", "'a'\n'b'"],
)
def test_a_token_that_servers_may_read_in_two_ways_is_not_sent(value: str) -> None:
    outcome = canonical(f"SELECT (NOT a) IS NULL, {value} FROM t")
    assert isinstance(outcome, Failure)
    assert outcome.reason is Reason.UNSUPPORTED_FEATURE


@pytest.mark.parametrize("part", ["pg_sleep(1)", '"pg_sleep"(1)', "pg_catalog./**/pg_sleep(1)"])
def test_a_blocked_name_is_blocked_in_such_a_text(part: str) -> None:
    outcome = canonical(f"SELECT (NOT a) IS NULL, {part} FROM t")
    assert isinstance(outcome, Failure)
    assert outcome.reason is Reason.WRITE_BLOCKED
