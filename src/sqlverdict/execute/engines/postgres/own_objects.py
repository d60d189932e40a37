"""What leads to a blocked function of a database without naming it.

An operator, an aggregate, a cast, a range and the check of a domain call functions. A function
calls those that its text names. The text of a function is not parsed: a word in it that is the
name of something blocked counts as its use.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Final, NamedTuple

from sqlverdict.execute.engines.postgres.connection import Connection

_FUNCTION, _OPERATOR, _TYPE = "function", "operator", "type"
_EDGES: Final = """
SELECT 'operator', o.oprname, 'function', p.proname FROM pg_catalog.pg_operator AS o
JOIN pg_catalog.pg_proc AS p ON p.oid = o.oprcode
WHERE o.oprnamespace <> 'pg_catalog'::regnamespace
UNION SELECT 'function', f.proname, 'function', p.proname FROM pg_catalog.pg_aggregate AS a
JOIN pg_catalog.pg_proc AS f ON f.oid = a.aggfnoid
JOIN pg_catalog.pg_proc AS p ON p.oid = ANY (ARRAY[a.aggtransfn, a.aggfinalfn, a.aggcombinefn,
  a.aggmtransfn, a.aggminvtransfn, a.aggmfinalfn]::oid[])
WHERE f.pronamespace <> 'pg_catalog'::regnamespace
UNION SELECT 'type', t.typname, 'function', p.proname FROM pg_catalog.pg_cast AS c
JOIN pg_catalog.pg_proc AS p ON p.oid = c.castfunc
JOIN pg_catalog.pg_type AS a ON a.oid = c.casttarget
JOIN pg_catalog.pg_type AS t ON t.oid = a.oid OR (t.oid = a.typelem AND a.typcategory = 'A')
WHERE c.oid >= 16384
UNION SELECT 'type', t.typname, 'function', p.proname FROM pg_catalog.pg_range AS r
JOIN pg_catalog.pg_type AS t ON t.oid = r.rngtypid
JOIN pg_catalog.pg_proc AS p ON p.oid = ANY (ARRAY[r.rngcanonical, r.rngsubdiff]::oid[])
WHERE r.rngtypid >= 16384
UNION SELECT 'type', t.typname, 'type', o.typname FROM pg_catalog.pg_type AS t
LEFT JOIN pg_catalog.pg_range AS r ON r.rngtypid = t.oid
LEFT JOIN pg_catalog.pg_attribute AS a ON a.attrelid = t.typrelid AND a.attnum > 0
JOIN pg_catalog.pg_type AS o ON o.oid IN (t.typbasetype, t.typelem, r.rngsubtype, a.atttypid)
WHERE t.oid >= 16384 AND o.oid >= 16384
"""
"""What reaches what in one step, but for what the server has by itself. Whoever names the array
of a type names the type."""
_TEXTS: Final = """
SELECT 'function', p.proname, pg_catalog.pg_get_functiondef(p.oid) FROM pg_catalog.pg_proc AS p
WHERE p.oid >= 16384 AND p.prokind <> 'a' AND NOT EXISTS (
  SELECT FROM pg_catalog.pg_depend AS d
  WHERE d.classid = 'pg_catalog.pg_proc'::regclass AND d.objid = p.oid AND d.deptype = 'e')
UNION ALL
SELECT 'type', t.typname, pg_catalog.pg_get_constraintdef(c.oid) FROM pg_catalog.pg_constraint AS c
JOIN pg_catalog.pg_type AS t ON t.oid = c.contypid
"""
"""Functions that belong to no extension, with the defaults of their arguments, and the checks of
domains."""
_POPULATE: Final = frozenset(
    {
        *("json_populate_record", "json_populate_recordset", "populate_record"),
        *("jsonb_populate_record", "jsonb_populate_recordset"),
    }
)
"""Functions that make values of the types of a row that is given."""
_WORD: Final = re.compile(r"[a-z_][a-z0-9_$]*")


class Reaching(NamedTuple):
    """Names of what leads to a blocked function."""

    functions: frozenset[str] = frozenset()
    operators: frozenset[str] = frozenset()
    types: frozenset[str] = frozenset()


def reaching(connection: Connection, blocked: Collection[str], own: Collection[str]) -> Reaching:
    """What leads to a blocked function, in any number of steps.

    Args:
        connection: In the snapshot of the session.
        blocked: Names of the functions that no query may call.
        own: Those of them that are the database's own.
    """
    edges = connection.execute(_EDGES).fetchall()
    known = {(_FUNCTION, name) for name in blocked}
    if not own and not any((other, part) in known for _, _, other, part in edges):
        return Reaching()
    texts = [
        ((kind, name), text.lower(), frozenset(_WORD.findall(text.lower())))
        for kind, name, text in connection.execute(_TEXTS).fetchall()
    ]
    users = set[tuple[str, str]]()
    while True:
        # A name of several words, and an operator, is looked for as it stands.
        names = {name.lower() for name in own} | {name.lower() for _, name in users}
        signs = [name for name in names if not _WORD.fullmatch(name)]
        more = {(kind, name) for kind, name, other, part in edges if (other, part) in known}
        more |= {
            node
            for node, text, words in texts
            if not names.isdisjoint(words) or any(sign in text for sign in signs)
        }
        if more <= known:
            break
        users |= more - known
        known |= more
    by_kind = {
        each: frozenset(name for kind, name in users if kind == each)
        for each in (_FUNCTION, _OPERATOR, _TYPE)
    }
    types = by_kind[_TYPE]
    functions = by_kind[_FUNCTION] | (_POPULATE if types else frozenset())
    return Reaching(functions, by_kind[_OPERATOR], types)
