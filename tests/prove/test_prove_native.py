"""What only PostgreSQL reads: which pairs are proved, and which must not be."""

from __future__ import annotations

import pytest

from sqlverdict.execute.common_text import UNKNOWN_FUNCTION, text_in_common_sql
from sqlverdict.parse.schemas.ddl import read_ddl
from sqlverdict.prove.check import check_proof
from sqlverdict.prove.proof import Derivation, Proof
from sqlverdict.prove.prover import prove

pytest.importorskip("postgast", reason="postgast is not installed: extra 'postgres'")

SCHEMA = read_ddl(
    "CREATE TABLE t (id INTEGER PRIMARY KEY, a INTEGER, b INTEGER, big BIGINT, n NUMERIC,"
    " m NUMERIC(10, 2), s TEXT, d DATE, ts TIMESTAMP, tz TIMESTAMPTZ, j JSONB, iv INTERVAL,"
    " ok BOOLEAN); CREATE TABLE u (id INTEGER PRIMARY KEY, t_id BIGINT, a INTEGER)",
    "postgres",
)


def derive(gold: str, prediction: str) -> Derivation:
    """What the prover says; a proof is done again."""
    derivation = prove(gold, prediction, SCHEMA, dialect="postgres")
    if isinstance(derivation, Proof):
        assert check_proof(derivation, SCHEMA).holds
    return derivation


@pytest.mark.parametrize(
    ("gold", "prediction"),
    [
        (
            "SELECT date_trunc('month', d) AS m, count(*) FROM t GROUP BY 1",
            "WITH x AS (SELECT date_trunc('month', d) AS m, count(*) AS c FROM t"
            " GROUP BY date_trunc('month', d)) SELECT m, c FROM x",
        ),
        (
            "SELECT to_char(date_trunc('month', ts), 'YYYY'), count(*) FROM t"
            " GROUP BY date_trunc('month', ts)",
            "SELECT to_char(x, 'YYYY'), c FROM (SELECT date_trunc('month', ts) AS x,"
            " count(*) AS c FROM t GROUP BY 1) y",
        ),
        (
            "SELECT sum(a)::float / count(b) FROM t WHERE a > 1",
            "SELECT x FROM (SELECT sum(a)::float / count(b) AS x FROM t WHERE 1 < a) y"
            " WHERE 7 % 7 = 0",
        ),
        (
            "SELECT id FROM t WHERE a / b > 1 AND b <> 0",
            "SELECT DISTINCT id FROM t WHERE a / b > 1 AND b <> 0",
        ),
        ("SELECT round(avg(n), 2) FROM t", "SELECT x FROM (SELECT round(avg(n), 2) x FROM t) y"),
        ("SELECT round(max(m), 2) FROM t", "SELECT x FROM (SELECT round(max(m), 2) x FROM t) y"),
        (
            "SELECT id FROM t WHERE tz > now() - interval '3 days' AND j->>'a' = '1'",
            "SELECT id FROM t WHERE j->>'a' = '1' AND tz > now() - interval '3 days'",
        ),
        (
            "SELECT id FROM t WHERE d + 3 > current_date AND ok IS TRUE",
            "SELECT DISTINCT id FROM t WHERE ok IS TRUE AND d + 3 > current_date",
        ),
        (
            "SELECT DISTINCT sum(a)::float / NULLIF(count(*), 0) FROM t",
            "SELECT sum(a)::float / NULLIF(count(*), 0) FROM t",
        ),
        (
            "SELECT count(*) FROM (SELECT date_trunc('day', ts) FROM t) x",
            "SELECT count(*) FROM t",
        ),
        (
            "SELECT count(*) FILTER (WHERE s ILIKE 'a%') FROM t WHERE extract(year FROM d) = 2020",
            "SELECT count(CASE WHEN s ILIKE 'a%' THEN 1 END) FROM t"
            " WHERE extract(year FROM d) = 2020",
        ),
    ],
)
def test_native_queries_in_other_words_are_proved(gold: str, prediction: str) -> None:
    assert isinstance(derive(gold, prediction), Proof)


