"""Writes what PostgreSQL's operators, functions and casts take, from a server's own catalogue.

``src/sqlverdict/execute/engines/postgres/types/signatures.txt`` has a line each: the types with
their category, the casts that need no word of the query, the operators, and the functions that a
proof may be about. The prover refuses a query that always fails because of its types by it.

Run: ``python bench/postgres_signatures.py [URL]``. ``--check`` compares the file with the server
and writes nothing; a test does the same on a server of the file's version.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import psycopg

from sqlverdict.execute.engines.postgres.common.expressions import AGGREGATES, FUNCTIONS
from sqlverdict.execute.engines.postgres.common.wrappers import STEADY
from sqlverdict.execute.engines.postgres.types.signatures import FILE

TARGET = Path(__file__).parents[1] / "src/sqlverdict/execute/engines/postgres/types" / FILE
_TYPES = """
CREATE TEMPORARY TABLE own_type ON COMMIT DROP AS
SELECT t.oid, t.typelem,
  CASE WHEN e.oid IS NULL THEN t.typname::text ELSE e.typname || '[]' END AS name,
  t.typcategory::text AS category, t.typispreferred AS preferred, t.typtype::text AS kind
FROM pg_catalog.pg_type AS t
LEFT JOIN pg_catalog.pg_type AS e ON e.typarray = t.oid
WHERE t.typnamespace = 'pg_catalog'::regnamespace AND t.typrelid = 0
  AND (e.oid IS NULL OR e.typrelid = 0)
  AND (t.typtype IN ('b', 'r', 'm') AND t.typcategory NOT IN ('X', 'Z')
    AND COALESCE(e.typcategory, 'N') <> 'Z'
    AND t.typname !~ '^_?(reg|pg_|aclitem|cid$|gtsvector|refcursor|tid|txid|jsonpath)'
    OR t.typname ~ '^any' OR t.typname = 'record')
"""
_CASTS = """
SELECT concat_ws(' ', 'cast', s.name, t.name, c.castcontext) FROM pg_catalog.pg_cast AS c
JOIN own_type AS s ON s.oid = c.castsource JOIN own_type AS t ON t.oid = c.casttarget
WHERE s.oid <> t.oid
"""
_OPERATORS = """
SELECT concat_ws(' ', 'operator', o.oprname, l.name, r.name, '->', t.name)
FROM pg_catalog.pg_operator AS o LEFT JOIN own_type AS l ON l.oid = o.oprleft
JOIN own_type AS r ON r.oid = o.oprright JOIN own_type AS t ON t.oid = o.oprresult
WHERE o.oprleft = 0 OR l.oid IS NOT NULL
"""
_FUNCTIONS = """
SELECT concat_ws(' ', 'function', p.proname,
  (SELECT string_agg(a.name || CASE WHEN u.place = p.pronargs AND p.provariadic <> 0
      THEN '...' ELSE '' END, ' ' ORDER BY u.place)
    FROM unnest(p.proargtypes::oid[]) WITH ORDINALITY AS u(oid, place)
    JOIN own_type AS a ON a.oid = u.oid WHERE u.place <= n.width), '->', t.name)
FROM pg_catalog.pg_proc AS p JOIN own_type AS t ON t.oid = p.prorettype
CROSS JOIN generate_series((p.pronargs - p.pronargdefaults)::int, p.pronargs::int) AS n(width)
WHERE p.pronamespace = 'pg_catalog'::regnamespace AND p.proname = ANY (%s)
  AND p.prokind IN ('f', 'a', 'w')
  AND NOT EXISTS (SELECT FROM unnest(p.proargtypes::oid[]) AS u(oid)
    WHERE u.oid NOT IN (SELECT oid FROM own_type))
"""


def read_lines(connection: psycopg.Connection[tuple[str]]) -> list[str]:
    """The lines of the file, as a server's catalogue has them."""
    with connection.transaction(force_rollback=True):
        connection.execute(_TYPES)
        rows = connection.execute(
            "SELECT name, category, preferred, format_type(oid, NULL) FROM own_type "
            "WHERE category <> 'A' ORDER BY 1"
        ).fetchall()
        names = sorted({*AGGREGATES, *FUNCTIONS, *STEADY, "similar_to_escape"})
        lines = []
        for name, category, preferred, title in rows:
            compared = "".join(
                sign
                for sign, query in (("=", "DISTINCT {}"), ("<", "{} ORDER BY 1"))
                if category != "P" and _runs(connection, query.format(f'NULL::"{name}"'))
            )
            lines.append(f"type {name} {category}{'*' * preferred} {compared or '-'} {title}")
        for query, parameters in ((_CASTS, ()), (_OPERATORS, ()), (_FUNCTIONS, (names,))):
            lines += sorted(row[0] for row in connection.execute(query, parameters or None))
    major = connection.info.server_version // 10_000
    return [f"# PostgreSQL {major}, by bench/postgres_signatures.py", *dict.fromkeys(lines)]


def _runs(connection: psycopg.Connection[tuple[str]], items: str) -> bool:
    try:
        with connection.transaction():
            connection.execute(f"SELECT {items}")
    except psycopg.Error:
        return False
    return True


def main() -> int:
    """Write the file, or compare it."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("url", nargs="?", default="postgresql://postgres@127.0.0.1:5432/test")
    parser.add_argument("--check", action="store_true", help="write nothing")
    arguments = parser.parse_args()
    with psycopg.connect(arguments.url) as connection:
        text = "\n".join(read_lines(connection)) + "\n"
    if arguments.check:
        return int(text != TARGET.read_text("utf-8"))
    TARGET.write_text(text, "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
