"""What a column holds, by its declared type, and which texts it takes for the same.

SQLite takes any value anywhere; its columns have an affinity (see ``facts.py``). In DuckDB,
PostgreSQL and MySQL a type decides. What is not listed here is ``other``: such columns can be
read and compared, and nothing more is known about them. Texts are ``collated`` where their
collation may take different texts for equal, which nearly all collations of MySQL do.
"""

from __future__ import annotations

import re
from dataclasses import replace
from functools import lru_cache
from unicodedata import combining, normalize

from sqlverdict.dialects import Values, dialect_of
from sqlverdict.parse.schema import Column, Schema, Table
from sqlverdict.parse.tokens import Kind, fold, kind, pieces
from sqlverdict.records import Cell

_SIZE = re.compile(r"\([^()]*\)")
_QUOTED = re.compile(r"'(?:[^'\\]|''|\\.)*'")
_COLLATE = re.compile(r"\bcollate[ =]+[\"'`]?([\w-]+(?:[\"'`]?\.[\"'`]?[\w-]+)?)", re.IGNORECASE)
"""A name with a schema is a user's own: it compares as its author likes."""

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

_EXACT = re.compile(
    r"(?:char|character|bpchar) ?\(\d+\)|(?:smallint|integer|bigint|int[248]?|boolean|date)\[\]"
)

_NAME = r"(?:\"[^\"]+\"|`[^`]+`|[\w.]+)"
_CLAUSE = re.compile(rf"\bcollate\s+{_NAME}(?:\.{_NAME})?", re.IGNORECASE)
"""A collation as it is written."""


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
    name = declared_collation(table, column)
    return "text" if record.exact_collations.fullmatch(name) else "collated"


def has_exact_values(column: Column, dialect: str) -> bool:
    """Whether equal values of a column of type ``other`` are the same value.

    A CHAR is stored with all its spaces, and an array of such values has no second form.
    """
    declared = " ".join(column.type.lower().split())
    return dialect_of(dialect).exact_texts and _EXACT.fullmatch(declared) is not None


def declared_collation(table: Table, column: Column) -> str:
    """The collation that is named for a column, in small letters: its own, or its table's."""
    with_type = _COLLATE.search(column.type)
    if with_type is not None:
        return with_type.group(1).lower()
    declaration = _QUOTED.sub("''", table.sql or "")
    clause = _COLLATE.search(_clauses(declaration, column.name))
    if clause is None:
        clause = _COLLATE.search(declaration[declaration.rfind(")") :])
    return clause.group(1).lower() if clause else ""


def with_collations_in_types(schema: Schema) -> Schema:
    """The schema, where a collation that a column of a DDL text names stands behind its type.

    A catalogue has it there already.
    """
    if schema.source != "ddl":
        return schema
    return replace(
        schema,
        tables=tuple(
            replace(table, columns=tuple(_with_collation(table, each) for each in table.columns))
            for table in schema.tables
        ),
    )


def _with_collation(table: Table, column: Column) -> Column:
    clause = _CLAUSE.search(_clauses(table.sql or "", column.name))
    if clause is None or not column.type or _COLLATE.search(column.type):
        return column
    return replace(column, type=f"{column.type} {clause[0]}")


def _clauses(declaration: str, name: str) -> str:
    """What stands behind the name of a column in a CREATE TABLE, up to a comma; else nothing."""
    own = re.search(
        rf"[(,]\s*[\"`]?{re.escape(name)}[\"`]?\s+([^,\n]*)", declaration, re.IGNORECASE
    )
    return own[1] if own else ""


LOOSE = "LOOSE"
"""A collation of another engine: capitals, accents and spaces at the end do not count."""
_QUOTES = "\"'`[]"
_UPPER_TO_LOWER = {code: code + 32 for code in range(ord("A"), ord("Z") + 1)}


def collation(sql: str | None, column: str) -> str:
    """The collation of a column in a CREATE TABLE, in capitals; BINARY by default."""
    return _declared(sql or "").get(fold(column), "BINARY")


def alike(cell: Cell, by: str) -> Cell:
    """A value as a collation compares it: two that are equal are the same text."""
    if not isinstance(cell, str):
        return cell
    if by == "NOCASE":
        # ASCII letters only, as SQLite does it.
        return cell.translate(_UPPER_TO_LOWER)
    if by == LOOSE:
        letters = (each for each in normalize("NFD", cell) if not combining(each))
        return "".join(letters).casefold().rstrip(" ")
    return cell.rstrip(" ") if by == "RTRIM" else cell


@lru_cache(maxsize=4_096)
def _declared(sql: str) -> dict[str, str]:
    if "collate" not in sql.lower():
        return {}
    collations: dict[str, str] = {}
    words = [part for part in pieces(sql) if kind(part) not in (Kind.SPACE, Kind.COMMENT)]
    depth, column, first = 0, "", False
    for before, part in zip(["", *words], words, strict=False):
        if depth == 1 and first:
            column, first = fold(part.strip(_QUOTES)), False
        depth += (part == "(") - (part == ")")
        if depth == 1 and part in ("(", ","):
            first = True
        if depth == 1 and before.lower() == "collate":
            collations.setdefault(column, part.strip(_QUOTES).upper())
    return collations
