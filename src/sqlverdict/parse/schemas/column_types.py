"""What a column holds, by its declared type, in the dialects whose types are enforced.

SQLite takes any value anywhere; its columns have an affinity (see ``facts.py``). In DuckDB,
PostgreSQL and MySQL a type decides. What is not listed here is ``other``: such columns can be
read and compared, and nothing more is known about them. MySQL's texts are ``other`` where their
collation takes different texts for equal, which nearly all of its collations do.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Literal

from sqlverdict.parse.schema import Column, Table

Values = Literal[
    "integer", "real", "number", "text", "boolean", "date", "time", "timestamp", "uuid", "other"
]
"""``real`` is a double; ``number`` any other number: decimals, and floats of four bytes."""

TYPED_DIALECTS = ("duckdb", "postgres", "mysql")
"""The dialects beside SQLite that are read here."""

_SIZE = re.compile(r"\([^()]*\)")
_QUOTED = re.compile(r"'(?:[^'\\]|''|\\.)*'")
_COLLATE = re.compile(r"\bcollate[ =]+[\"'`]?(\w+)", re.IGNORECASE)
_EXACT_COLLATION = re.compile(r"binary|\w+_nopad_bin|\w+_0900_bin")
"""Collations of MySQL and MariaDB under which equal texts are the same, trailing spaces too."""

_BINARY = frozenset({"", "c", "posix", "ucs_basic", "binary"})
"""Collations of PostgreSQL and DuckDB that compare bytes; the usual one has no name here."""

_INTEGERS = (
    *("smallint", "int", "integer", "bigint", "tinyint", "mediumint", "hugeint", "int2", "int4"),
    *("int8", "smallserial", "serial", "bigserial", "utinyint", "usmallint", "uinteger"),
    *("ubigint", "uhugeint"),
)
_TYPES: dict[str, Values] = {
    **dict.fromkeys(_INTEGERS, "integer"),
    **dict.fromkeys(("double", "double precision", "float8"), "real"),
    **dict.fromkeys(("decimal", "numeric", "dec", "real", "float", "float4"), "number"),
    **dict.fromkeys(("text", "varchar", "character varying"), "text"),
    "date": "date",
    **dict.fromkeys(("time", "time without time zone"), "time"),
    **dict.fromkeys(("timestamp", "timestamp without time zone", "datetime"), "timestamp"),
}
_DUCKDB: dict[str, Values] = {
    **dict.fromkeys(("string", "char", "bpchar"), "text"),
    **dict.fromkeys(("boolean", "bool"), "boolean"),
    "uuid": "uuid",
}
_POSTGRES: dict[str, Values] = {"boolean": "boolean", "bool": "boolean", "uuid": "uuid"}
_MYSQL: dict[str, Values] = {
    **dict.fromkeys(("tinytext", "mediumtext", "longtext"), "text"),
    **dict.fromkeys(("boolean", "bool"), "integer"),
    # Shown in the time zone of the session.
    "timestamp": "other",
}
_MORE = {"duckdb": _DUCKDB, "postgres": _POSTGRES, "mysql": _MYSQL}


@lru_cache(maxsize=4_096)
def column_values(table: Table, column: Column, dialect: str) -> Values:
    """What a column holds; ``other`` where its type is not known.

    Args:
        table: The table; its declaration may name a collation.
        column: One of its columns.
        dialect: ``duckdb``, ``postgres`` or ``mysql``.
    """
    declared = column.type.lower()
    collation = _COLLATE.search(declared)
    plain = " ".join(
        _SIZE.sub(" ", declared[: collation.start()] if collation else declared).split()
    )
    if dialect == "mysql":
        plain = plain.removesuffix(" unsigned")
    values = _MORE[dialect].get(plain) or _TYPES.get(plain, "other")
    if values != "text":
        return values
    if dialect == "mysql":
        name = collation.group(1) if collation else _declared_collation(table, column)
        return "text" if _EXACT_COLLATION.fullmatch(name.lower()) else "other"
    name = collation.group(1) if collation else _declared_collation(table, column)
    return "text" if name.lower() in _BINARY else "other"


def _declared_collation(table: Table, column: Column) -> str:
    """The collation that a declaration names for a column: its own, or the table's."""
    declaration = _QUOTED.sub("''", table.sql or "")
    own = re.search(
        rf"[(,]\s*[\"`]?{re.escape(column.name)}[\"`]?\s+([^,\n]*)", declaration, re.IGNORECASE
    )
    clause = _COLLATE.search(own.group(1)) if own else None
    if clause is None:
        clause = _COLLATE.search(declaration[declaration.rfind(")") :])
    return clause.group(1) if clause else ""