@pytest.mark.parametrize(
    ("gold", "prediction"),
    [
        # A sum of BIGINT is a decimal, which is not divided as an integer is.
        ("SELECT sum(big) / 2 FROM t GROUP BY id", "SELECT big / 2 FROM t GROUP BY id, big"),
        ("SELECT max(n)::text FROM t GROUP BY id", "SELECT n::text FROM t"),
        ("SELECT n::text FROM t GROUP BY n", "SELECT n::text FROM (SELECT DISTINCT n FROM t) x"),
        # The first condition guards the second.
        (
            "SELECT id FROM t WHERE b <> 0 AND a / b > 1",
            "SELECT id FROM t WHERE a / b > 1 AND b <> 0",
        ),
        (
            "SELECT CASE WHEN b <> 0 AND a / b > 1 THEN 1 END FROM t",
            "SELECT CASE WHEN a / b > 1 AND b <> 0 THEN 1 END FROM t",
        ),
        (
            "SELECT id FROM (SELECT * FROM t WHERE b <> 0) x WHERE a / b > 1",
            "SELECT id FROM (SELECT * FROM t WHERE a / b > 1) x WHERE b <> 0",
        ),
        (
            "SELECT x.y FROM (SELECT a / b AS y, id FROM t) x JOIN u ON u.id = x.id",
            "SELECT t.a / t.b FROM t JOIN u ON u.id = t.id",
        ),
        ("SELECT count(*) FROM (SELECT a / b FROM t) x", "SELECT count(*) FROM t"),
        (
            "SELECT id FROM t WHERE extract(hour FROM d) > 1 AND false",
            "SELECT id FROM t WHERE false",
        ),
        # A part of an interval is one, and a day is 24 hours.
        (
            "SELECT DISTINCT date_trunc('day', iv) FROM t",
            "SELECT date_trunc('day', iv) FROM t GROUP BY 1",
        ),
        # COALESCE lets the rows pass that have no partner.
        (
            "SELECT u.id FROM u LEFT JOIN t ON t.id = u.t_id WHERE COALESCE(t.a, 0) % 2 = 0",
            "SELECT u.id FROM u JOIN t ON t.id = u.t_id WHERE COALESCE(t.a, 0) % 2 = 0",
        ),
        # The name of a column of the result comes before a column of the table.
        ("SELECT round(a) AS b FROM t ORDER BY b", "SELECT round(a) FROM t ORDER BY t.b"),
        ("SELECT ts AS d FROM t ORDER BY date_trunc('day', d)", "SELECT ts FROM t ORDER BY ts"),
        ("SELECT date_trunc('day', tz) FROM t", "SELECT date_trunc('day', ts) FROM t"),
        ("SELECT random() FROM t", "SELECT x FROM (SELECT random() AS x FROM t) y"),
    ],
)
def test_native_queries_that_may_differ_are_not_proved(gold: str, prediction: str) -> None:
    assert not isinstance(derive(gold, prediction), Proof)


