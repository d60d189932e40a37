"""What a column holds, by its declared type, in the dialects whose types are enforced.

SQLite takes any value anywhere; its columns have an affinity (see ``facts.py``). In DuckDB,
PostgreSQL and MySQL a type decides. What is not listed here is ``other``: such columns can be
read and compared, and nothing more is known about them. MySQL's texts are ``other`` where their
collation takes different texts for equal, which nearly all of its collations do.
"""

from __future__ import annotations

import re
from functools import lru_cache

from sqlverdict.dialects import Values, dialect_of
from sqlverdict.parse.schema import Column, Table

_SIZE = re.compile(r"\([^()]*\)")
_QUOTED = re.compile(r"'(?:[^'\\]|''|\\.)*'")
_COLLATE = re.compile(r"\bcollate[ =]+[\"'`]?(\w+)", re.IGNORECASE)

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


@lru_cache(maxsize=4_096)
def column_values(table: Table, column: Column, dialect: str) -> Values:
    """What a column holds; ``other`` where its type is not known.

    Args:
        table: The table; its declaration may name a collation.
        column: One of its columns.
        dialect: A dialect whose types are enforced.
    """
    declared = column.type.lower()
    collation = _COLLATE.search(declared)
    plain = " ".join(
        _SIZE.sub(" ", declared[: collation.start()] if collation else declared).split()
    )
    record = dialect_of(dialect)
    for suffix in record.type_suffixes:
        plain = plain.removesuffix(suffix)
    values = record.types.get(plain) or _TYPES.get(plain, "other")
    if values != "text":
        return values
    name = collation.group(1) if collation else _declared_collation(table, column)
    return "text" if record.exact_collations.fullmatch(name.lower()) else "other"


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
