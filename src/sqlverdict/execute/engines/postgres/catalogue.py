"""What a database says about its functions and views: which are blocked, which may change.

A blocked function can be called without its name: by an operator, an aggregate, a cast, a range and
the check of a domain. A function calls those that its text names. The text of a function is not
parsed: a word in it that is the name of something blocked counts as its use.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass
from functools import cached_property
from typing import Final, NamedTuple

from sqlverdict.execute.attempt import write_blocked
from sqlverdict.execute.engines.postgres.connection import Connection
from sqlverdict.execute.engines.postgres.guard.contents import Contents
from sqlverdict.execute.engines.postgres.guard.names import (
    BLOCKED_TYPES,
    is_blocked_function,
    is_blocked_relation,
)
from sqlverdict.execute.engines.postgres.sandbox import (
    DIALECT,
    Reading,
    blocked_name,
    names_in,
    read,
    words_of,
)
from sqlverdict.execute.frozen_text import clock_use, clock_words
from sqlverdict.records import Failure

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


_HARMLESS: Final = [
    *("clock_timestamp", "timeofday", "random", "random_normal", "setseed", "gen_random_uuid"),
    *("uuidv4", "uuidv7", "array_shuffle", "array_sample", "current_query", "pg_is_in_recovery"),
    *("pg_table_size", "pg_relation_size", "pg_total_relation_size", "pg_indexes_size"),
    *("pg_partition_tree", "pg_partition_ancestors"),
]
"""Functions of the server that are volatile and read nothing but the database."""
_SAFE_EXTENSIONS: Final = ["pgcrypto", "uuid-ossp", "postgis", "timescaledb", "vector", "hstore"]
_UNSAFE_EXTENSIONS: Final = ["dblink", "tablefunc", "xml2", "adminpack", "lo", "pg_stat_statements"]
_BLOCKED: Final = """
SELECT DISTINCT p.proname,
  e.extname IS NULL AND n.nspname NOT IN ('pg_catalog', 'information_schema')
FROM pg_catalog.pg_proc AS p
JOIN pg_catalog.pg_namespace AS n ON n.oid = p.pronamespace
JOIN pg_catalog.pg_language AS l ON l.oid = p.prolang
LEFT JOIN pg_catalog.pg_depend AS d
  ON d.classid = 'pg_catalog.pg_proc'::regclass AND d.objid = p.oid AND d.deptype = 'e'
LEFT JOIN pg_catalog.pg_extension AS e ON e.oid = d.refobjid
WHERE NOT 'internal'::regtype = ANY (p.proargtypes)
AND CASE
  WHEN e.extname IS NOT NULL THEN e.extname = ANY (%(unsafe)s)
    OR (p.provolatile = 'v' AND e.extname <> ALL (%(safe)s))
  WHEN n.nspname = 'pg_catalog' THEN p.provolatile = 'v' AND p.proname <> ALL (%(harmless)s)
  WHEN n.nspname = 'information_schema' THEN false
  ELSE p.prosecdef OR NOT l.lanpltrusted
    OR (l.lanname <> 'sql' AND p.prosrc ~* '\\mexecute\\M')