@pytest.mark.parametrize(
    ("sql", "kind", "risk", "arguments"),
    [
        ("date_trunc('month', d)", "timestamp", "total", "d"),
        ("date_trunc('month', ts - d)", "other", "numeric", "ts, d"),
        ("extract(year FROM d)", "number", "total", "d"),
        ("extract(hour FROM d)", "number", "partial", "d"),
        ("a / b", "arithmetic", "partial", "a, b"),
        ("a / 2", "arithmetic", "total", "a"),
        ("a / 0", "arithmetic", "partial", "a"),
        ("a / NULLIF(b, 0)", "arithmetic", "numeric", "a, b"),
        ("a / NULLIF(b, 1)", "arithmetic", "partial", "a, b"),
        ("a::numeric", "number", "typed", "a"),
        ("a::text", "text", "total", "a"),
        ("(a::text || s)::int", "number", "partial", "a, s"),
        ("'2020-01-01'::date", "date", "total", ""),
        ("now() - interval '1 day'", "other", "total", ""),
        ("s LIKE 'a' || s", "boolean", "partial", "s"),
        ("s ~ '^a.'", "boolean", "total", "s"),
        ("round(avg(a), 2)", "number", "total", "avg(a)"),
        ("a / a", "arithmetic", "partial", "a"),
        ("CASE WHEN a / b > 1 THEN 1 END", "arithmetic", "partial", "a, b"),
    ],
)
def test_an_unknown_function_says_its_kind_and_risk(
    sql: str, kind: str, risk: str, arguments: str
) -> None:
    text = text_in_common_sql(f"SELECT {sql} AS x FROM t", "postgres", True, SCHEMA)
    assert text is not None
    call = text.removeprefix("SELECT ").removesuffix(" AS x FROM t")
    name, _, rest = call.partition("(")
    match = UNKNOWN_FUNCTION.fullmatch(name)
    assert match is not None, text
    assert (match["kind"], match["risk"], rest) == (kind, risk, f"{arguments})")


@pytest.mark.parametrize(
    ("one", "other", "is_same"),
    [
        ("a::int / b", "CAST(a AS integer)/b", True),
        ("a / b", "b / a", True),
        ("a / b", "a / a", False),
        ("(a / b) / 2", "a / (b / 2)", False),
        ("s ~ 'a.'", "s ~* 'a.'", False),
        ("a::numeric(5, 2)", "a::numeric(5, 1)", False),
        ("now()", "current_timestamp", True),
        ("now()", "localtimestamp", False),
    ],
)
def test_a_name_stands_for_one_meaning(one: str, other: str, is_same: bool) -> None:
    texts = [
        text_in_common_sql(f"SELECT {sql} AS x FROM t", "postgres", True, SCHEMA)
        for sql in (one, other)
    ]
    assert None not in texts
    names = [UNKNOWN_FUNCTION.findall(text or "") for text in texts]
    words = [(text or "").split("(")[0] for text in texts]
    assert names[0]
    assert (words[0] == words[1]) is is_same


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT random()",
        "SELECT mine.round(a) FROM t",
        "SELECT a OPERATOR(mine.+) b FROM t",
        "SELECT nextval('s')",
        "SELECT current_user",
        "SELECT rank() OVER (ORDER BY a) FROM t",
        'SELECT s COLLATE "C" FROM t',
        "SELECT generate_series(1, a) FROM t",
        "SELECT string_agg(s, ',' ORDER BY s) FROM t",
        "SELECT * FROM t, LATERAL (SELECT t.a) x",
        "WITH x AS (DELETE FROM t RETURNING a) SELECT a FROM x",
        "SELECT a FROM t FOR UPDATE",
        "DELETE FROM t",
        "SELECT a FROM",
        "SELECT my_function(a) FROM t",
    ],
)
def test_what_no_call_can_stand_for_has_no_text(sql: str) -> None:
    assert text_in_common_sql(sql, "postgres", True, SCHEMA) is None


def test_an_unnamed_column_keeps_its_name() -> None:
    text = text_in_common_sql(
        "SELECT round(a), a::text, 1 / a, d::date FROM t", "postgres", True, SCHEMA
    )
    assert text is not None
    assert [part.split(" AS ")[1] for part in text.removesuffix(" FROM t").split(", ")] == [
        "round",
        "a",
        '"?column?"',
        "d",
    ]


def test_arithmetic_is_unknown_where_asked() -> None:
    assert (
        text_in_common_sql("SELECT a + b FROM t", "postgres", True, SCHEMA) == "SELECT a + b FROM t"
    )
    text = text_in_common_sql("SELECT a + b AS x FROM t", "postgres", False, SCHEMA)
    assert text is not None
    assert UNKNOWN_FUNCTION.search(text)


def test_a_dialect_without_a_parser_at_hand_has_no_text() -> None:
    assert text_in_common_sql("SELECT 1", "mysql", True, SCHEMA) is None
