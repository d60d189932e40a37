"""A witness as a script of its engine, and its replay.

The comment is that of every witness file. Below it stand CREATE and INSERT statements for people.
A replay does not run these: the line ``-- tables {...}`` holds the same as data, and the engine
makes the tables of it. Checks, defaults and computed columns are left out: nothing in a file is
trusted, and they are SQL. The rows keep them anyway.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec
from sqlglot import exp

from sqlverdict.compare.preset import DEFAULT_PRESET
from sqlverdict.dialects import dialect_of
from sqlverdict.errors import DatabaseError, DataError, FileFailure, OptionName, UsageError
from sqlverdict.execute.engine import ENGINES, ScratchEngine
from sqlverdict.files.atomic import write_at_once
from sqlverdict.files.references import is_server
from sqlverdict.parse.schema import Schema, Table, is_view
from sqlverdict.parse.schemas.create_table import table_text
from sqlverdict.records import Cell, Contract, Row
from sqlverdict.refute.explain.sentence import WitnessTable, columns_named
from sqlverdict.refute.trial.rebuild import SMALL, compare_on
from sqlverdict.refute.witness import Witness
from sqlverdict.refute.witness_files import WitnessReplay, read_header, safe_name
from sqlverdict.refute.witness_text import comment_lines, header_of

_TABLES = "-- tables "
_PLAIN_TYPE = r"[A-Za-z_][A-Za-z0-9_ ]*(?:\(\s*\d+(?:\s*,\s*\d+)*\s*\))?[A-Za-z_ ]*(?:\[\d*\])*"
_TYPE = re.compile(
    rf"(?:{_PLAIN_TYPE}|\"char\"|(?i:enum|set)\s*\('[^'\\]*'(?:\s*,\s*'[^'\\]*')*\)(?:\[\d*\])*)"
    r"(\s+CHARACTER SET \w+)?(\s+COLLATE ((\w+|\"[\w.@-]+\")\.)?(\w+|\"[\w.@-]+\"))?"
)
"""A type that may stand in a CREATE statement: a name, with sizes, or a list of texts; and how
texts are compared."""
_FIELD = rf'(?:"[^"\\]+"\s+)?{_PLAIN_TYPE}'
_WITH_PARTS = re.compile(rf"(?i:map|struct|union)\s*\(\s*{_FIELD}(?:\s*,\s*{_FIELD})*\s*\)")
"""A type whose parts are plain ones, with or without names."""


def _is_type(text: str) -> bool:
    """Whether a text is a type that may stand in a CREATE statement, and nothing else."""
    before = ""
    while text != before:
        # From the inside: what has plain parts is as good as a plain type.
        before, text = text, _WITH_PARTS.sub("parts", text)
    return _TYPE.fullmatch(text) is not None


def to_script(
    witness: Witness, *, preset: str = DEFAULT_PRESET, contract: Contract | None = None
) -> str:
    """A witness as a script in the dialect of its engine.

    Args:
        witness: The witness.
        preset: The preset under which it was found.
        contract: What the case asks of answers.
    """
    dialect = ENGINES.get(witness.engine).dialect
    tables = _tables_of(witness)
    content = {
        "tables": [msgspec.to_builtins(_without_sql(table)) for table in tables],
        "rows": {
            name: [[_plain(cell) for cell in row] for row in rows]
            for name, rows in witness.instance.rows.items()
        },
        "views": [table.name for table in witness.instance.schema.tables if is_view(table)],
    }
    lines = [*comment_lines(witness, header_of(witness, preset, contract))]
    lines.append(_TABLES + json.dumps(content))
    for table in tables:
        lines += ["", _declaration(table, dialect) + ";"]
        lines += _inserts(table, witness.instance.rows.get(table.name, ()), dialect)
    return "\n".join(lines) + "\n"


def write_script(
    witness: Witness,
    folder: Path,
    name: str,
    *,
    preset: str = DEFAULT_PRESET,
    contract: Contract | None = None,
) -> Path:
    """Write ``<name>.sql``; a reader never sees half a file.

    Raises:
        FileFailure: the folder cannot be written.
    """
    path = folder / f"{safe_name(name)}.sql"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        text = to_script(witness, preset=preset, contract=contract)
        write_at_once(path, text.encode(), lasting=False)
    except OSError as error:
        raise FileFailure(
            f"the witness cannot be written to {folder}: {error.strerror or error}. Check the "
            f"folder, its rights and its space, or choose another folder"
        ) from error
    return path


def replay_script(
    path: Path, *, near: str | None, preset: str | None = None, trust_role: bool = False
) -> WitnessReplay:
    """Run a witness again on its engine.

    Args:
        path: A script that :func:`write_script` wrote. Nothing in it is trusted.
        near: A database on the server that answers; not needed by an engine without a server.
        preset: Compare under this one instead of the file's own.
        trust_role: Queries run as the role of ``near``, whatever it may do.

    Raises:
        DataError: the file is no witness.
        UsageError: a server is needed and none is named.
        DatabaseError: the server does not answer, or the engine cannot make the tables.
    """
    header, text = read_header(path)
    engine = ENGINES.get(header.engine)
    if not isinstance(engine, ScratchEngine):
        raise DataError(
            f"{path} is a witness of {header.engine}, which cannot replay it", reason="unsupported"
        )
    if not engine.suffixes and (near is None or not is_server(near)):
        raise UsageError(
            f"{path} is a witness of {header.engine}. Name a database on such a server, which you "
            f"may read: ",
            OptionName("db", f"{engine.schemes[0]}://HOST/DATABASE"),
        )
    schema, rows = _content(text, path)
    scratch = engine.scratch(schema, replace(SMALL, trust_role=trust_role), near)
    try:
        if not scratch.load(rows):
            raise DatabaseError(
                f"{path}: {header.engine} does not accept its rows", reason="failed"
            )
        gold, prediction, compared = compare_on(
            scratch.run,
            *header.queries,
            preset or header.preset,
            header.contract,
            engine.dialect,
        )
    finally:
        scratch.close()
    names = columns_named((header.gold, header.prediction))
    tables = [_witness_table(table, rows) for table in schema.tables]
    tables = [table.with_columns(names) for table in tables]
    return WitnessReplay(path, header, gold, prediction, compared, tuple(tables))


def _witness_table(table: Table, rows: Mapping[str, list[Row]]) -> WitnessTable:
    columns = tuple(column.name for column in table.columns)
    return WitnessTable(table.name, columns, tuple(rows.get(table.name, ())))


def _tables_of(witness: Witness) -> list[Table]:
    """The tables with rows or parents of them, and those whose name stands in a query."""
    schema, rows = witness.instance.schema, witness.instance.rows
    queries = f"{witness.gold_sql}\n{witness.prediction_sql}".casefold()
    names = {t.name for t in schema.tables if t.name in rows or t.name.casefold() in queries}
    waiting = list(names)
    while waiting:
        table = schema.table(waiting.pop())
        for key in table.foreign_keys if table is not None else ():
            parent = schema.table(key.parent)
            if parent is not None and parent.name not in names:
                names.add(parent.name)
                waiting.append(parent.name)
    return [table for table in schema.tables if table.name in names and not is_view(table)]


def _without_sql(table: Table) -> Table:
    """The table without what only SQL text says, and without what the real database calls it."""
    columns = tuple(replace(column, default=None, generated=None) for column in table.columns)
    return replace(table, columns=columns, checks=(), sql=None, indexes=(), paths=())


def _declaration(table: Table, dialect: str) -> str:
    def write(name: str) -> str:
        return exp.to_identifier(name, quoted=True).sql(dialect=dialect)

    keys = [key for key in table.foreign_keys if key.parent_columns]
    return table_text(_without_sql(table), keys=keys, write=write)


def _inserts(table: Table, rows: tuple[Row, ...], dialect: str) -> Iterator[str]:
    if not rows:
        return
    name = exp.to_identifier(table.name, quoted=True).sql(dialect=dialect)
    yield f"INSERT INTO {name} VALUES"
    for number, row in enumerate(rows, 1):
        cells = ", ".join(_literal(cell, dialect) for cell in row)
        yield f"  ({cells}){';' if number == len(rows) else ','}"


def _literal(cell: Cell, dialect: str) -> str:
    if isinstance(cell, bytes):
        return f"x'{cell.hex()}'" if dialect_of(dialect).blobs == "hex" else f"'\\x{cell.hex()}'"
    return exp.convert(cell).sql(dialect=dialect)


def _plain(cell: Cell) -> object:
    return {"hex": cell.hex()} if isinstance(cell, bytes) else cell


def _content(text: str, path: Path) -> tuple[Schema, Mapping[str, list[Row]]]:
    """The tables and rows of a script."""
    line = next((line for line in text.split("\n") if line.startswith(_TABLES)), None)
    if line is None:
        raise DataError(
            f"{path} is not a witness: no line begins with {_TABLES.strip()!r}", reason="wrong_kind"
        )
    try:
        content: Any = json.loads(line.removeprefix(_TABLES))
        tables = tuple(msgspec.convert(table, Table) for table in content["tables"])
        rows = {
            str(name): [tuple(_cell(cell) for cell in row) for row in rows]
            for name, rows in content["rows"].items()
        }
    except (ValueError, KeyError, TypeError, AttributeError, msgspec.ValidationError) as error:
        raise DataError(
            f"{path} is not a witness: its tables cannot be read: {error}", reason="unreadable"
        ) from error
    for table in tables:
        _check_table(table, path)
    return Schema(path.stem, tuple(map(_without_sql, tables)), "ddl"), rows


def _check_table(table: Table, path: Path) -> None:
    names = [table.name, *(column.name for column in table.columns)]
    if not all(name and "\0" not in name for name in names):
        raise DataError(f"{path}: a table or column has no usable name", reason="wrong_value")
    for column in table.columns:
        if column.type and not _is_type(column.type):
            raise DataError(
                f"{path}: {column.type!r} is not a type that a replay can make",
                reason="wrong_value",
            )


def _cell(value: object) -> Cell:
    if isinstance(value, dict):
        return bytes.fromhex(value["hex"])
    if value is None or isinstance(value, str | int | float):
        return value
    raise TypeError(f"a cell is {value!r}")
