"""Schemas from a ``tables.json`` as Spider and BIRD publish it.

The file labels types in its own words (``number``, ``time``), knows no NOT NULL, splits
composite foreign keys into pairs, and, in Spider, names only the first column of a
composite primary key. BIRD writes such keys as lists; a file that does so anywhere is
taken at its word (``whole_keys``).
"""

from __future__ import annotations

from typing import Any

from sqlverdict.errors import SchemaError
from sqlverdict.parse.schema import Column, ForeignKey, Schema, Table


def read_tables_json(entries: list[Any], origin: str) -> dict[str, Schema]:
    """Read the parsed content of a ``tables.json``.

    Args:
        entries: One object a database.
        origin: The file's name, for messages.

    Raises:
        SchemaError: an entry is malformed, or two have the same ``db_id``.
    """
    whole = any(
        isinstance(key, list)
        for entry in entries
        if isinstance(entry, dict)
        for key in entry.get("primary_keys", ())
    )
    schemas: dict[str, Schema] = {}
    for number, entry in enumerate(entries):
        try:
            schema = _schema(entry, whole)
        except (KeyError, IndexError, TypeError, ValueError) as error:
            name = entry.get("db_id") if isinstance(entry, dict) else None
            raise SchemaError(
                f"{origin}: entry {number} (db_id {name!r}) is not a database as tables.json "
                f"writes it ({type(error).__name__}: {error}). Expected db_id, "
                "table_names_original, column_names_original, column_types, primary_keys and "
                "foreign_keys"
            ) from error
        if schema.db_id in schemas:
            raise SchemaError(f"{origin}: {schema.db_id!r} occurs twice; keep one entry")
        schemas[schema.db_id] = schema
    return schemas


def _schema(entry: dict[str, Any], whole_keys: bool) -> Schema:
    names = [str(name) for name in entry["table_names_original"]]
    columns = [(int(table), str(name)) for table, name in entry["column_names_original"]]
    types = [str(label) for label in entry["column_types"]]
    primary: dict[int, tuple[str, ...]] = {}
    for key in entry.get("primary_keys", ()):
        parts = key if isinstance(key, list) else [key]
        table = _owner(columns, parts)
        primary[table] = primary.get(table, ()) + tuple(columns[part][1] for part in parts)
    foreign: dict[int, list[ForeignKey]] = {}
    for child, parent in entry.get("foreign_keys", ()):
        to = columns[_owner_checked(columns, parent)]
        key = ForeignKey((columns[child][1],), names[to[0]], (to[1],))
        foreign.setdefault(_owner(columns, [child]), []).append(key)
    declared: dict[int, list[Column]] = {}
    for (table, column), label in zip(columns, types, strict=True):
        declared.setdefault(table, []).append(Column(column, label))
    tables = tuple(
        Table(
            name=name,
            columns=tuple(declared.get(at, ())),
            primary_key=primary.get(at, ()),
            foreign_keys=tuple(foreign.get(at, ())),
        )
        for at, name in enumerate(names)
    )
    return Schema(str(entry["db_id"]), tables, "tables_json", whole_keys)


def _owner(columns: list[tuple[int, str]], parts: list[int]) -> int:
    """The table that all these columns belong to."""
    owners = {columns[_owner_checked(columns, part)][0] for part in parts}
    if len(owners) != 1:
        raise ValueError(f"the columns {parts} are not of one table")
    return owners.pop()


def _owner_checked(columns: list[tuple[int, str]], part: int) -> int:
    if part < 0 or columns[part][0] < 0:
        raise ValueError(f"column {part} belongs to no table")
    return part
