"""What tests ask of PostgreSQL."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from engine_examples import EngineExamples
from servers import fresh_postgres, postgres_server


@contextmanager
def _database(_folder: Path, statements: Sequence[str]) -> Iterator[str]:
    with postgres_server() as server, fresh_postgres(server) as url:
        _change(url, statements)
        yield url


def _change(database: str, statements: Sequence[str]) -> None:
    import psycopg

    with psycopg.connect(database, autocommit=True) as connection:
        for statement in statements:
            connection.execute(statement)


EXAMPLES = EngineExamples(
    database=_database,
    change=_change,
    server=postgres_server,
    more_columns=", tags TEXT[]",
    cells=("float8", "bytea", r"'\x00ff'"),
    failing=(
        "SELECT 'x'::int",
        "SELECT json '{'",
        "SELECT lo_get(1)",
        "SELECT currval('x')",
        "SELECT to_tsvector('nowhere', 'x')",
        "SELECT ts_lexize('nowhere', 'x')",
        "SELECT a FROM t FOR UPDATE NOWAIT",
        "SELECT repeat('x', 2000000000)",
        "SELECT pg_read_file('nowhere')",
        "SELECT b ~ '(' FROM t",
        "SELECT xmlparse(document '<')",
    ),
    column_types=(
        *("boolean", "json", "jsonb", "xml", "bytea", "int[]", "point", "uuid", "inet", "interval"),
        *("tsvector", "bit(3)", "money", "numrange", "text", "date"),
    ),
    revealing=(
        "current_database() IS NOT NULL",
        "current_catalog IS NOT NULL",
        "current_schema IS NOT NULL",
        "current_schemas(true) IS NOT NULL",
        "EXISTS (SELECT 1 FROM pg_class WHERE relname = 'emp' AND relpersistence = 'p')",
        "EXISTS (SELECT 1 FROM information_schema.tables WHERE table_schema = 'public')",
        "xmin IS NOT NULL",
        "(emp).xmin IS NOT NULL",
        "emp.ctid IS NOT NULL",
        "tableoid IS NOT NULL",
        "'emp'::regclass::oid IS NOT NULL",
        "current_query() LIKE 'SELECT%'",
        "has_table_privilege('emp', 'SELECT')",
    ),
    not_revealing=("name <> 'current_database() xmin'", "pg_typeof(name)::text <> ''"),
    different=[
        ("LOWER(code) = 'ab'", "code = 'ab' OR code = 'AB'"),
        ("code ILIKE 'ab'", "code = 'ab' OR code = 'AB'"),
        ("ROUND(n, 1) = 1.5", "TRUNC(n, 1) = 1.5"),
        ("n::int = 2", "TRUNC(n)::int = 2"),
        ("CAST(n AS INTEGER) = 2", "FLOOR(n) = 2"),
        ("code ~ '^(n|m)'", "code LIKE 'n%'"),
        ("code SIMILAR TO '(n|m)%'", "code LIKE 'n%'"),
        ("code ~ '^[nm]'", "code LIKE 'n%'"),
        ("'x' = ANY(tags)", "tags[1] = 'x'"),
        ("length(code) = 3", "octet_length(code) = 3"),
        ("tags @> ARRAY['x']", "tags && ARRAY['x', 'y']"),
        ("code = ANY('{x,y}')", "code = ALL('{x,y}')"),
        ("code LIKE ANY (ARRAY['x%', '%y'])", "code LIKE ALL (ARRAY['x%', '%y'])"),
        ("seen::time BETWEEN '09:00' AND '17:00'", "EXTRACT(hour FROM seen) BETWEEN 9 AND 17"),
        ("to_date(code, 'DD/MM/YYYY') IS NULL", "to_date(code, 'MM/DD/YYYY') IS NULL"),
        ("age(seen, '2024-01-01') > '1 month'", "seen - '2024-01-01' > '30 days'"),
        ("age('2024-03-01', seen) >= '1 month'", "'2024-03-01' - seen >= '31 days'"),
    ],
    different_queries=[
        ("SELECT id, ROUND(n, 1) FROM item", "SELECT id, TRUNC(n, 1) FROM item"),
        ("SELECT id / 2 FROM item", "SELECT FLOOR(id / 2.0) FROM item"),
        # Only where clocks are put forward between the two.
        (
            "SELECT (seen AT TIME ZONE 'UTC') + interval '1 day' FROM item",
            "SELECT (seen AT TIME ZONE 'UTC' AT TIME ZONE 'America/New_York' + interval '1 day') "
            "AT TIME ZONE 'America/New_York' FROM item",
        ),
    ],
    equal=[
        ("code = ANY('{x,y}')", "code IN ('x', 'y')"),
        ("code <> ALL(ARRAY['x', 'y'])", "code NOT IN ('x', 'y')"),
        ("seen::date = '2024-03-01'", "seen >= '2024-03-01' AND seen < '2024-03-02'"),
        ("tags && ARRAY['x', 'y']", "'x' = ANY(tags) OR 'y' = ANY(tags)"),
    ],
    recent="sold {} CURRENT_DATE - INTERVAL '7 days'",
    harm="DROP TABLE kept",
    write_file="COPY (SELECT 1) TO '{file}'",
)
