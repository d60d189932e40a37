"""What a database says about its functions and views: which are blocked, which may change."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Final

from sqlverdict.execute.frozen_text import clock_use, clock_words
from sqlverdict.execute.postgres.connection import Connection
from sqlverdict.execute.postgres.sandbox import DIALECT, names_in

_HARMLESS: Final = [
    *("clock_timestamp", "timeofday", "random", "random_normal", "setseed", "gen_random_uuid"),
    *("uuidv4", "uuidv7", "array_shuffle", "array_sample", "current_query", "pg_is_in_recovery"),
    *("pg_table_size", "pg_relation_size", "pg_total_relation_size", "pg_indexes_size"),
    *("pg_database_size", "pg_partition_tree", "pg_partition_ancestors"),
]
"""Functions of the server that are volatile and read nothing but the database."""
_SAFE_EXTENSIONS: Final = ["pgcrypto", "uuid-ossp", "postgis", "timescaledb", "vector", "hstore"]
_UNSAFE_EXTENSIONS: Final = ["dblink", "tablefunc", "xml2", "adminpack", "lo", "pg_stat_statements"]
_BLOCKED: Final = """
SELECT DISTINCT p.proname
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
END
"""
"""Volatile functions of the server, functions of extensions that are volatile or run texts, and
the user's own functions that act with another's rights or are not bound to the database."""
_OWN: Final = """
SELECT DISTINCT p.proname FROM pg_catalog.pg_proc AS p
JOIN pg_catalog.pg_namespace AS n ON n.oid = p.pronamespace
WHERE n.nspname NOT IN ('pg_catalog', 'information_schema') AND p.provolatile <> 'i'
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
        unsure: Functions of the database's own that may give another value next time.
        views: The text of each view by name; views of one name in several schemas are joined.
    """

    blocked: frozenset[str]
    unsure: frozenset[str]
    views: dict[str, str]

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

    def volatility(self, sql: str, *, frozen: bool) -> tuple[bool, bool]:
        """Whether an answer is volatile, and whether it lasts.

        Args:
            sql: The query as it was run.
            frozen: Its own clock words are replaced; those of views are not.
        """
        if self._suspects.isdisjoint(names_in(sql)) and "pg_" not in sql.lower():
            return False, True
        volatile, lasting = False, True
        for at, text in enumerate(self.texts(sql)):
            use = clock_use(text, DIALECT)
            volatile |= use.chance or use.reads
            lasting &= not use.may_read and self.is_sure(text)
            lasting &= not (frozen and at and use.may_read)
        return volatile, lasting and not volatile


def read_catalogue(connection: Connection) -> Catalogue:
    """Read the catalogue in the present snapshot."""
    lists = {"unsafe": _UNSAFE_EXTENSIONS, "safe": _SAFE_EXTENSIONS, "harmless": _HARMLESS}
    blocked = connection.execute(_BLOCKED, lists).fetchall()
    unsure = connection.execute(_OWN).fetchall()
    views: dict[str, str] = {}
    for name, text in connection.execute(_VIEWS).fetchall():
        views[name] = f"{views.get(name, '')} {text or ''}"
    return Catalogue(
        frozenset(name for (name,) in blocked), frozenset(name for (name,) in unsure), views
    )