END
"""
"""Volatile functions of the server, functions of extensions that are volatile or run texts, and
the user's own functions that act with another's rights, run texts or are not bound to the
database. The second column tells the last ones."""
_INNER: Final = """
SELECT DISTINCT proname FROM pg_catalog.pg_proc WHERE prorettype <> 'tsm_handler'::regtype
AND ARRAY['cstring'::regtype, 'internal'::regtype]::oid[] && (proargtypes::oid[] || prorettype)
"""
"""Functions that only the server itself needs: those that read and write the texts of values make
values of types that no text may name."""
_OWN: Final = """
SELECT DISTINCT p.proname FROM pg_catalog.pg_proc AS p
JOIN pg_catalog.pg_namespace AS n ON n.oid = p.pronamespace
WHERE n.nspname NOT IN ('pg_catalog', 'information_schema') AND p.provolatile <> 'i'
"""
_OWN_NAMES: Final = """
SELECT n.name, n.is_function FROM (
  SELECT p.proname AS name, p.pronamespace AS schema, p.oid, true AS is_function
  FROM pg_catalog.pg_proc AS p
  UNION ALL
  SELECT c.relname, c.relnamespace, c.oid, false FROM pg_catalog.pg_class AS c
  WHERE pg_catalog.starts_with(c.relname, 'pg_')
) AS n JOIN pg_catalog.pg_namespace AS s ON s.oid = n.schema
WHERE s.nspname !~ '^pg_' AND s.nspname <> 'information_schema'
"""
"""Functions of the database and its extensions, and relations that are named like the server's."""
_SERVER_NAMES: Final = """
SELECT proname FROM pg_catalog.pg_proc
WHERE pronamespace = 'pg_catalog'::regnamespace AND pg_catalog.starts_with(proname, 'pg_')
UNION SELECT relname FROM pg_catalog.pg_class
WHERE relnamespace = 'pg_catalog'::regnamespace AND relkind IN ('r', 'v')
UNION SELECT p.proname FROM pg_catalog.pg_proc AS p
JOIN pg_catalog.pg_depend AS d ON d.classid = 'pg_catalog.pg_proc'::regclass AND d.objid = p.oid
WHERE d.deptype = 'e' AND pg_catalog.starts_with(p.proname, 'pg_')
"""
_FUNCTIONS: Final = """
SELECT DISTINCT proname FROM pg_catalog.pg_proc WHERE pronamespace = 'pg_catalog'::regnamespace
"""
_FOREIGN: Final = """
SELECT n.nspname, c.relname FROM pg_catalog.pg_class AS c
JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace WHERE c.relkind = 'f'
"""
_COLUMNS: Final = """
SELECT DISTINCT a.attname FROM pg_catalog.pg_attribute AS a
JOIN pg_catalog.pg_class AS c ON c.oid = a.attrelid
JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace
WHERE a.attname = ANY (%s) AND n.nspname <> 'information_schema' AND n.nspname !~ '^pg_'
"""
_VIEWS: Final = """
SELECT c.relname, pg_catalog.pg_get_viewdef(c.oid) FROM pg_catalog.pg_class AS c
JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace
WHERE c.relkind = 'v' AND n.nspname NOT IN ('pg_catalog', 'information_schema')
"""
_PHYSICAL: Final = frozenset({"ctid", "xmin", "xmax", "cmin", "cmax", "tableoid", "tablesample"})


