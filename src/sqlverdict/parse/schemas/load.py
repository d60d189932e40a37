"""Schemas from whatever a user has: a file of one of four kinds, or a folder of databases.

One kind is the ``tables.json`` that Spider and BIRD publish. The file labels types in its own
words (``number``, ``time``), knows no NOT NULL, splits composite foreign keys into pairs, and, in
Spider, names only the first column of a composite primary key. BIRD writes such keys as lists; a
file that does so anywhere is taken at its word (``whole_keys``).
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from sqlverdict.errors import SchemaError
from sqlverdict.files.references import file_of
from sqlverdict.files.sqlite import is_sqlite
from sqlverdict.parse.schema import Column, ForeignKey, Schema, Table
from sqlverdict.parse.schemas.ddl import read_ddl
from sqlverdict.parse.schemas.sqlite import read_sqlite


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
                "foreign_keys",
                reason="wrong_value",
            ) from error
        if schema.db_id in schemas:
            raise SchemaError(
                f"{origin}: {schema.db_id!r} occurs twice; keep one entry", reason="repeated"
            )
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


SUFFIXES = (".sqlite", ".sqlite3", ".db")
_KINDS = (
    "a tables.json, a JSON of CREATE statements per database, a .sql file, a SQLite file, or a "
    "folder of databases (<db>/<db>.sqlite or <db>.sqlite)"
)


def load_schemas(path: str | Path, db_id: str | None = None) -> dict[str, Schema]:
    """Load the schemas that a file or folder holds, by database.

    Args:
        path: A ``tables.json``, a JSON object of CREATE statements per database (one string
            or a list of strings each), a ``.sql`` file, a SQLite file, or a folder with
            ``<db>/<db>.sqlite`` or ``<db>.sqlite``; as a path, or as the URL of a file.
        db_id: Load only this database. For a single database's file: its name, in place of
            the file's stem.

    Raises:
        SchemaError: there is no such file, it is of no known kind, it is malformed, or it
            does not hold ``db_id``.
    """
    location = file_of(path) or Path(path)
    if location.is_dir():
        return _folder(location, db_id)
    if not location.is_file():
        raise SchemaError(f"there is no schema at {location}; expected {_KINDS}", reason="missing")
    if is_sqlite(location) or location.suffix.lower() in SUFFIXES:
        schema = read_sqlite(location, db_id)
        return {schema.db_id: schema}
    if location.suffix.lower() == ".sql":
        name = db_id or location.stem
        return {name: read_ddl(_text(location), name)}
    if location.suffix.lower() == ".json":
        return _only(_json(location, db_id), db_id, location)
    raise SchemaError(
        f"{location} is not a schema of a known kind; expected {_KINDS}", reason="wrong_kind"
    )


def _folder(folder: Path, db_id: str | None) -> dict[str, Schema]:
    files = _databases(folder)
    if not files:
        raise SchemaError(
            f"the folder {folder} holds no database; expected <db>/<db>.sqlite or <db>.sqlite",
            reason="empty",
        )
    if db_id is not None:
        if db_id not in files:
            raise SchemaError(_missing(db_id, files, folder), reason="missing")
        files = {db_id: files[db_id]}
    return {name: read_sqlite(file, name) for name, file in files.items()}


def _databases(folder: Path) -> dict[str, Path]:
    """The database files of a folder by name; a test suite's further files are passed over."""
    databases: dict[str, Path] = {}
    for entry in sorted(folder.iterdir()):
        name = entry.name if entry.is_dir() else entry.stem
        inside = [entry / f"{entry.name}{suffix}" for suffix in SUFFIXES]
        flat = [entry] if entry.suffix.lower() in SUFFIXES else []
        files = [file for file in (inside if entry.is_dir() else flat) if file.is_file()]
        if files and name in databases:
            raise SchemaError(
                f"the folder {folder} holds two databases called {name!r}: {databases[name]} and "
                f"{files[0]}. Remove one of them",
                reason="repeated",
            )
        if files:
            databases[name] = files[0]
    return databases


def _json(file: Path, db_id: str | None) -> dict[str, Schema]:
    try:
        content: Any = json.loads(_text(file))
    except (ValueError, RecursionError) as error:
        raise SchemaError(f"{file} is not JSON: {error}", reason="unreadable") from error
    if isinstance(content, dict) and "table_names_original" in content:
        content = [content]
    if isinstance(content, list):
        # All are read even where one is wanted: whether keys are whole shows in the file.
        return read_tables_json(content, str(file))
    if isinstance(content, dict):
        if db_id is not None and db_id not in content:
            raise SchemaError(_missing(db_id, content, file), reason="missing")
        names = list(content) if db_id is None else [db_id]
        return {name: read_ddl(_statements(content[name], name, file), name) for name in names}
    raise SchemaError(
        f"{file} holds a JSON {type(content).__name__}; expected a list of databases "
        "(tables.json) or an object of CREATE statements per database",
        reason="wrong_kind",
    )


def _statements(value: Any, name: str, file: Path) -> str:
    statements = [value] if isinstance(value, str) else value
    if not isinstance(statements, list) or not all(isinstance(s, str) for s in statements):
        raise SchemaError(
            f"{file}: the value of {name!r} is {type(value).__name__}; expected CREATE "
            "statements as one string or a list of strings",
            reason="wrong_value",
        )
    # A newline first: a statement may end in a line comment.
    return "\n;\n".join(statements)


def _only(schemas: dict[str, Schema], db_id: str | None, file: Path) -> dict[str, Schema]:
    if not schemas:
        raise SchemaError(f"{file} holds no database; expected at least one", reason="empty")
    if db_id is None:
        return schemas
    if db_id not in schemas:
        raise SchemaError(_missing(db_id, schemas, file), reason="missing")
    return {db_id: schemas[db_id]}


def _missing(db_id: str, known: dict[str, Any], where: Path) -> str:
    names = sorted(known)
    first_names = ", ".join(names[:20]) + (", …" if len(names) > 20 else "")
    return f"{where} holds no database {db_id!r}; it holds {len(names)}: {first_names}"


def _text(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise SchemaError(
            f"{file} is not UTF-8: {error}. Save it as UTF-8", reason="unreadable"
        ) from error
