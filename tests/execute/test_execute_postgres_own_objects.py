"""What leads to a blocked function of a PostgreSQL database is refused, and nothing else is."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from postgres_parts import execute, session

from servers import fresh_postgres
from sqlverdict.records import Answer, Failure, Reason

OBJECTS = (
    "CREATE SCHEMA z",
    "CREATE TABLE t (a int, b text)",
    "INSERT INTO t VALUES (1, 'x')",
    "CREATE FUNCTION z.join_up(text, text) RETURNS text LANGUAGE sql SECURITY DEFINER"
    " AS 'SELECT $1'",
    "CREATE FUNCTION z.one(text) RETURNS text LANGUAGE sql SECURITY DEFINER AS 'SELECT $1'",
    "CREATE FUNCTION z.check_it(text) RETURNS bool LANGUAGE sql SECURITY DEFINER AS 'SELECT true'",
    "CREATE TYPE z.pair AS (p text)",
    "CREATE FUNCTION z.as_dates(z.pair) RETURNS date[] LANGUAGE sql SECURITY DEFINER"
    " AS 'SELECT NULL::date[]'",
    "CREATE OPERATOR public.=== (LEFTARG = text, RIGHTARG = text, FUNCTION = z.join_up)",
    "CREATE OPERATOR public.!!! (RIGHTARG = text, FUNCTION = z.one)",
    "CREATE CAST (z.pair AS date[]) WITH FUNCTION z.as_dates(z.pair)",
    "CREATE AGGREGATE public.slurp(text) (SFUNC = z.join_up, STYPE = text, INITCOND = '')",
    "CREATE DOMAIN public.checked AS text CHECK (z.check_it(VALUE))",
    "CREATE TABLE has_checked (c checked)",
    "CREATE FUNCTION public.wrap(text) RETURNS text LANGUAGE sql AS 'SELECT z.one($1)'",
    "CREATE FUNCTION public.\"Wrap it\"(text) RETURNS text LANGUAGE sql AS 'SELECT wrap($1)'",
    "CREATE FUNCTION public.outer_wrap(text) RETURNS text LANGUAGE sql AS 'SELECT \"Wrap it\"($1)'",
    "CREATE FUNCTION public.by_operator(text) RETURNS text LANGUAGE plpgsql"
    " AS 'BEGIN RETURN !!! $1; END'",
    "CREATE FUNCTION public.by_default(a text = 'x' === 'y') RETURNS text LANGUAGE sql"
    " AS 'SELECT $1'",
    "CREATE FUNCTION public.takes(checked) RETURNS int LANGUAGE sql AS 'SELECT 1'",
    "CREATE FUNCTION public.fine(text) RETURNS text LANGUAGE sql AS 'SELECT upper($1)'",
    "CREATE FUNCTION public.glue(text, text) RETURNS text LANGUAGE sql IMMUTABLE"
    " AS 'SELECT $1 || $2'",
    "CREATE OPERATOR public.||| (LEFTARG = text, RIGHTARG = text, FUNCTION = glue)",
)


@pytest.fixture(scope="module")
def database(postgres: str) -> Iterator[str]:
    """A database with functions that act for their owner, and with what calls them."""
    with fresh_postgres(postgres) as url:
        execute(url, *OBJECTS)
        yield url


@pytest.mark.parametrize(
    ("sql", "name"),
    [
        ("SELECT z.one('a')", "one()"),
        ("SELECT 'a' === 'b'", "the operator ==="),
        ("SELECT 'a'::text OPERATOR(public.===) 'b'", "the operator ==="),
        ("SELECT 'a' === ANY (SELECT b FROM t)", "the operator ==="),
        ("SELECT !!! 'a'", "the operator !!!"),
        ("SELECT ROW('a')::z.pair::date[]", "the type date"),
        ("SELECT CAST(ROW('a')::z.pair AS _date)", "the type _date"),
        ("SELECT slurp(b) FROM t", "slurp()"),
        ("SELECT 'a'::checked", "the type checked"),
        ("SELECT CAST('a' AS public.checked)", "the type checked"),
        ("SELECT checked 'a'", "the type checked"),
        ("SELECT checked('a')", "the type checked"),
        ("SELECT ARRAY['a']::checked[]", "the type checked"),
        ("SELECT NULL::has_checked", "the type has_checked"),
        ("SELECT * FROM json_to_record('{}') AS r(c checked)", "the type checked"),
        ("SELECT jsonb_populate_record(h, '{}') FROM has_checked AS h", "jsonb_populate_record()"),
        ("SELECT wrap('a')", "wrap()"),
        ("SELECT \"Wrap it\"('a')", "Wrap it()"),
        ("SELECT outer_wrap('a')", "outer_wrap()"),
        ("SELECT by_operator('a')", "by_operator()"),
        ("SELECT by_default()", "by_default()"),
        ("SELECT takes('a')", "takes()"),
        ("SELECT (t).wrap FROM t", "wrap()"),
    ],
)
def test_what_leads_to_a_blocked_function_is_refused(database: str, sql: str, name: str) -> None:
    with session(database) as opened:
        outcome = opened.run(sql)
    assert isinstance(outcome, Failure), outcome
    assert outcome.reason is Reason.WRITE_BLOCKED
    assert f"blocked: {name}" in outcome.message


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT fine('a'), 'a' ||| 'b'",
        "SELECT c, has_checked.c, public.has_checked.c FROM has_checked",
        "SELECT a::text, b::varchar FROM t WHERE b LIKE 'x%' AND a BETWEEN 1 AND 2 ORDER BY b",
        "SELECT count(*), sum(a), string_agg(b, ',') FROM t TABLESAMPLE bernoulli (100)",
    ],
)
def test_what_leads_to_none_is_answered(database: str, sql: str) -> None:
    with session(database) as opened:
        outcome = opened.run(sql)
    assert isinstance(outcome, Answer), outcome


def test_operators_and_types_of_extensions_are_answered(postgres: str) -> None:
    extensions = ("pg_trgm", "hstore", "citext", "ltree", "intarray")
    with fresh_postgres(postgres) as url:
        known = {name for (name,) in execute(url, "SELECT name FROM pg_available_extensions")}
        if not known.issuperset(extensions):
            pytest.skip("the server lacks the extensions of its own distribution")
        execute(url, *(f"CREATE EXTENSION {name}" for name in extensions))
        with session(url) as opened:
            for sql in (
                "SELECT 'abc' % 'abd', 'abc' <-> 'abd', similarity('a', 'b')",
                "SELECT 'a=>1'::hstore -> 'a', hstore('a', 'b') || 'c=>2'",
                "SELECT 'a'::citext = 'A', 'a.b'::ltree @> 'a.b.c', ARRAY[1, 2] & ARRAY[2]",
            ):
                outcome = opened.run(sql)
                assert isinstance(outcome, Answer), outcome


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT array_in('{10}', 4096, -1)::text",
        "SELECT aclitemin('postgres=r/postgres')",
        "SELECT array_out(ARRAY[1])",
        "SELECT domain_in('10', 4096, -1)",
        "SELECT enum_in('a', 10)",
        "SELECT int8_avg_serialize(NULL)",
    ],
)
def test_functions_that_only_the_server_needs_are_refused(database: str, sql: str) -> None:
    with session(database) as opened:
        outcome = opened.run(sql)
    assert isinstance(outcome, Failure)
    assert outcome.reason is Reason.WRITE_BLOCKED