@dataclass(frozen=True)
class Catalogue:
    """What the catalogue says, read once a session.

    Attributes:
        blocked: Names of functions that no query may call.
        attributes: What no query may call as ``x.f``: those, and all that are blocked by name,
            unless a column is called so.
        unsure: Functions of the database's own that may give another value next time.
        own: Names that begin as the server's do, and are of the database's own.
        functions: All functions that are not the server's.
        foreign: Schema and name of tables of other servers, of other databases or of files.
        views: The text of each view by name; views of one name in several schemas are joined.
        reaching: What leads to a blocked function; its functions are among those.
    """

    blocked: frozenset[str]
    attributes: frozenset[str]
    unsure: frozenset[str]
    own: frozenset[str]
    functions: frozenset[str]
    foreign: frozenset[tuple[str, str]]
    views: dict[str, str]
    reaching: Reaching

    def refusal(self, result: Contents) -> Failure | None:
        """Why a text with these names is not sent; ``None`` where it may be."""
        reply = blocked_name(result, self.own)
        if reply is not None:
            return reply
        calls = {name for _, name in result.functions} | result.members
        # ``t.f`` is a column, or a function of the row.
        for name in sorted((calls & self.blocked) | (result.attributes & self.attributes)):
            return write_blocked(f"{name}()")
        for name in sorted(result.operators & self.reaching.operators):
            return write_blocked(f"the operator {name}, which calls a function that is blocked")
        for name in sorted((result.types | calls) & self.reaching.types):
            return write_blocked(f"the type {name}, which calls a function that is blocked")
        for schema, name in sorted(result.relations if self.foreign else ()):
            if any(name == other and schema in ("", home) for home, other in self.foreign):
                return write_blocked(f"the foreign table {name}")
        if not calls.isdisjoint(self.functions):
            # A function could run its argument as a text.
            words = frozenset[str]().union(*(words_of(text) for text in result.strings))
            for name in sorted(words - self.own):
                if name in self.blocked or self._is_of_server(name):
                    return write_blocked(f"{name} in a text that a function could run")
        return None

    @staticmethod
    def _is_of_server(name: str) -> bool:
        """Whether a word is the name of what no text may use."""
        return is_blocked_function(name) and is_blocked_relation("", name)

    @cached_property
    def _suspects(self) -> frozenset[str]:
        """Words without which an answer is sure to last."""
        return self.unsure | self.views.keys() | _PHYSICAL | clock_words(DIALECT)

    def texts(self, sql: str) -> list[str]:
        """A query, and every view that it reads, directly or through others."""
        texts, seen = [sql], set[str]()
        for text in texts:
            for name in names_in(text) & self.views.keys() - seen if self.views else ():
                seen.add(name)
                texts.append(self.views[name])
        return texts

    def is_sure(self, sql: str) -> bool:
        """Whether a text reads nothing but the content of tables."""
        names = names_in(sql)
        return not (
            names & self.unsure or names & _PHYSICAL or any(n.startswith("pg_") for n in names)
        )

    def volatility(self, reading: Reading, *, frozen: bool) -> tuple[bool, bool]:
        """Whether an answer is volatile, and whether it lasts.

        Args:
            reading: The query as it is run.
            frozen: Its own clock words are replaced; those of views are not.
        """
        if reading.contents.reads_session:
            # The role may be one that lives as long as this process.
            return True, False
        sql = reading.text
        if self._suspects.isdisjoint(names_in(sql)) and "pg_" not in sql.lower():
            return False, True
        volatile, lasting = False, True
        for at, text in enumerate(self.texts(sql)):
            use = clock_use(text, DIALECT)
            volatile |= use.chance or use.reads or (at > 0 and _reads_session(text))
            lasting &= not use.may_read and self.is_sure(text)
            lasting &= not (frozen and at and use.may_read)
        return volatile, lasting and not volatile


def _reads_session(view: str) -> bool:
    """Whether the text of a view asks who runs it, or where."""
    reading = read(view)
    if isinstance(reading, Reading):
        return reading.contents.reads_session
    # Views of several schemas, or one with what no query may call.
    return any(name.startswith(("pg_", "information_schema")) for name in names_in(view))


def read_catalogue(connection: Connection) -> Catalogue:
    """Read the catalogue in the present snapshot."""
    lists = {"unsafe": _UNSAFE_EXTENSIONS, "safe": _SAFE_EXTENSIONS, "harmless": _HARMLESS}
    rows = connection.execute(_BLOCKED, lists).fetchall()
    names_of_server = [name for (name,) in connection.execute(_FUNCTIONS).fetchall()]
    blocked = frozenset(name for name, _ in rows)
    risky = blocked | frozenset(filter(is_blocked_function, names_of_server))
    reached = reaching(connection, risky, frozenset(name for name, is_own in rows if is_own))
    inner = frozenset(name for (name,) in connection.execute(_INNER).fetchall())
    blocked |= reached.functions | inner
    unsure = connection.execute(_OWN).fetchall()
    names = connection.execute(_OWN_NAMES).fetchall()
    server = frozenset(name for (name,) in connection.execute(_SERVER_NAMES).fetchall())
    # ``x.f`` calls f where x is a value: all that no text may call, by whatever list.
    risky |= blocked | BLOCKED_TYPES
    columns = connection.execute(_COLUMNS, (sorted(risky),)).fetchall()
    views: dict[str, str] = {}
    for name, text in connection.execute(_VIEWS).fetchall():
        views[name] = f"{views.get(name, '')} {text or ''}"
    return Catalogue(
        blocked=blocked,
        attributes=risky - {name for (name,) in columns},
        unsure=frozenset(name for (name,) in unsure),
        own=frozenset(name for name, _ in names if name.startswith("pg_")) - server - blocked,
        functions=frozenset(name for name, is_function in names if is_function),
        foreign=frozenset(connection.execute(_FOREIGN).fetchall()),
        views=views,
        reaching=reached,
    )
